from pathlib import Path

import numpy as np
import torch
from tiny import reviews, save_encoder

from unfooled.models import ModelSettings, build, probabilities
from unfooled.models.encoders.predict import chances, numbers


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


def test_labels_have_chances_of_their_own_and_numbers_are_plain_logits(tmp_path: Path) -> None:
    encoder = str(save_encoder(tmp_path, dropout=0.0))
    texts = [(text,) for text, _ in reviews(9)]
    for kind, labels, read in (("set", ["a", "b", "c"], chances), ("number", ["score"], numbers)):
        model = build(ModelSettings(name=encoder), labels, 0, kind)
        found = read(model, texts, 4)
        for place, (text,) in enumerate(texts):
            with torch.no_grad():
                logits = model.classifier.network.eval()(**model.tokenizer(text, return_tensors="pt")).logits[0]
            expected = logits.sigmoid().numpy() if kind == "set" else float(logits[0])
            assert np.allclose(found[place], expected, atol=1e-6)
