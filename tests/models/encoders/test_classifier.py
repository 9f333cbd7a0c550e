"""The door at the embedding lookup, on tiny random networks of eight architectures."""

import pytest
import torch
from support import ARCHITECTURES, make_tokens, padding_of, tiny_network
from torch import nn
from transformers import BartConfig, BartForSequenceClassification

from unfooled.errors import BadInput
from unfooled.models.encoders.classifier import Classifier, added, last_linear, still
from unfooled.types import Tokens

LENGTHS, INDEX = (5, 3, 7), (0, 1, 2)
# These add positions and segments to inputs_embeds as they do to their own lookup.
BERT_LIKE = ("bert", "roberta", "albert", "distilbert", "electra", "mpnet", "deberta", "deberta-v2")


def build(kind, classes=3, dropout=0.0):
    return Classifier(tiny_network(kind, classes, dropout))


def tokens_for(kind, columns=None, segments=False):
    return make_tokens(LENGTHS, INDEX, columns, padding_of(kind), segments)


def plain_logits(classifier, tokens):
    return classifier.network(input_ids=tokens.ids, attention_mask=tokens.mask.long()).logits


def random_delta(classifier, tokens, scale=0.5):
    random = torch.Generator().manual_seed(4)
    drawn = torch.randn(*tokens.ids.shape, classifier.width, generator=random)
    return scale * drawn * tokens.mask[..., None]


def hooks(classifier):
    return sum(len(module._forward_hooks) + len(module._forward_pre_hooks) for module in classifier.modules())


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("kind", ARCHITECTURES)
def test_delta_zero_and_none_are_the_plain_forward_exactly(kind, training):
    classifier, tokens = build(kind, dropout=0.2).train(training), tokens_for(kind)
    found = []
    for delta in (None, torch.zeros(*tokens.ids.shape, classifier.width)):
        torch.manual_seed(1)
        found.append(classifier(tokens, delta).logits)
    torch.manual_seed(1)
    plain = plain_logits(classifier, tokens)
    assert torch.equal(found[0], plain) and torch.equal(found[1], plain)
    assert plain.std(dim=0).max() > 1e-3  # the network does tell its inputs apart


@pytest.mark.parametrize("kind", BERT_LIKE)
def test_adding_delta_is_feeding_the_lookup_plus_delta(kind):
    classifier, tokens = build(kind), tokens_for(kind)
    delta = random_delta(classifier, tokens)
    embedded = classifier.network.get_input_embeddings().weight[tokens.ids] + delta
    expected = classifier.network(inputs_embeds=embedded, attention_mask=tokens.mask.long()).logits
    found = classifier(tokens, delta).logits
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)
    assert not torch.allclose(found, plain_logits(classifier, tokens), atol=1e-2)


@pytest.mark.parametrize("kind", ARCHITECTURES)
def test_width_is_that_of_the_lookup_and_classes_that_of_the_logits(kind):
    classifier = build(kind, classes=5)
    assert classifier.width == (16 if kind in ("albert", "electra") else 32)  # factorised tables are narrower
    assert classifier.classes == 5 == classifier(tokens_for(kind)).logits.shape[1]


@pytest.mark.parametrize("classes", [1, 3, 32])  # 32 is also the hidden width
@pytest.mark.parametrize("kind", ARCHITECTURES)
def test_features_are_what_the_last_layer_reads(kind, classes):
    classifier, tokens = build(kind, classes=classes, dropout=0.2), tokens_for(kind)
    output = classifier(tokens, random_delta(classifier, tokens))
    last = last_linear(classifier.network)
    naive = output.features.double() @ last.weight.double().T + last.bias.double()
    torch.testing.assert_close(output.logits.double(), naive, rtol=1e-5, atol=1e-6)
    assert output.features.shape[0] == 3 and output.features.requires_grad


@pytest.mark.parametrize("kind", ARCHITECTURES)
def test_the_vector_is_the_features_before_the_dropout_in_front_of_the_last_layer(kind):
    classifier, tokens = build(kind, dropout=0.4), tokens_for(kind)
    output = classifier(tokens)
    kept = output.features != 0
    assert kept.double().mean() < (output.vector != 0).double().mean() - 0.1
    torch.testing.assert_close(output.features[kept], output.vector[kept] / 0.6)
    still_output = classifier.eval()(tokens)
    torch.testing.assert_close(still_output.vector, still_output.features)
    assert not torch.allclose(output.vector, still_output.vector)  # the encoder's own dropout is in it


def test_without_such_a_dropout_the_vector_is_the_features():
    classifier = build("bert", dropout=0.4)
    classifier.network.dropout = nn.Identity()
    output = Classifier(classifier.network)(tokens_for("bert"))
    assert output.vector is output.features


@pytest.mark.parametrize("kind", ["bert", "distilbert"])
def test_parameters_of_the_encoder_are_all_but_those_of_the_head(kind):
    classifier = build(kind)
    mine = {id(parameter) for parameter in classifier.encoder_parameters()}
    left = [name for name, parameter in classifier.network.named_parameters() if id(parameter) not in mine]
    assert left and all(name.split(".")[0] in ("classifier", "pre_classifier") for name in left)


