from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from tiny import reviews, save_encoder

from unfooled.heads import HEADS
from unfooled.models import ModelSettings, build, probabilities
from unfooled.models.encoders.predict import answers
from unfooled.tokens import encode


def test_the_order_and_the_batch_do_not_matter(tmp_path: Path) -> None:
    model = build(ModelSettings(name=str(save_encoder(tmp_path, dropout=0.5))), ["a", "b"], seed=0)
    model.classifier.train()
    texts = [(text,) for text, _ in reviews(30)]
    whole = probabilities(model, texts, batch_size=7)
    assert model.classifier.training
    assert np.allclose(whole.sum(axis=1), 1)
    for place, text in enumerate(texts):
        assert np.allclose(probabilities(model, [text])[0], whole[place], atol=1e-6)
    assert probabilities(model, []).shape == (0, 2)


def test_pairs_are_read_as_pairs(tmp_path: Path) -> None:
    model = build(ModelSettings(name=str(save_encoder(tmp_path, dropout=0.0))), ["a", "b"], seed=0)
    pair = probabilities(model, [("good film", "bad film")])
    ids = model.tokenizer("good film", "bad film", return_tensors="pt")
    with torch.no_grad():
        expected = model.classifier.network.eval()(**ids).logits.softmax(1)
    assert np.allclose(pair, expected.numpy(), atol=1e-6)
    assert not np.allclose(pair, probabilities(model, [("bad film", "good film")]))


def test_answers_are_what_is_read_off_the_plain_logits(tmp_path: Path) -> None:
    encoder = str(save_encoder(tmp_path, dropout=0.0))
    texts = [(text,) for text, _ in reviews(9)]
    for kind, labels in (("multilabel", ["a", "b", "c"]), ("regression", ["score"])):
        model = build(ModelSettings(name=encoder), labels, 0, HEADS[kind])
        encoded = encode(model.tokenizer, texts, model.max_length)
        found = answers(model, encoded, 4, read=lambda logits, rows: logits.sigmoid())
        plain = answers(model, encoded, 4)
        for place, (text,) in enumerate(texts):
            with torch.no_grad():
                logits = model.classifier.network.eval()(**model.tokenizer(text, return_tensors="pt")).logits[0]
            assert np.allclose(found[place], logits.sigmoid(), atol=1e-6)
            assert np.allclose(plain[place], logits, atol=1e-6)


@pytest.mark.parametrize("batch_size", [1, 3, 64])
def test_answers_stand_in_the_order_of_the_texts(tmp_path: Path, batch_size: int) -> None:
    model = build(ModelSettings(name=str(save_encoder(tmp_path / "encoder"))), ("a", "b", "c"), 0)
    texts = ["the film", "a very good story and it was warm", "dull", "the plot of the film is bad"]
    found = answers(model, encode(model.tokenizer, texts, 32), batch_size)
    model.classifier.train(False)
    for row, text in enumerate(texts):
        given = model.tokenizer(text, return_tensors="pt")
        with torch.no_grad():
            expected = model.classifier.network(**given).logits[0].double()
        assert torch.allclose(found[row], expected, atol=1e-6)


def test_two_processes_share_a_split_out(tmp_path: Path) -> None:
    model = build(ModelSettings(name=str(save_encoder(tmp_path / "encoder"))), ("a", "b"), 0)
    encoded = encode(model.tokenizer, ["the film", "a good story", "dull", "it is bad"], 32)
    whole = answers(model, encoded, 1)
    shares = [SimpleNamespace(rank=rank, count=2, add_up=lambda values: values) for rank in range(2)]
    parts = [answers(model, encoded, 1, share) for share in shares]
    assert all((part == 0).all(dim=1).sum() == 2 for part in parts)
    assert torch.equal(parts[0] + parts[1], whole)
