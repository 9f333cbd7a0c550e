"""What is read off records of k-PGD: numbers that scikit-learn gives too, warnings, questions and a curve."""

import numpy as np
import pytest
import torch
from sklearn.metrics import accuracy_score
from transformers import BertTokenizerFast
from trial_ground import pairs_of, ran

from unfooled.models import TextModel
from unfooled.scores.intervals import proportion
from unfooled.trials.kept.climbs import PGDRecord, WorstPoint, at
from unfooled.trials.pgd import (
    METRICS,
    PGD,
    PGDSettings,
    accuracy_under_attack,
    attack_success,
    health,
    mean_cosine,
    mean_distance,
)
from unfooled.trials.trial import Question
from victims import Reversed, examples, linear


def planted(count: int, losses: tuple[float, ...] = (0.5, 0.6, 0.7), gradient: float = 1e-3) -> list[PGDRecord]:
    random = np.random.default_rng(0)
    records = []
    for index in range(count):
        label, before, after = (int(random.integers(3)) for _ in range(3))
        cosine, distance = float(random.uniform(-1, 1)), float(random.uniform(0, 5))
        hit = WorstPoint(0.1, after, 0.3, losses[-1], losses, cosine, distance, 0.1, 0)
        records.append(PGDRecord(index, label, before, 0.4, losses[0], gradient, (hit,)))
    return records


def point(eps: float, prediction: int = 1) -> WorstPoint:
    return WorstPoint(eps, prediction, 0.5, 0.7, (0.6, 0.7), 0.9, 1.0, eps, 0)


TWICE = PGDRecord(0, 1, 1, 0.5, 0.7, 1.0, (point(0.0), point(0.1, 0)))


def test_accuracies_are_those_of_scikit_learn() -> None:
    records = planted(200)
    labels, under = zip(*[(record.label, record.attack.prediction) for record in records], strict=True)
    assert accuracy_under_attack(at(records, 0.1)).value == accuracy_score(labels, under)
    assert accuracy_under_attack(at(records, 0.1)).n == 200


def test_attack_success_counts_only_what_was_right_before() -> None:
    records = planted(200)
    labels, before, after = np.array(
        [(record.label, record.prediction, record.attack.prediction) for record in records]
    ).T
    score = attack_success(at(records, 0.1))
    assert score.n == int((before == labels).sum())
    assert score.value == pytest.approx(float((after != labels)[before == labels].mean()))


def test_movement_is_told_beside_the_room_between_labels() -> None:
    sides = [(1.0, 0.0), (0.0, 1.0)]
    records = [
        PGDRecord(place, place % 2, 1, 0.5, 0.7, 1.0, (point(0.1), point(0.2)), sides[place % 2]) for place in range(6)
    ]
    rows = {(row.metric, row.eps): row.score.value for row in PGD.scores(records)}
    assert rows["same_label_cosine", None] == 1 and rows["other_label_cosine", None] == 0
    assert rows["movement_over_separation", 0.1] == rows["movement_over_separation", 0.2] == pytest.approx(0.1)
    assert "same_label_cosine" not in {row.metric for row in PGD.scores([TWICE])}  # of a log without vectors


def test_shifts_are_plain_means() -> None:
    records = planted(50)
    there = at(records, 0.1)
    assert mean_cosine(there).value == pytest.approx(np.mean([record.attack.cosine for record in records]))
    assert mean_distance(there).value == pytest.approx(np.mean([record.attack.distance for record in records]))


def test_rows_are_every_metric_at_every_radius() -> None:
    assert [(row.eps, row.metric) for row in PGD.scores(planted(5))] == [(0.1, name) for name in METRICS]
    rows = PGD.scores([TWICE])
    assert [(row.eps, row.metric) for row in rows] == [(eps, name) for eps in (0.0, 0.1) for name in METRICS]
    assert [row.score.value for row in rows if row.metric == "attack_success"] == [0.0, 1.0]
    assert [row.score.better for row in rows[:4]] == ["more", "less", "more", "less"]
    for row in PGD.scores(planted(30)):
        assert row.score.definition and row.score.title
        assert row.score.low <= row.score.value <= row.score.high
    assert PGD.scores([]) == []


