from pathlib import Path

import numpy as np
import torch

from tiny import reviews, save_encoder
from unfooled.models import ModelSettings, build, probabilities


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
