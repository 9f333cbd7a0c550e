"""Hits of real and planted encoders, and of planted records."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from tiny import save_encoder
from torch import Tensor, nn
from transformers import AutoModel, AutoTokenizer
from trial_ground import by_part, in_order, only_asked, ran

from unfooled.errors import BadInput
from unfooled.models import ModelSettings, build
from unfooled.scores.score import Score
from unfooled.seeds import generator
from unfooled.text.triples import Triple
from unfooled.trials.hits import COMPARISONS, HITS, TRIPLES, HitRecord, HitsSettings, best_hits, hits_by_layer
from unfooled.trials.inputs import Inputs
from unfooled.victims.victim import Victim

WORDS = ["good", "fine", "bad", "film", "plot", "story", "warm", "cold", "was", "the", "very"]


def made(count: int, seed: int = 0) -> list[Triple]:
    random = generator(seed, "triples")

    def text() -> str:
        return " ".join(
            WORDS[int(torch.randint(len(WORDS), (1,), generator=random))]
            for _ in range(int(torch.randint(2, 12, (1,), generator=random)))
        )

    return [Triple(place, text(), text(), text()) for place in range(count)]


class Random(nn.Module):
    """An encoder whose states are random numbers, a function of all tokens of a text."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(1, 1)

    @property
    def base_model(self) -> nn.Module:
        return self

    def get_input_embeddings(self) -> nn.Module:
        return self.table

    def forward(self, input_ids: Tensor, attention_mask: Tensor, output_hidden_states: bool) -> SimpleNamespace:
        rows = [
            torch.randn(3, input_ids.shape[1], 8, generator=generator(0, *row[mask.bool()].tolist()))
            for row, mask in zip(input_ids, attention_mask, strict=True)
        ]
        return SimpleNamespace(hidden_states=list(torch.stack(rows, dim=1)))


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(save_encoder(tmp_path_factory.mktemp("encoder")))


@pytest.fixture(scope="module")
def tokenizer(encoder: str) -> Any:
    return AutoTokenizer.from_pretrained(encoder)


@pytest.fixture(scope="module")
def bert(encoder: str) -> nn.Module:
    return AutoModel.from_pretrained(encoder)


def inside(network: nn.Module, tokenizer: Any) -> Victim:
    """A network that nobody asks for classes."""
    model = SimpleNamespace(classifier=SimpleNamespace(network=network), tokenizer=tokenizer, max_length=256)
    return Victim("planted", len, network=model)


def hits(network: nn.Module, tokenizer: Any, triples: list[Triple], **how: Any) -> list[HitRecord]:
    return in_order(HITS, inside(network, tokenizer), triples, **how)


def best(records: list[HitRecord], comparison: str) -> Score:
    return by_part(HITS.scores(records))["hits", comparison].score


def test_random_vectors_hit_half_of_the_time(tokenizer: Any) -> None:
    found = hits(Random(), tokenizer, made(600))
    for pooling in COMPARISONS:
        for score in hits_by_layer(found, pooling):
            assert score.value == pytest.approx(0.5, abs=0.07)


def test_equal_versions_never_hit(bert: nn.Module, tokenizer: Any) -> None:
    same = [Triple(one.index, one.original, one.synonym, one.synonym) for one in made(60)]
    found = hits(bert, tokenizer, same)
    assert all(best(found, pooling).value == 0.0 for pooling in COMPARISONS)


def test_a_version_that_is_the_text_itself_always_hits(bert: nn.Module, tokenizer: Any) -> None:
    some = [
        Triple(one.index, one.original, one.original, one.antonym) for one in made(60) if one.antonym != one.original
    ]
    found = hits(bert, tokenizer, some)
    assert all(score.value == 1.0 for score in hits_by_layer(found, "bertscore"))
    assert all(score.value == 1.0 for score in hits_by_layer(found, "mean"))


def test_likenesses_are_those_of_the_network_asked_alone(bert: nn.Module, tokenizer: Any) -> None:
    triples = made(5)
    for record in hits(bert, tokenizer, triples):
        vectors = []
        for text in (record.original, record.synonym, record.antonym):
            given = tokenizer(text, return_tensors="pt")
            with torch.no_grad():
                states = bert(**given, output_hidden_states=True).hidden_states[1:]
            vectors.append([(layer[0, 0], layer[0].mean(dim=0)) for layer in states])
        for layer in range(2):
            for pooling, place in (("cls", 0), ("mean", 1)):
                expected = [
                    float(torch.cosine_similarity(vectors[0][layer][place], vectors[side][layer][place], dim=0))
                    for side in (1, 2)
                ]
                assert getattr(record, pooling)[layer] == pytest.approx(expected, abs=1e-5)


