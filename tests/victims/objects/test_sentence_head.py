"""A sentence encoder with a head over its vectors is one victim."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from tiny import reviews, save_encoder

from unfooled.victims import open_victim, several

sentence_transformers = pytest.importorskip("sentence_transformers")


@pytest.mark.filterwarnings("ignore")  # the other library's own
def test_the_head_reads_the_encoders_vectors(tmp_path: Path) -> None:
    folder = save_encoder(tmp_path / "encoder")
    encoder = sentence_transformers.SentenceTransformer(str(folder), device="cpu")  # with the mean over its tokens
    texts, labels = zip(*reviews(20), strict=True)
    head = LogisticRegression().fit(encoder.encode(list(texts), show_progress_bar=False), labels)
    assert several((encoder, head)) == [(encoder, head)]
    victim = open_victim((encoder, head))
    assert (victim.name, victim.labels) == ("SentenceTransformer + LogisticRegression", ("negative", "positive"))
    asked = ["the film was good", "a dull plot"]
    vectors = encoder.encode(asked, show_progress_bar=False)
    assert np.allclose(victim.answer([(text,) for text in asked]), head.predict_proba(vectors), atol=1e-6)
