"""Somebody's own network and tokenizer, prepared as ``uf.train`` prepares its own."""

from pathlib import Path
from typing import Any

import pytest
import torch
from exchange_ground import NAMES, save_neighbours, tiny_model
from tiny import GOOD, reviews, save_reviews

import unfooled as uf
from unfooled.models.encoders.more_words import WORDS
from unfooled.models.encoders.pretrained import load

TEXTS = [text for text, _ in reviews(32)]


@pytest.fixture(autouse=True)
def near(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = dict.fromkeys(GOOD, ("zestful",))
    monkeypatch.setenv("UNFOOLED_DATA", str(save_neighbours(tmp_path / "data", table)))


def test_it_is_what_training_begins_with(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    method = uf.WorstWords(sources=("near", "typos"))
    ours = method.prepared(tiny_model(tmp_path), [(text,) for text in TEXTS])
    own = tiny_model(tmp_path)
    network, tokenizer = uf.prepare(own.classifier.network, own.tokenizer, TEXTS, method)
    assert network is own.classifier.network
    assert tokenizer.get_vocab() == ours.tokenizer.get_vocab() and "zestful" in tokenizer.get_vocab()
    theirs = network.state_dict()
    assert all(torch.equal(theirs[name], value) for name, value in ours.classifier.network.state_dict().items())
    assert "become whole words" in capsys.readouterr().err


def test_pairs_are_tuples_and_methods_that_add_nothing_change_nothing(tmp_path: Path) -> None:
    own = tiny_model(tmp_path)
    before = len(own.tokenizer)
    _, same = uf.prepare(own.classifier.network, own.tokenizer, [(text, "the plot") for text in TEXTS], "freelb")
    assert same is own.tokenizer
    pairs = uf.prepare(
        own.classifier.network, own.tokenizer, [(text, "the plot") for text in TEXTS], uf.WorstWords(sources=("near",))
    )
    assert len(pairs[1]) == before + 1 and len(NAMES) == pairs[0].config.num_labels


def test_training_begins_with_it_and_keeps_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tiny_model(tmp_path)
    data = save_reviews(tmp_path / "reviews.csv", 32)
    model = {"name": str(tmp_path / "encoder"), "max_length": 16}
    run = uf.train(str(data), tmp_path / "run", model, uf.WorstWords(sources=("near",)), {"max_steps": 2})
    saved = load(str(run.model))
    assert "zestful" in saved.tokenizer.get_vocab() and saved.classifier.network.config.to_dict()[WORDS] == 1
    assert "become whole words" in capsys.readouterr().err
    again = uf.train(
        str(data), tmp_path / "off", model, uf.WorstWords(sources=("near",), whole_words=False), {"max_steps": 2}
    )
    assert "zestful" not in load(str(again.model)).tokenizer.get_vocab()


@pytest.mark.parametrize("prepared", [True, False])
def test_a_loop_of_ones_own_says_where_words_stay_in_pieces(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], prepared: bool
) -> None:
    own = tiny_model(tmp_path)
    network, tokenizer, method = own.classifier.network, own.tokenizer, uf.WorstWords(sources=("near",))
    if prepared:
        network, tokenizer = uf.prepare(network, tokenizer, TEXTS, method)
    labels = [NAMES.index(label) for _, label in reviews(32)]
    uf.robust(network, tokenizer, TEXTS, labels, method, steps=4)
    assert ("read in pieces" in capsys.readouterr().err) is not prepared


@pytest.mark.parametrize("texts", ["a good film", [], [None], [()]])
def test_what_are_no_texts_is_refused(tmp_path: Path, texts: Any) -> None:
    own = tiny_model(tmp_path)
    with pytest.raises(uf.BadInput, match="training texts"):
        uf.prepare(own.classifier.network, own.tokenizer, texts)


def test_a_tokenizer_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    own = tiny_model(tmp_path)
    with pytest.raises(uf.BadInput, match="tokenizer"):
        uf.prepare(own.classifier.network, None, TEXTS)
    own.tokenizer.add_tokens(["covid"])
    with pytest.raises(uf.BadInput, match="numbers its words up to"):
        uf.prepare(own.classifier.network, own.tokenizer, TEXTS)