@pytest.mark.parametrize("kind", ARCHITECTURES)
def test_padding_columns_do_not_change_the_output(kind):
    classifier = build(kind)
    narrow, wide = tokens_for(kind), tokens_for(kind, columns=12)
    delta = random_delta(classifier, narrow)
    wider = torch.cat([delta, torch.zeros(3, 5, classifier.width)], dim=1)
    for before, after in [(None, None), (delta, wider)]:
        first, second = classifier(narrow, before), classifier(wide, after)
        torch.testing.assert_close(second.logits, first.logits, rtol=1e-4, atol=1e-5)
        torch.testing.assert_close(second.features, first.features, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", ARCHITECTURES)
def test_the_gradient_reaches_delta_and_the_table_alike(kind):
    classifier, tokens = build(kind), tokens_for(kind)
    delta = torch.zeros(*tokens.ids.shape, classifier.width, requires_grad=True)
    classifier(tokens, delta).logits[:, 0].sum().backward()
    table = classifier.network.get_input_embeddings().weight.grad
    by_hand = torch.zeros_like(table)
    for place, ids in enumerate(tokens.ids.tolist()):
        for column, token in enumerate(ids):
            if tokens.mask[place, column]:
                by_hand[token] += delta.grad[place, column]
    torch.testing.assert_close(table, by_hand, rtol=1e-4, atol=1e-5)


def test_gradient_of_the_logits_in_double_precision():
    classifier, tokens = Classifier(tiny_network(layers=1, width=8)).double(), make_tokens((2, 3), (0, 1))
    delta = random_delta(classifier, tokens).double().requires_grad_()
    assert torch.autograd.gradcheck(lambda moved: classifier(tokens, moved).logits, delta)


def test_segments_reach_networks_that_take_them_and_no_others():
    for kind, takes in [("bert", True), ("distilbert", False)]:
        classifier, tokens = build(kind), tokens_for(kind, segments=True)
        assert classifier.takes_segments is takes
        without = classifier(Tokens(tokens.ids, tokens.mask)).logits
        assert torch.equal(classifier(tokens).logits, without) is not takes


@pytest.mark.parametrize("kind", ["bert", "deberta"])
def test_no_hook_is_left_behind_whatever_happens(kind):
    classifier, tokens = build(kind), tokens_for(kind)
    before, plain = hooks(classifier), classifier(tokens).logits
    classifier(tokens, random_delta(classifier, tokens))
    with pytest.raises(RuntimeError):
        classifier(tokens, torch.zeros(3, 7, classifier.width + 1))
    with pytest.raises(IndexError):
        classifier(Tokens(tokens.ids + 1000, tokens.mask), random_delta(classifier, tokens))
    assert hooks(classifier) == before
    assert torch.equal(classifier(tokens).logits, plain)


def test_added_adds_while_open_and_not_after():
    lookup, delta = nn.Embedding(4, 2), torch.ones(1, 3, 2)
    ids = torch.tensor([[0, 1, 3]])
    with added(lookup, delta):
        assert torch.equal(lookup(ids), lookup.weight[ids] + 1)
    with added(lookup, None):
        assert torch.equal(lookup(ids), lookup.weight[ids])
    assert torch.equal(lookup(ids), lookup.weight[ids])


def test_modules_are_registered_once():
    classifier = build("bert")
    assert list(classifier.state_dict()) == [f"network.{name}" for name in classifier.network.state_dict()]


@pytest.mark.parametrize("fails", [False, True])
def test_still_restores_the_mode_of_every_module(fails):
    classifier = build("bert", dropout=0.4)
    classifier.network.bert.encoder.layer[1].eval()
    classifier.network.dropout.eval()
    modes = [module.training for module in classifier.modules()]
    assert True in modes and False in modes
    try:
        with still(classifier):
            assert not any(module.training for module in classifier.modules())
            assert torch.equal(*(classifier(tokens_for("bert")).logits for _ in range(2)))
            if fails:
                raise KeyError("inside")
    except KeyError:
        assert fails
    assert [module.training for module in classifier.modules()] == modes


def test_reduced_precision_moves_the_logits_a_little():
    classifier, tokens = build("bert"), tokens_for("bert")
    single = classifier(tokens).logits
    classifier.autocast = torch.bfloat16
    reduced = classifier(tokens, random_delta(classifier, tokens, 0.0)).logits.float()
    assert not torch.equal(reduced, single)
    torch.testing.assert_close(reduced, single, rtol=0.1, atol=0.2)


def test_a_network_without_a_linear_last_layer_is_refused():
    network = tiny_network("bert")
    network.classifier = nn.Identity()
    with pytest.raises(BadInput, match="BertForSequenceClassification"):
        Classifier(network)


def test_a_network_that_looks_its_tokens_up_elsewhere_is_found_out():
    config = BartConfig(
        vocab_size=40,
        d_model=16,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=16,
        decoder_ffn_dim=16,
        max_position_embeddings=20,
        num_labels=2,
        pad_token_id=0,
        eos_token_id=3,
    )
    classifier = Classifier(BartForSequenceClassification(config))
    tokens = Tokens(torch.tensor([[4, 5, 3]]), torch.ones(1, 3, dtype=torch.bool))
    with pytest.raises(RuntimeError, match="perturbation was not used"):
        classifier(tokens, torch.ones(1, 3, 16))
