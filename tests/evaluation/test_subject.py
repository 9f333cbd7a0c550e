import numpy as np
import pytest
from attack_ground import tiny_model
from tiny import reviews

from unfooled.errors import BadInput
from unfooled.evaluation.subject import Subject, answering, subject_of
from unfooled.models import TextModel, probabilities

TEXTS = [(text,) for text, _ in reviews(13)]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> TextModel:
    return tiny_model(tmp_path_factory.mktemp("subject"))


def test_answers_are_the_models_in_the_order_of_the_texts(model: TextModel) -> None:
    for batch in (1, 4, 64):
        found = answering(subject_of(model), batch)(TEXTS)
        np.testing.assert_allclose(found, probabilities(model, TEXTS), atol=1e-6)


def test_a_model_is_known_by_name_hash_and_labels(model: TextModel) -> None:
    subject = subject_of(model)
    assert (subject.name, subject.hash, subject.labels) == (model.name, model.fingerprint(), model.labels)
    assert subject.network is model and subject_of(subject) is subject


def test_a_callable_is_asked_in_batches_of_like_length() -> None:
    sizes: list[list[int]] = []

    def call(texts: list[str]) -> list[list[float]]:
        sizes.append([len(text) for text in texts])
        return [[0.25, 0.75] if "good" in text else [0.5, 0.5] for text in texts]

    found = answering(Subject("x", "", ("no", "yes"), None, call), 5)(TEXTS)
    assert [row[1] == 0.75 for row in found] == ["good" in text[0] for text in TEXTS]
    asked = sizes[1:]  # the first call tries it out
    assert [len(some) for some in asked] == [5, 5, 3]
    assert [size for some in asked for size in some] == sorted((len(text[0]) for text in TEXTS), reverse=True)


def test_what_is_only_asked_cannot_be_looked_into() -> None:
    subject = Subject("mine", "", ("no", "yes"), None, lambda texts: np.full((len(texts), 3), 1 / 3))
    with pytest.raises(BadInput, match="mine is no network that can be looked into"):
        _ = subject.network
    with pytest.raises(BadInput, match=r"answers with 3 classes but has 2 names for them \(no, yes\)"):
        answering(subject, 4)(TEXTS)
