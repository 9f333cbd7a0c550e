"""Hits of real and planted encoders."""

from types import SimpleNamespace

import pytest
import torch
from tiny import save_encoder
from torch import Tensor, nn
from transformers import AutoTokenizer

from unfooled.evaluation.hit_scores import HitRecord, hits_by
from unfooled.evaluation.hits import TRIPLES, hits
from unfooled.seeds import generator
from unfooled.text.triples import Triple

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
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> object:
    return AutoTokenizer.from_pretrained(save_encoder(tmp_path_factory.mktemp("encoder")))


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> nn.Module:
    from transformers import AutoModel

    return AutoModel.from_pretrained(save_encoder(tmp_path_factory.mktemp("bert")))


def by_index(found: list[HitRecord]) -> list[HitRecord]:
    return sorted(found, key=lambda record: record.index)


def test_random_vectors_hit_half_of_the_time(tokenizer: object) -> None:
    found = list(hits(Random(), tokenizer, made(600)))
    for pooling in ("cls", "mean", "bertscore"):
        for score in hits_by(found, pooling).by_layer:
            assert score.value == pytest.approx(0.5, abs=0.07)


def test_equal_versions_never_hit(bert: nn.Module, tokenizer: object) -> None:
    same = [Triple(one.index, one.original, one.synonym, one.synonym) for one in made(60)]
    found = list(hits(bert, tokenizer, same))
    assert all(hits_by(found, pooling).best.value == 0.0 for pooling in ("cls", "mean", "bertscore"))


def test_a_version_that_is_the_text_itself_always_hits(bert: nn.Module, tokenizer: object) -> None:
    some = [
        Triple(one.index, one.original, one.original, one.antonym) for one in made(60) if one.antonym != one.original
    ]
    found = list(hits(bert, tokenizer, some))
    assert all(score.value == 1.0 for score in hits_by(found, "bertscore").by_layer)
    assert all(score.value == 1.0 for score in hits_by(found, "mean").by_layer)


def test_likenesses_are_those_of_the_network_asked_alone(bert: nn.Module, tokenizer: object) -> None:
    triples = made(5)
    for record in by_index(list(hits(bert, tokenizer, triples))):
        vectors = []
        for text in (record.original, record.synonym, record.antonym):
            given = tokenizer(text, return_tensors="pt")  # type: ignore[operator]
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


def test_a_resumed_run_makes_the_records_of_an_unbroken_one(bert: nn.Module, tokenizer: object) -> None:
    triples = made(TRIPLES * 2 + 5)
    whole = by_index(list(hits(bert, tokenizer, triples)))
    done = set(range(0, len(triples), 3))
    rest = by_index(list(hits(bert, tokenizer, triples, done=done)))
    assert rest == [record for record in whole if record.index not in done]
    assert [record.text for record in whole] == [triple.index for triple in triples]


def test_the_network_is_asked_without_dropout_and_left_as_it_was(bert: nn.Module, tokenizer: object) -> None:
    bert.train()
    first, second = list(hits(bert, tokenizer, made(4))), list(hits(bert, tokenizer, made(4)))
    assert first == second and bert.training
