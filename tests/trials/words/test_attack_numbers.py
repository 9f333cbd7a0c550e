"""Every number of an attack by hand, and what makes them untrustworthy."""

import math
from dataclasses import replace

import pytest
from trial_ground import by_part

from unfooled.attacks.records import AttackRecord, Change, Outcome, Sets
from unfooled.scores.intervals import proportion
from unfooled.scores.score import Score
from unfooled.trials.words.attack_numbers import attack_warnings, saturation, too_few_candidates
from unfooled.trials.words.words import WORDS


def attack_scores(records: list[AttackRecord]) -> dict[str, Score]:
    return {metric: row.score for (metric, _), row in by_part(WORDS.scores(records)).items()}


def record(index: int, outcome: Outcome, asked: int = 10, similarity: float | None = None) -> AttackRecord:
    fooled = outcome == "fooled"
    return AttackRecord(
        index=index, label=1, texts=("one two three four",), outcome=outcome,
        prediction={"already wrong": 0, "error": None}.get(outcome, 1), before=(0.1, 0.9),
        adversary=("one 2 three four",) if fooled else None, fooled_into=0 if fooled else None, after=(),
        changes=(Change(1, "two", "2"),) if fooled else (), words=4, candidates=2, asked=asked, from_cache=2,
        similarity=similarity, error="ValueError: x" if outcome == "error" else None,
    )  # fmt: skip


OUTCOMES: list[Outcome] = ["fooled"] * 4 + ["held"] * 3 + ["already wrong"] * 2 + ["no candidates", "budget", "error"]  # type: ignore[list-item]
RECORDS = [record(index, outcome, 10 + index, 0.9 if index < 2 else None) for index, outcome in enumerate(OUTCOMES)]


def test_every_number_is_counted_by_hand() -> None:
    found = attack_scores(RECORDS)
    shares = {
        "clean_accuracy": (9, 11),  # the example in error was never answered
        "accuracy_under_attack": (4, 12),  # held and no candidates; budget and error do not count
        "attack_success": (4, 9),
        "attack_success_of_all": (4, 12),
        "zero_candidate_rate": (1, 9),
        "budget_rate": (1, 9),
        "error_rate": (1, 12),
    }
    for name, (count, n) in shares.items():
        score = found[name]
        expected = proportion(count, n, score.definition).called(score.title, score.unit, score.better)
        assert score == expected and score.title, name
    means = {"asked": [10, 11, 12, 13, 14, 15, 16, 19, 20], "words_changed": [0.25] * 4, "similarity": [0.9, 0.9]}
    for name, values in means.items():
        assert found[name].value == pytest.approx(sum(values) / len(values)) and found[name].n == len(values)
    assert found["queries"].value == pytest.approx(found["asked"].value - 2)
    assert all(score.low <= score.value <= score.high and score.definition for score in found.values())


def test_errors_never_make_a_victim_look_robust() -> None:
    better = attack_scores(RECORDS)["accuracy_under_attack"].value
    assert attack_scores([*RECORDS, record(12, "error")])["accuracy_under_attack"].value < better
    assert attack_scores([*RECORDS, record(12, "budget")])["accuracy_under_attack"].value < better


def test_nothing_attacked_is_unknown() -> None:
    found = attack_scores([record(0, "already wrong")])
    assert math.isnan(found["attack_success"].value) and found["accuracy_under_attack"].value == 0


def test_too_many_examples_without_candidates_are_a_failure() -> None:
    many = [record(0, "held")] * 4
    assert too_few_candidates([*many, record(1, "no candidates")]) is None  # 20 % exactly
    found = too_few_candidates([*many, *[record(1, "no candidates")] * 2])
    assert found is not None and "2 of 6 attacked examples" in found
    assert attack_warnings(RECORDS) == ["errors: 1 of 12 examples could not be attacked (ValueError: x)"]


def test_answers_too_near_to_one_are_counted() -> None:
    near, sure = replace(record(0, "held"), before=(1e-6, 0.999998)), replace(record(1, "held"), before=(1.0, 0.0))
    unanswered = replace(record(2, "error"), before=())
    assert saturation([near, unanswered]) == [] == saturation([])
    [warning] = saturation([near, sure, sure, unanswered])
    assert warning.startswith("saturated: 2 of 3 texts") and "may flatter the model" in warning
    assert WORDS.uncalibrated is saturation


def test_sets_are_scored_by_what_is_said_in_the_end() -> None:
    """By hand, "unanswerable" aside: clean 4 true, 5 said, 4 right; in the end 5 true, 3 said, 2 right."""

    def of_set(index: int, outcome: Outcome, *sides: tuple[str, ...] | None) -> AttackRecord:
        return replace(record(index, outcome), sets=Sets(*sides))  # type: ignore[arg-type]

    records = [
        of_set(0, "fooled", ("kin",), ("kin",), ("boss", "unanswerable")),
        of_set(1, "held", ("kin", "boss"), ("kin", "boss"), None),
        of_set(2, "budget", ("kin",), ("kin", "friend"), None),
        of_set(3, "error", ("boss",), None, None),
        of_set(4, "already wrong", ("unanswerable",), (), None),
    ]
    found = attack_scores(records)
    assert found["clean_f1"].value == pytest.approx(2 * 4 / (4 + 5)) and found["clean_f1"].n == 4
    assert found["f1_under_attack"].value == pytest.approx(2 * 2 / (3 + 5))
    assert "budget and error as nothing said" in found["f1_under_attack"].definition
    silent = attack_scores([records[3]])
    assert math.isnan(silent["clean_f1"].value) and silent["clean_f1"].n == 0 and silent["f1_under_attack"].value == 0
    assert "clean_f1" not in attack_scores(RECORDS) and attack_scores([])["queries"].n == 0
    assert "right is a set said exactly" in found["accuracy_under_attack"].definition
    assert "right is a set said exactly" not in attack_scores(RECORDS)["accuracy_under_attack"].definition


def test_less_is_better_of_what_fools_and_costs_have_no_better() -> None:
    better = {name: score.better for name, score in attack_scores(RECORDS).items()}
    assert better["accuracy_under_attack"] == better["clean_accuracy"] == "more"
    assert better["attack_success"] == better["error_rate"] == better["budget_rate"] == "less"
    assert better["queries"] == better["words_changed"] == better["similarity"] == ""
    assert {row.metric for row in WORDS.scores(RECORDS) if not row.detail} == {
        *("accuracy_under_attack", "attack_success", "queries", "words_changed", "similarity"),
    }
