"""Every evaluated text is counted once, whatever else is computed of it."""

import numpy as np
import pytest
import torch
from transformers import EvalPrediction

from unfooled.loops.confusion import CountedMetrics, classes_of

LOGITS = np.array([[2.0, 1.0, 0.0], [0.0, 1.0, 0.5], [0.0, 0.0, 3.0], [0.0, 0.0, 3.0]])
RIGHT = np.array([0, 2, 2, 2])


@pytest.mark.parametrize("said", [LOGITS, LOGITS.argmax(1), (LOGITS, "hidden states"), torch.tensor(LOGITS)])
def test_logits_or_classes_are_counted(said: object) -> None:
    counted = CountedMetrics(None, 3)
    assert counted(EvalPrediction(said, RIGHT)) == {}
    assert counted(EvalPrediction(said, RIGHT), compute_result=True) == {} if counted.own else True
    found = counted.evaluation({"eval_loss": 0.5, "note": "x"})
    assert found.confusion is not None and found.confusion.tolist() == [[1, 0, 0], [0, 0, 0], [0, 1, 2]]
    assert found.scores == {"eval_loss": 0.5}


def test_batches_add_up_and_metrics_of_ones_own_are_computed() -> None:
    counted = CountedMetrics(lambda prediction, compute_result: {"n": len(prediction.label_ids)}, 3)
    first = counted(EvalPrediction(LOGITS[:2], RIGHT[:2]), compute_result=False)
    counted(EvalPrediction(LOGITS[2:], RIGHT[2:]), compute_result=True)
    assert first == {"n": 2} and int(counted.counts.sum()) == 4


def test_what_says_no_class_has_no_confusion() -> None:
    counted = CountedMetrics(None, 2)
    counted(EvalPrediction(np.array([[0.5], [0.1]]), np.array([1.0, 0.0])))
    assert counted.evaluation({}).confusion is None and classes_of(np.array([0.5])) is None
