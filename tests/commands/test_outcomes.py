"""Each example's outcome is the one its score counts."""

from dataclasses import replace

from results_ground import behaviour, contrast_pairs, header, plain, shifted, transferred, word_attack

from unfooled.attacks.records import Outcome
from unfooled.commands.gathering import Told
from unfooled.commands.outcomes import Question, families, outcomes


def told(trial: str, records: list) -> Told:  # type: ignore[type-arg]
    return Told("plain", header(trial, "plain", len(records)), tuple(records))


def test_outcomes_add_up_to_their_scores() -> None:
    clean, pgd = plain(90, {0.0: 90, 0.1: 30})
    every = [
        told("clean", clean),
        told("pgd", pgd),
        told("pwws", word_attack(3, 5, 2)),
        told("transfer", transferred(4, 6)),
        told("contrast", contrast_pairs(3, 2)),
    ]
    for one in every:
        rows = {Question(row.trial, row.metric, row.eps, row.part): row.score for row in one.rows()}
        found = outcomes(one)
        assert found
        for question, answers in found.items():
            assert sum(answers.values()) / len(answers) == rows[question].value, question


def test_what_could_not_be_attacked_is_not_right() -> None:
    records = word_attack(4, 0, 0)
    ends: list[Outcome] = ["held", "no candidates", "error", "budget"]
    one = told("pwws", [replace(record, outcome=end) for record, end in zip(records, ends, strict=True)])
    assert outcomes(one) == {Question("pwws", "accuracy_under_attack"): {0: True, 1: True, 2: False, 3: False}}


def test_cases_pass_where_they_do_not_fail() -> None:
    one = told("invariance", behaviour(3, 7))
    (answers,) = outcomes(one).values()
    rate = next(row.score.value for row in one.rows() if row.part == "INV")
    assert sum(answers.values()) / len(answers) == 1 - rate


def test_versions_of_one_text_are_a_family() -> None:
    cases = families(told("invariance", behaviour(1, 2)))
    assert cases == {0: "a good film", 1: "a good film", 2: "a good film"}
    assert families(told("contrast", contrast_pairs(1, 1))) == {0: "0", 1: "0", 2: "1", 3: "1"}
    assert families(told("clean", plain(1, {}, 3)[0])) == {}


def test_what_has_no_right_and_wrong_has_no_outcomes() -> None:
    assert outcomes(told("shift", shifted(6))) == {}
    assert outcomes(Told("plain", header("clean", "plain", 0), ())) == {}


def test_questions_read_as_sentences() -> None:
    assert Question("pgd", "accuracy_under_attack", 0.1).said == "pgd 0.1: accuracy under attack"
    assert Question("invariance", "failure_rate", part="INV").said == "invariance: passed INV tests"
