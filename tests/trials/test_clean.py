"""The texts as they are: a network's own answers, and numbers that scikit-learn gives too."""

import math

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, confusion_matrix, matthews_corrcoef
from transformers import BertTokenizerFast
from trial_ground import by_part, in_order, only_asked, pairs_of, ran

from unfooled.errors import BadInput
from unfooled.models import TextModel
from unfooled.trials.answers import ANSWERS
from unfooled.trials.clean import CLEAN, METRICS, CleanRecord, accuracy, confusion, matthews_correlation
from unfooled.trials.trial import Question
from victims import examples, linear


def planted(count: int, classes: int = 3, seed: int = 0) -> list[CleanRecord]:
    random = np.random.default_rng(seed)
    rows = random.integers(0, classes, (count, 2)).tolist()
    return [CleanRecord(index, *row, float(random.random()), 0.5) for index, row in enumerate(rows)]


def test_records_are_the_networks_own_answers(bert: TextModel) -> None:
    texts, labels = examples(20, 3)
    records = in_order(CLEAN, bert, pairs_of(texts, labels), batch_size=6)
    assert [record.index for record in records] == list(range(20))
    assert [record.label for record in records] == labels
    bert.classifier.eval()
    for text, record in zip(texts, records, strict=True):
        inputs = bert.tokenizer(text[0], return_tensors="pt")
        logits = bert.classifier.network(**inputs).logits[0].detach().double()
        assert record.prediction == int(logits.argmax())
        assert record.confidence == pytest.approx(float(logits.softmax(0)[record.label]), abs=1e-6)
        assert record.loss == pytest.approx(-math.log(record.confidence), abs=1e-6)


def test_a_callable_is_asked_and_its_loss_is_that_of_its_probabilities() -> None:
    def answer(texts: list[tuple[str, ...]]) -> np.ndarray:
        return np.array([[0.25, 0.75] if "good" in text[0] else [1.0, 0.0] for text in texts])

    units = pairs_of([("good",), ("bad",), ("dull",)], [1, 0, 1])
    records = in_order(CLEAN, only_asked(answer), units)
    assert [(one.prediction, one.confidence) for one in records] == [(1, 0.75), (0, 1.0), (0, 0.0)]
    assert [one.loss for one in records] == pytest.approx([-math.log(0.75), 0.0, -math.log(1e-12)])
    assert in_order(CLEAN, only_asked(answer), units, done={0, 2}) == [records[1]]


def test_records_come_as_they_are_made_and_a_batch_done_in_part_is_computed_whole(bert: TextModel) -> None:
    units, sizes = pairs_of(*examples(30, 3)), list[int]()
    watch = bert.classifier.register_forward_pre_hook(lambda _, given: sizes.append(len(given[0].ids)))
    try:
        next(ran(CLEAN, bert, units, batch_size=10))
        assert sizes == [10]
        sizes.clear()
        # Other batch mates may change the last bits.
        assert [one.index for one in ran(CLEAN, bert, units, batch_size=30, done=range(29))] == [29]
        assert sizes == [30]
    finally:
        watch.remove()


def test_answers_that_are_not_finite_are_refused(tokenizer: BertTokenizerFast) -> None:
    with pytest.raises(BadInput, match="not finite"):
        list(ran(CLEAN, linear(tokenizer, lambda logits: logits * float("nan")), pairs_of(*examples(5, 2))))


def test_accuracy_and_confusion_are_those_of_scikit_learn() -> None:
    records = planted(200)
    labels, said = zip(*[(record.label, record.prediction) for record in records], strict=True)
    assert accuracy(records).value == accuracy_score(labels, said) and accuracy(records).n == 200
    assert confusion(records, 4) == confusion_matrix(labels, said, labels=[0, 1, 2, 3]).tolist()
    assert CLEAN.confusion is confusion
    assert CLEAN.facts(records, ("a", "b", "c")) == {"confusion": confusion(records, 3)}


def test_matthews_correlation_is_scikit_learns() -> None:
    draw = np.random.default_rng(3)
    truth, said = draw.choice(4, 60, p=[0.7, 0.2, 0.1, 0]), draw.choice(4, 60, p=[0.6, 0.1, 0.2, 0.1])
    records = [
        CleanRecord(row, int(true), int(own), 0.5, 0.1) for row, (true, own) in enumerate(zip(truth, said, strict=True))
    ]
    found = by_part(CLEAN.scores(records))["matthews", None]
    assert found.score.value == pytest.approx(matthews_corrcoef(truth, said)) and found.score.n == 60
    assert not found.detail and found.score.low < found.score.value < found.score.high
    assert found.score == matthews_correlation(records)


def test_rows_are_the_metrics_in_their_order_and_none_of_no_records() -> None:
    rows = CLEAN.scores(planted(30))
    assert [row.metric for row in rows] == list(METRICS) == ["accuracy", "mean_confidence", "matthews"]
    assert [(row.score.title, row.score.better) for row in rows] == [
        ("accuracy", "more"), ("confidence", ""), ("Matthews correlation", "more"),
    ]  # fmt: skip
    assert all((row.eps, row.part, row.detail) == (None, None, False) for row in rows)
    confidence = rows[1].score
    assert confidence.value == pytest.approx(np.mean([one.confidence for one in planted(30)]))
    assert 0 <= confidence.low <= confidence.high <= 1 and CLEAN.scores([]) == []


def test_each_example_answers_whether_it_is_right() -> None:
    records = planted(50)
    assert CLEAN.questions(records) == {
        Question("accuracy"): {one.index: one.prediction == one.label for one in records}
    }
    assert CLEAN.good is not None
    assert sum(map(CLEAN.good, records)) / 50 == accuracy(records).value
    assert CLEAN.elsewhere is ANSWERS and CLEAN.families(records) == {} and CLEAN.warnings(records) == {}
