"""Somebody's own network and tokenizer, prepared as ``uf.train`` prepares its own."""

from pathlib import Path

import pytest
import torch
from exchange_ground import NAMES, save_neighbours, tiny_model
from tiny import GOOD, reviews

import unfooled as uf

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
    _, same = uf.prepare(own.classifier.network, own.tokenizer, [(text, text) for text in TEXTS], "freelb")
    assert same is own.tokenizer
    pairs = uf.prepare(
        own.classifier.network, own.tokenizer, [(text, text) for text in TEXTS], uf.WorstWords(sources=("near",))
    )
    assert len(pairs[1]) == before + 1 and len(NAMES) == pairs[0].config.num_labels
