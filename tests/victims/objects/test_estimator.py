"""Whatever predicts classes of texts is a victim, by its own names for them."""

from typing import Any

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
from tiny import reviews

import unfooled as uf
from unfooled.data.splits import Split
from unfooled.errors import BadInput
from unfooled.victims import open_victim
from unfooled.victims.objects.estimator import ESTIMATOR


def fitted(last: Any) -> Any:
    texts, labels = zip(*reviews(40), strict=True)
    return make_pipeline(TfidfVectorizer(), last).fit(texts, labels)


def test_a_pipeline_with_probabilities_is_asked_for_them() -> None:
    model = fitted(LogisticRegression())
    victim = open_victim(model)
    assert (victim.name, victim.labels) == ("TfidfVectorizer + LogisticRegression", ("negative", "positive"))
    texts = ["the film was good", "a dull plot"]
    assert np.allclose(victim.answer([(text,) for text in texts]), model.predict_proba(texts))
    assert not victim.hash and not victim.labels_only and not victim.logits


def test_one_that_predicts_alone_says_labels_and_falls_to_an_attack_that_needs_no_more() -> None:
    victim = open_victim(fitted(LinearSVC()))
    assert victim.labels_only and victim.answer([("a dull plot",)]).tolist() == [[1.0, 0.0]]
    data = Split([("the film was good",), ("a dull plot",)], [1, 0])
    assert {record.outcome for record in uf.attack(victim, data, "random").records} <= {"fooled", "held"}


def test_other_names_are_refused_and_missing_ones_taken() -> None:
    with pytest.raises(BadInput, match="answers with negative, positive, not with a, b; leave labels out"):
        open_victim(fitted(LogisticRegression()), ["a", "b"])

    class Bare:
        def predict_proba(self, texts: list[str]) -> np.ndarray:
            return np.full((len(texts), 2), 0.5)

    assert open_victim(Bare(), ["a", "b"]).labels == ("a", "b")
    assert ESTIMATOR.takes(Bare()) and not ESTIMATOR.takes(Bare) and not ESTIMATOR.takes("text")


def test_a_model_of_vectors_is_said_to_fail_on_texts() -> None:
    model = LogisticRegression().fit(np.eye(2), ["a", "b"])
    with pytest.raises(BadInput, match="fails on the first text .ValueError"):
        open_victim(model).tried(("a text",))