def test_a_resumed_run_makes_the_records_of_an_unbroken_one(bert: nn.Module, tokenizer: Any) -> None:
    triples = made(TRIPLES * 2 + 5)
    whole = hits(bert, tokenizer, triples)
    done = set(range(0, len(triples), 3))
    rest = hits(bert, tokenizer, triples, done=done)
    assert rest == [record for record in whole if record.index not in done]
    assert [record.text for record in whole] == [triple.index for triple in triples]


def test_the_network_is_asked_without_dropout_and_left_as_it_was(bert: nn.Module, tokenizer: Any) -> None:
    bert.train()
    first, second = hits(bert, tokenizer, made(4)), hits(bert, tokenizer, made(4))
    assert first == second and bert.training


def test_records_come_as_their_batches_are_made(bert: nn.Module, tokenizer: Any) -> None:
    passes: list[int] = []
    watch = bert.register_forward_hook(lambda *_: passes.append(1))
    try:
        next(ran(HITS, inside(bert, tokenizer), made(TRIPLES * 2)))
        assert len(passes) == 1
    finally:
        watch.remove()


def records(near: np.ndarray) -> list[HitRecord]:
    """Records whose likenesses [n, layers, 2] are the same by every comparison."""
    rows = [tuple((float(a), float(b)) for a, b in own) for own in near]
    return [HitRecord(index, index, "o", "s", "a", row, row, row) for index, row in enumerate(rows)]


def test_hits_are_counted_layer_by_layer_and_the_best_is_named() -> None:
    near = np.array(
        [[[0.9, 0.1], [0.2, 0.8]], [[0.4, 0.5], [0.6, 0.5]], [[0.9, 0.8], [0.7, 0.1]], [[0.9, 0.8], [0.7, 0.9]]]
    )
    assert [score.value for score in hits_by_layer(records(near), "mean")] == [3 / 4, 2 / 4]
    found = best(records(near), "mean")
    assert (found.value, found.n) == (3 / 4, 4) and "by mean of layer 1, the best of 2 layers" in found.definition
    assert "the best of 2 layers on these triples" in found.definition
    rows = HITS.scores(records(near))
    assert [(row.metric, row.part, row.detail) for row in rows] == [
        *(("hits", comparison, False) for comparison in COMPARISONS),
        *(("hits_by_layer", f"{one}, layer {layer}", True) for one in COMPARISONS for layer in (1, 2)),
    ]
    assert all((row.score.title, row.score.better) == ("hits", "more") for row in rows)


def test_equal_likeness_is_no_hit() -> None:
    assert best(records(np.full((50, 3, 2), 0.7)), "cls").value == 0.0


def test_random_likenesses_hit_half_of_the_time() -> None:
    near = np.random.default_rng(0).normal(size=(20_000, 2, 2))
    for score in hits_by_layer(records(near), "bertscore"):
        assert score.value == pytest.approx(0.5, abs=0.015)


def test_of_equal_layers_the_first_is_the_best() -> None:
    assert "cls of layer 1, the best" in best(records(np.tile([0.9, 0.1], (5, 4, 1))), "cls").definition


def test_no_triples_are_unknown() -> None:
    found = best_hits(hits_by_layer([], "cls"))
    assert np.isnan(found.value) and (found.n, found.title) == (0, "hits")
    assert [row.metric for row in HITS.scores([])] == ["hits"] * 3


def test_comparisons_are_kept_apart() -> None:
    good, bad = ((0.9, 0.1),), ((0.1, 0.9),)
    one = [HitRecord(0, 0, "o", "s", "a", good, bad, good)]
    assert [best(one, comparison).value for comparison in COMPARISONS] == [1.0, 0.0, 1.0]


def test_triples_are_made_of_at_most_so_many_texts() -> None:
    inputs = Inputs([("An easy film.",), ("Of the",), ("A good film.",)], [0, 1, 0], {})
    assert [one.index for one in HITS.units(inputs, HitsSettings(), 0)] == [0, 2]
    assert len(HITS.units(inputs, HitsSettings(most=2), 0)) <= 2
    with pytest.raises(BadInput, match="there are no triples; leave hits out"):
        HITS.units(Inputs([("of the",)], [0], {}), HitsSettings(), 0)


def test_what_has_no_layers_cannot_be_looked_into(encoder: str, bert: nn.Module, tokenizer: Any) -> None:
    cnn = build(ModelSettings(name="textcnn", tokenizer=encoder), ("no", "yes"), seed=0)
    reason = HITS.unable(Victim("cnn", len, network=cnn), ())
    assert reason == "it looks into layers of token states, and cnn has none; leave it out for such models"
    assert HITS.unable(inside(bert, tokenizer), ()) is None
    assert "it looks into the network, and asked is only asked" in (HITS.unable(only_asked(len), ()) or "")