@pytest.mark.parametrize("losses", [(0.5, 0.5, 0.5), (0.5, 0.4, 0.3), (0.5, 0.9, 0.6), (0.5, 0.1, 0.6)])
def test_a_loss_that_does_not_grow_with_the_steps_is_called_gradient_masking(losses: tuple[float, ...]) -> None:
    (warning,) = health(planted(20, losses))
    assert "gradient masking at eps 0.1" in warning
    assert "restarts" in warning and "transfer attacks" in warning


@pytest.mark.parametrize("losses", [(0.5, 0.6, 0.7), (0.5, 0.7, 0.7), (0.5, 0.7, 0.695)])
def test_a_loss_that_grows_is_healthy(losses: tuple[float, ...]) -> None:
    assert health(planted(20, losses)) == [] == health([])


@pytest.mark.parametrize(("flat", "warned"), [(5, False), (6, True)])
def test_more_than_one_zero_gradient_in_twenty_is_warned_of(flat: int, warned: bool) -> None:
    found = health([*planted(flat, gradient=0.0), *planted(100)[flat:]])
    assert bool(found) == warned
    assert all("zero gradient" in warning and f"{flat} of 100" in warning for warning in found)


def test_health_warns_of_useless_gradients_only(tokenizer: BertTokenizerFast, bert: TextModel) -> None:
    units, settings = pairs_of(*examples(40, 2)), PGDSettings(eps=(0.0, 0.1), restarts=2)

    def warnings(model: TextModel) -> str:
        return " ".join(PGD.warnings(list(ran(PGD, model, units, settings))))

    assert warnings(linear(tokenizer)) == ""
    assert warnings(bert) == ""
    rounded = warnings(linear(tokenizer, torch.round))
    assert "gradient masking at eps 0.1" in rounded
    assert "zero gradient: the loss of 40 of 40" in rounded
    saturated = warnings(linear(tokenizer, lambda logits: (1e4 * logits).tanh()))
    assert "gradient masking" in saturated and "zero gradient" in saturated
    reversed_ = warnings(linear(tokenizer, Reversed.apply))
    assert "gradient masking" in reversed_ and "zero gradient" not in reversed_


def test_examples_answer_at_every_radius_and_none_at_all_is_no_attack() -> None:
    wrong = PGDRecord(1, 1, 0, 0.5, 0.7, 1.0, (point(0.0, 0), point(0.1, 0)))
    found = PGD.questions([TWICE, wrong])
    under = "accuracy_under_attack"
    assert found == {Question(under, 0.0): {0: True, 1: False}, Question(under, 0.1): {0: False, 1: False}}
    assert {question.eps: question.tested for question in found} == {0.0: False, 0.1: True}
    assert PGD.good is not None and not PGD.good(TWICE)
    assert PGD.good(PGDRecord(0, 1, 1, 0.5, 0.7, 1.0, (point(0.1), point(0.2))))


def test_the_curve_begins_at_the_texts_as_they_are() -> None:
    assert PGD.curve is not None
    far = [PGDRecord(index, 1, 1, 0.5, 0.7, 1.0, (point(0.2, index % 2), point(0.1))) for index in range(4)]
    found = PGD.curve.points(far)
    assert [(eps, score.value, sum(answers.values())) for eps, score, answers in found] == [
        *((0.0, 1.0, 4), (0.1, 1.0, 4)),
        (0.2, 0.5, 2),
    ]
    wanted = proportion(2, 4, "")
    assert (found[2][1].low, found[2][1].high, found[2][1].n) == (wanted.low, wanted.high, 4)
    assert found[2][2] == {0: False, 1: True, 2: False, 3: True}
