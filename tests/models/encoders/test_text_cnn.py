"""TextCNN against loops over filters and windows (Kim, 2014, Section 2)."""

import pytest
import torch
from support import make_tokens
from transformers import AutoConfig, AutoModelForSequenceClassification

from unfooled.models import Classifier, TextCNN, TextCNNConfig

SIZES = {"vocab_size": 60, "embedding_width": 6, "filters": 4, "windows": (2, 3, 5), "num_labels": 3}


def build(dropout=0.0, seed=0):
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        network = TextCNN(TextCNNConfig(**SIZES, dropout=dropout))
        for convolution in network.convolutions:
            torch.nn.init.normal_(convolution.bias)
    return network


def naive_features(network, vectors):
    """c_i = max(0, w · x_{i:i+h-1} + b), the largest over time, for each filter of each window size h."""
    features = []
    for window, convolution in zip(SIZES["windows"], network.convolutions, strict=True):
        padded = [*vectors, *([torch.zeros_like(vectors[0])] * (window - 1))]
        for weight, bias in zip(convolution.weight, convolution.bias, strict=True):
            heights = []
            for start in range(len(vectors)):
                height = bias.clone()
                for offset in range(window):
                    height = height + (weight[:, offset] * padded[start + offset]).sum()
                heights.append(max(0.0, height.item()))
            features.append(max(heights))
    return torch.tensor(features)


@pytest.mark.parametrize("lengths", [(1, 2), (7, 3, 5), (9,)])
def test_logits_and_features_are_kims(lengths):
    network = build().eval()
    tokens = make_tokens(lengths, range(len(lengths)))
    output = Classifier(network)(tokens)
    for place, length in enumerate(lengths):
        vectors = [network.embedding.weight[token] for token in tokens.ids[place, :length]]
        features = naive_features(network, vectors)
        torch.testing.assert_close(output.features[place], features, rtol=1e-5, atol=1e-6)
        logits = network.classifier.weight @ features + network.classifier.bias
        torch.testing.assert_close(output.logits[place], logits, rtol=1e-5, atol=1e-6)


def test_a_perturbation_moves_the_word_vectors():
    classifier, tokens = Classifier(build().eval()), make_tokens((7, 3), (0, 1))
    delta = torch.randn(2, 7, 6, generator=torch.Generator().manual_seed(0))
    output = classifier(tokens, delta)
    vectors = [classifier.network.embedding.weight[tokens.ids[1, t]] + delta[1, t] for t in range(3)]
    expected = naive_features(classifier.network, vectors)  # what is added on padding is never read
    torch.testing.assert_close(output.features[1], expected, rtol=1e-5, atol=1e-6)
    assert classifier.width == 6 and classifier.classes == 3


@pytest.mark.parametrize("columns", [8, 30])
@pytest.mark.parametrize("padding", [0, 17])  # whatever stands on padding, even a word
def test_padding_does_not_change_the_output(columns, padding):
    network = build().eval()
    narrow = make_tokens((1, 7, 4), (0, 1, 2))
    wide = make_tokens((1, 7, 4), (0, 1, 2), columns, padding)
    first, second = Classifier(network)(narrow), Classifier(network)(wide)
    torch.testing.assert_close(second.logits, first.logits, rtol=1e-6, atol=1e-6)
    torch.testing.assert_close(second.features, first.features, rtol=1e-6, atol=1e-6)


def test_a_text_alone_needs_no_mask_and_gives_the_loss_of_its_label():
    network, tokens = build().eval(), make_tokens((7,), (0,))
    found = network(tokens.ids, labels=torch.tensor([2]))
    assert torch.equal(found.logits, network(tokens.ids, tokens.mask.long()).logits)
    assert found.loss.item() == pytest.approx(-found.logits.log_softmax(dim=1)[0, 2].item())


def test_dropout_acts_on_the_features_in_training_only():
    network, tokens = build(dropout=0.5), make_tokens((7, 5), (0, 1))
    trained = [network.train()(tokens.ids, tokens.mask).logits for _ in range(2)]
    still = [network.eval()(tokens.ids, tokens.mask).logits for _ in range(2)]
    assert not torch.equal(*trained) and torch.equal(*still)
    features = Classifier(network.train())(tokens).features
    whole = Classifier(network.eval())(tokens).features
    kept = features != 0
    torch.testing.assert_close(features[kept], 2 * whole[kept])


def test_the_default_sizes_are_kims():
    config = TextCNNConfig()
    sizes = (
        config.embedding_width,
        config.filters,
        tuple(config.windows),
        config.dropout,
        config.hidden_size,
    )
    assert sizes == (300, 100, (3, 4, 5), 0.5, 300)


def test_fresh_word_vectors_are_uniform_within_a_quarter():
    weights = TextCNN(TextCNNConfig(vocab_size=2000, embedding_width=20, filters=2)).embedding.weight.detach()
    assert 0.249 < weights.abs().max() <= 0.25 and weights.std().item() == pytest.approx(0.5 / 12**0.5, rel=0.02)


def test_a_saved_network_is_the_same_after_loading(tmp_path):
    network, tokens = build(dropout=0.3).eval(), make_tokens((7, 5), (0, 1), columns=9)
    network.config.id2label = {0: "bad", 1: "fair", 2: "good"}
    network.save_pretrained(tmp_path)
    again = AutoModelForSequenceClassification.from_pretrained(tmp_path, local_files_only=True)
    assert type(again) is TextCNN and not again.training
    expected = network.state_dict()
    assert all(torch.equal(tensor, expected[name]) for name, tensor in again.state_dict().items())
    assert torch.equal(again(tokens.ids, tokens.mask).logits, network(tokens.ids, tokens.mask).logits)
    config = AutoConfig.from_pretrained(tmp_path)
    assert config.id2label[2] == "good" and tuple(config.windows) == (2, 3, 5) and config.dropout == 0.3


def test_gradient_in_double_precision():
    classifier, tokens = Classifier(build().double().eval()), make_tokens((4, 2), (0, 1))
    delta = 0.1 * torch.randn(2, 4, 6, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    assert torch.autograd.gradcheck(lambda moved: classifier(tokens, moved).logits, delta.requires_grad_())


def test_the_word_vectors_can_be_replaced():
    network, other = build(), torch.nn.Embedding(9, 6)
    network.set_input_embeddings(other)
    assert network.get_input_embeddings() is other
