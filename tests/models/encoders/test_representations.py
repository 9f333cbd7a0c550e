"""Layers, poolings and BERTScore against loops over the network's own outputs."""

from pathlib import Path

import numpy as np
import pytest
import torch
from support import make_tokens, tiny_network
from tiny import save_encoder
from transformers import AutoModel, AutoTokenizer

from unfooled.errors import BadInput
from unfooled.models.encoders.representations import (
    POOLINGS,
    alikeness,
    bert_score,
    content,
    has_layers,
    layers,
    pooled,
    triple_likeness,
)
from unfooled.models.encoders.text_cnn import TextCNN, TextCNNConfig
from unfooled.tokens import encode

TOKENS = make_tokens((5, 3, 7), (0, 1, 2))


@pytest.mark.parametrize("kind", ["bert", "roberta", "albert", "electra"])
def test_layers_are_those_of_the_encoder(kind: str) -> None:
    network = tiny_network(kind).train(False)
    with torch.no_grad():
        found = layers(network, TOKENS)
        known = network(input_ids=TOKENS.ids, attention_mask=TOKENS.mask.long(), output_hidden_states=True)
    assert len(found) == len(known.hidden_states) == 3
    for one, other in zip(found, known.hidden_states, strict=True):
        torch.testing.assert_close(one, other)


def test_a_perturbation_is_added_to_the_lookup() -> None:
    network = tiny_network("bert").train(False)
    delta = 0.1 * torch.randn(*TOKENS.ids.shape, 32, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        found = layers(network, TOKENS, delta)
        embedded = network.get_input_embeddings()(TOKENS.ids) + delta
        known = network.base_model(
            inputs_embeds=embedded, attention_mask=TOKENS.mask.long(), output_hidden_states=True
        ).hidden_states
    torch.testing.assert_close(found[-1], known[-1])
    assert not torch.allclose(found[-1], layers(network, TOKENS)[-1], atol=1e-3)


def test_a_network_without_layers_says_so() -> None:
    network = TextCNN(TextCNNConfig(vocab_size=30, embedding_width=8))
    assert not has_layers(network) and has_layers(tiny_network("bert"))
    with pytest.raises(BadInput, match="TextCNN has no layers of token states"):
        layers(network, TOKENS)


def test_pooling_leaves_padding_out() -> None:
    states = torch.randn(3, 7, 4, generator=torch.Generator().manual_seed(0), dtype=torch.double)
    mean = pooled(states, TOKENS.mask, "mean")
    for row, length in enumerate((5, 3, 7)):
        expected = [sum(float(states[row, place, entry]) for place in range(length)) / length for entry in range(4)]
        assert mean[row].tolist() == pytest.approx(expected, abs=1e-12)
    assert torch.equal(pooled(states, TOKENS.mask, "cls"), states[:, 0])


def test_content_is_what_is_neither_padding_nor_special() -> None:
    words = content(TOKENS, [int(TOKENS.ids[0, 0]), int(TOKENS.ids[2, 6]), 0])
    expected = TOKENS.mask & (TOKENS.ids != TOKENS.ids[0, 0]) & (TOKENS.ids != TOKENS.ids[2, 6])
    assert torch.equal(words, expected) and not bool(words[0, 0])


def slow_bert_score(one: list[np.ndarray], other: list[np.ndarray]) -> float:
    def cosine(a: np.ndarray, b: np.ndarray) -> float:
        return float(a @ b / np.sqrt((a @ a) * (b @ b)))

    recall = sum(max(cosine(a, b) for b in other) for a in one) / len(one)
    precision = sum(max(cosine(a, b) for a in one) for b in other) / len(other)
    return 2 * precision * recall / (precision + recall)


def test_bert_score_is_its_formula_in_loops() -> None:
    random = torch.Generator().manual_seed(3)
    one, other = (torch.randn(4, 6, 5, generator=random, dtype=torch.double) + 0.5 for _ in range(2))
    first = torch.tensor([[0, 1, 1, 1, 0, 0], [0, 1, 0, 0, 0, 0], [0, 1, 1, 1, 1, 0], [1] * 6], dtype=torch.bool)
    second = torch.tensor([[0, 1, 1, 0, 0, 0], [0, 1, 1, 1, 1, 0], [0, 0, 1, 0, 0, 0], [1] * 6], dtype=torch.bool)
    found = bert_score(one, first, other, second)
    for row in range(4):
        kept = [
            [states[row, place].numpy() for place in range(6) if mask[row, place]]
            for states, mask in ((one, first), (other, second))
        ]
        assert float(found[row]) == pytest.approx(slow_bert_score(*kept), abs=1e-12)
    torch.testing.assert_close(bert_score(other, second, one, first), found)
    torch.testing.assert_close(bert_score(one, first, one, first), torch.ones(4, dtype=torch.double))


def test_a_text_without_words_is_like_nothing() -> None:
    states, none = torch.randn(2, 3, 4), torch.zeros(2, 3, dtype=torch.bool)
    assert bert_score(states, none, states, ~none).tolist() == bert_score(states, none, states, none).tolist() == [0, 0]


def test_alikeness_compares_rows_of_a_batch() -> None:
    states = torch.randn(3, 7, 4, generator=torch.Generator().manual_seed(1))
    one, other = torch.tensor([0, 1, 2]), torch.tensor([1, 1, 0])
    for pooling in ("cls", "mean"):
        vectors = pooled(states.double(), TOKENS.mask, pooling).numpy()
        found = alikeness(pooling, states, TOKENS.mask, TOKENS.mask, one, other)
        expected = [
            vectors[a] @ vectors[b] / np.linalg.norm(vectors[a]) / np.linalg.norm(vectors[b])
            for a, b in zip(one, other, strict=True)
        ]
        assert found.tolist() == pytest.approx(expected, abs=1e-9) and float(found[1]) == pytest.approx(1)
    scores = alikeness("bertscore", states, TOKENS.mask, TOKENS.mask, one, other)
    fine = states.double()
    assert torch.equal(scores, bert_score(fine[one], TOKENS.mask[one], fine[other], TOKENS.mask[other]))


def test_triples_are_compared_layer_by_layer_and_equal_texts_are_equally_near(tmp_path: Path) -> None:
    folder = save_encoder(tmp_path)
    network, tokenizer = AutoModel.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    triples = [("a good film", "a fine film", "a bad film"), ("the plot was dull", "the plot was dull", "a bad film")]
    network.train()  # dropout must not matter
    found = triple_likeness(network, tokenizer, triples, 32)
    assert found == triple_likeness(network, tokenizer, triples, 32) and network.training
    network.train(False)
    tokens = encode(tokenizer, [text for triple in triples for text in triple], 32).pad(range(6))
    words = content(tokens, tokenizer.all_special_ids)
    with torch.no_grad():
        states = layers(network, tokens)[1:]
    for row, by_comparison in enumerate(found):
        assert len(by_comparison) == len(POOLINGS)
        for pooling, by_layer in zip(POOLINGS, by_comparison, strict=True):
            for layer, pair in zip(states, by_layer, strict=True):
                first, others = torch.tensor([3 * row] * 2), torch.tensor([3 * row + 1, 3 * row + 2])
                expected = alikeness(pooling, layer, tokens.mask, words, first, others).tolist()
                assert pair == pytest.approx(expected, abs=1e-5)
    assert all(pair[0] == pytest.approx(1) and pair[0] > pair[1] for by_layer in found[1] for pair in by_layer)
