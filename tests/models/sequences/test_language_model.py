"""Language models behind the call every method makes."""

import pytest
import torch
from transformers import BertConfig, BertModel

from sequences import VOCABULARY, language_batch, language_model
from unfooled.errors import BadInput
from unfooled.models.sequences.language_model import LanguageModel
from unfooled.models.sequences.tensorized import Tensorized, TensorizedConfig

KINDS = pytest.mark.parametrize("kind", ["tensorized", "gpt2"])


@KINDS
def test_a_perturbation_of_zero_is_the_plain_pass(kind):
    model, batch = language_model(kind=kind), language_batch()
    plain = model.network(input_ids=batch.tokens.ids).logits
    assert torch.equal(model(batch.tokens).logits, plain)
    assert torch.equal(model(batch.tokens, torch.zeros(4, 6, model.width)).logits, plain)


@KINDS
def test_a_perturbation_is_added_to_what_the_lookup_gives(kind):
    model, batch = language_model(kind=kind), language_batch()
    lookup = model.network.get_input_embeddings()
    delta = torch.randn(4, 6, model.width, generator=torch.Generator().manual_seed(0))
    moved = model(batch.tokens, delta).logits
    for row, place in ((0, 2), (3, 0)):
        alone = torch.zeros_like(delta)
        alone[row, place] = delta[row, place]
        word = batch.tokens.ids[row, place]
        found = model(batch.tokens, alone).logits
        changed = (found - model(batch.tokens).logits).abs().amax(dim=2) > 0
        assert not changed[row, :place].any() and changed[row, place]
        with torch.no_grad():  # the same as moving the word in the table, where it stands once
            scale = model.width**0.5 if kind == "tensorized" else 1.0
            kept, lookup.weight[word] = lookup.weight[word].clone(), lookup.weight[word] + delta[row, place] / scale
            untied = lookup(batch.tokens.ids)[row, place]
            lookup.weight[word] = kept
        torch.testing.assert_close(untied, lookup(batch.tokens.ids)[row, place] + delta[row, place])
    assert not torch.equal(moved, model(batch.tokens).logits)


@KINDS
def test_states_are_what_the_softmax_reads(kind):
    model, batch = language_model(kind=kind), language_batch()
    output = model(batch.tokens)
    head = model.network.get_output_embeddings()
    expected = output.states @ head.weight.T + (0 if head.bias is None else head.bias)
    torch.testing.assert_close(output.logits, expected)
    assert output.states.shape == (4, 6, model.feature_width)
    assert output.logits.shape == (4, 6, VOCABULARY)


def test_padding_on_the_right_changes_nothing():
    model, batch = language_model(kind="gpt2"), language_batch()
    other = batch.tokens.ids.clone()
    other[~batch.tokens.mask] = 7
    real = batch.tokens.mask
    tokens = type(batch.tokens)(other, real)
    assert torch.equal(model(batch.tokens).logits[real], model(tokens).logits[real])


def test_behind_an_adaptive_softmax_labels_are_rated_without_all_logits():
    torch.manual_seed(0)
    sizes = {"hidden_size": 8, "num_hidden_layers": 1, "head_width": 4, "inner_width": 8, "dropout": 0.0}
    network = Tensorized(TensorizedConfig(vocab_size=VOCABULARY, segment_length=6, cutoffs=(5, 12), **sizes))
    model, batch = LanguageModel(network), language_batch()
    output = model(batch.tokens)
    assert output.logits.numel() == 0
    logs = network(batch.tokens.ids).logits
    losses = output.rated(batch.label)
    for row in range(4):
        for place in range(6):
            label = int(batch.label[row, place])
            expected = 0.0 if label < 0 else -logs[row, place, label].item()
            assert losses[row, place].item() == pytest.approx(expected, abs=1e-5)


def test_a_network_that_scores_no_words_is_refused():
    sizes = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8}
    with pytest.raises(BadInput, match="BertModel is no language model"):
        LanguageModel(BertModel(BertConfig(vocab_size=9, **sizes)))
