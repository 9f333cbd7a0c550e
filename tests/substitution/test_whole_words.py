"""Candidates that are read whole: as what they may stand for, by the training texts and the lists alone."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from exchange_ground import learnt_model, save_neighbours, tiny_model
from support_text import byte_tokenizer, piece_tokenizer
from tiny import BAD, GOOD, reviews

from unfooled.models.encoders.pretrained import TextModel
from unfooled.substitution.whole_words import mean, meanings, normal_form, read_whole, stands_for
from unfooled.text.document import read

# Words that no text has, each near to all words of one kind.
SUNNY, GLOOMY = ("zestful", "rosy", "blithe"), ("drab", "dreary", "bleak")
NEAR = {**dict.fromkeys(GOOD, SUNNY), **dict.fromkeys(BAD, GLOOMY)}
TEXTS = [(text,) for text, _ in reviews(64)]


@pytest.fixture
def near(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNFOOLED_DATA", str(save_neighbours(tmp_path / "data", NEAR)))


def vector(*numbers: float) -> torch.Tensor:
    return torch.tensor(numbers, dtype=torch.float64)


def test_a_candidate_is_the_mean_of_what_it_may_stand_for_at_their_mean_length() -> None:
    known = {"good": vector(3, 0), "fine": vector(0, 1)}
    sought = mean(Counter({"good": 3, "fine": 1, "unheard": 9}), known)
    assert sought is not None
    assert torch.allclose(sought, vector(9, 1) / vector(9, 1).norm() * (0.75 * 3 + 0.25 * 1))
    assert mean(Counter({"unheard": 9}), known) is None


def test_a_known_word_keeps_as_much_of_its_own_as_the_texts_have_it() -> None:
    known = {"good": vector(1, 0), "rare": vector(0, 2)}
    standing = {"rare": Counter({"good": 1})}
    assert meanings(standing, {"good": 9, "rare": 2}, known, moved=0) == {}
    [(word, own)] = meanings(standing, {"good": 9, "rare": 2}, known, moved=6).items()
    assert word == "rare"
    assert torch.allclose(own, vector(6, 12) / vector(6, 12).norm() * 2)  # (2 + 4) · (0, 2) + 6 · (1, 0)


def test_a_candidate_of_words_in_pieces_is_read_by_what_those_may_stand_for() -> None:
    standing = {"cut": Counter({"good": 1}), "further": Counter({"cut": 1}), "nowhere": Counter({"unheard": 1})}
    made = meanings(standing, {}, {"good": vector(1, 0)}, moved=0)
    assert sorted(made) == ["cut", "further"] and torch.allclose(made["further"], vector(1, 0))


def test_what_may_stand_for_what_is_counted_as_the_tokenizer_reads_it(near: None) -> None:
    texts = [("Good and good .",), ("a fine good-natured plot",)]
    rows = [tuple(read(text) for text in row) for row in texts]
    standing, counts = stands_for(rows, ["near"], normal_form(piece_tokenizer()))
    assert set(standing) == set(SUNNY)
    assert all(own == {"good": 2, "fine": 1} for own in standing.values())
    assert counts["good"] == 2 and "good-natured" not in counts


def test_words_that_are_not_read_or_that_both_texts_of_a_pair_have_are_not_counted(near: None, tmp_path: Path) -> None:
    model = replace(tiny_model(tmp_path), max_length=8)
    late = ("the film was " * 9 + "good",)
    assert "zestful" not in read_whole(model, [late], ("near",)).tokenizer.get_vocab()
    shared = ("a good film", "the good plot")
    assert "zestful" not in read_whole(tiny_model(tmp_path), [shared], ("near",)).tokenizer.get_vocab()
    assert "zestful" in read_whole(model, [("a good film", "the plot")], ("near",)).tokenizer.get_vocab()


def test_a_network_that_never_met_them_reads_candidates_as_their_words(near: None, tmp_path: Path) -> None:
    before = learnt_model(tmp_path)
    model = read_whole(before, TEXTS, ("near", "typos"))
    assert len(model.tokenizer) == len(before.tokenizer) + len(SUNNY) + len(GLOOMY)
    sentences = [f"the film was {word} and {word}" for word in (*SUNNY, *GLOOMY)]
    right = [1] * len(SUNNY) + [0] * len(GLOOMY)

    def said(one: TextModel) -> list[int]:
        with torch.no_grad():
            inputs = one.tokenizer(sentences, padding=True, return_tensors="pt")
            return one.classifier.network(**inputs).logits.argmax(1).tolist()

    assert said(before) != right and said(model) == right
    assert model.notes[-1].startswith("6 candidates")
    common = before.classifier.table.shape[0]
    assert torch.equal(model.classifier.table[:common], before.classifier.table)


def test_known_candidates_are_moved_where_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNFOOLED_DATA", str(save_neighbours(tmp_path / "data", {"good": ("fine",)})))
    texts = [("the film was good",)] * 3
    table = tiny_model(tmp_path).classifier.table
    model = read_whole(tiny_model(tmp_path), texts, ("near",), moved=4.0)
    place, other = (model.tokenizer.get_vocab()[word] for word in ("fine", "good"))
    half = table[place] + table[other]
    assert torch.allclose(model.classifier.table[place], half / half.norm() * table[place].norm())
    assert "and 1 others are moved" in model.notes[-1]


def test_known_words_are_moved_alone_where_none_is_to_become_whole(near: None, tmp_path: Path) -> None:
    before = tiny_model(tmp_path)
    assert read_whole(before, TEXTS, ("near",), whole=False) is before
    assert read_whole(before, TEXTS, ("near",), whole=False, moved=1.0).tokenizer is before.tokenizer


def test_the_same_bits_every_time(near: None, tmp_path: Path) -> None:
    one, two = (read_whole(tiny_model(tmp_path), TEXTS, ("near",)) for _ in range(2))
    assert one.fingerprint() == two.fingerprint() != tiny_model(tmp_path).fingerprint()


@pytest.mark.parametrize("sources", [("typos",), ("mask", "typos")])
def test_without_lists_the_model_stays(tmp_path: Path, sources: tuple[str, ...]) -> None:
    model = tiny_model(tmp_path)
    assert read_whole(model, TEXTS, sources) is model


def test_texts_of_another_language_stay(tmp_path: Path) -> None:
    model = tiny_model(tmp_path)
    german = [("der film ist wirklich ganz wunderbar und sehr lustig geworden",)] * 8
    assert read_whole(model, german, ("wordnet", "any_sense")) is model


def test_a_tokenizer_that_looks_nothing_up_is_said(near: None, tmp_path: Path) -> None:
    tiny = tiny_model(tmp_path)
    model = TextModel(tiny.classifier, byte_tokenizer(), tiny.labels, 32, "merging")
    told = read_whole(model, TEXTS, ("near",))
    assert told.tokenizer is model.tokenizer and "WordPiece" in told.notes[-1]
