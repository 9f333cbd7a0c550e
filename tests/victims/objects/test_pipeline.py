"""A pipeline of transformers in hand answers as it does by itself."""

from typing import Any

import numpy as np
import pytest
from attack_ground import save_ground
from transformers import TextClassificationPipeline, pipeline

from unfooled.errors import BadInput
from unfooled.types import Texts
from unfooled.victims import open_victim
from unfooled.victims.objects.pipeline import PIPELINE

TEXTS: list[Texts] = [("the film was good",), ("a dull story",)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(save_ground(tmp_path_factory.mktemp("pipeline"), count=4) / "model")


def by_itself(classify: Any, texts: list[Texts], labels: tuple[str, ...]) -> np.ndarray:
    asked = [text[0] if len(text) == 1 else dict(zip(("text", "text_pair"), text, strict=True)) for text in texts]
    rows = [{one["label"]: one["score"] for one in row} for row in classify(asked, top_k=None)]
    return np.array([[row[label] for label in labels] for row in rows])


def test_a_pipeline_and_its_victim_agree_on_texts_and_pairs(folder: str) -> None:
    classify = pipeline("text-classification", folder, truncation=True, max_length=6)
    victim = open_victim(classify)
    assert victim.max_length == 6 and victim.slopes is not None and victim.hash == open_victim(folder).hash
    long = [*TEXTS, ("the film was very good and the story was quite lovely",)]
    assert np.allclose(victim.answer(long), by_itself(classify, long, victim.labels), atol=1e-6)
    pairs = [("the film", "was good"), ("a dull", "story")]
    assert np.allclose(victim.answer(pairs), by_itself(classify, pairs, victim.labels), atol=1e-6)


class Shouting(TextClassificationPipeline):
    """A pipeline that does more than its network: it forgets half of what it reads."""

    def preprocess(self, inputs: Any, **options: Any) -> Any:
        return super().preprocess(inputs[: len(inputs) // 2], **options)


def test_a_pipeline_of_ones_own_is_called_as_it_is(folder: str) -> None:
    given = pipeline("text-classification", folder)
    classify = Shouting(model=given.model, tokenizer=given.tokenizer)
    victim = open_victim(classify)
    assert victim.name == "Shouting" and victim.slopes is None
    halves = [(text[: len(text) // 2],) for (text,) in TEXTS]
    assert np.allclose(victim.answer(TEXTS), by_itself(given, halves, victim.labels), atol=1e-6)


def test_a_pipeline_of_another_task_is_refused(folder: str) -> None:
    extract = pipeline("feature-extraction", folder)
    with pytest.raises(BadInput, match='a pipeline for feature-extraction; give one for "text-classification"'):
        open_victim(extract)
    assert PIPELINE.takes(extract) and not PIPELINE.takes(folder)
