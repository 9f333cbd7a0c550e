"""Planted victims stand exactly where they must."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from results_ground import finished, word_attack

from unfooled.attacks import Attack, AttackRecord, Outcome, Parts
from unfooled.data.adversaries import StoredAdversary
from unfooled.data.contrast_sets import Member
from unfooled.results.folder import Results
from unfooled.results.run import evaluate
from unfooled.results.verdict import coordinate, parts_of, shared, verdicts
from unfooled.scores.intervals import proportion
from unfooled.seeds import digest
from unfooled.text.document import Document, read
from unfooled.trials import TRIALS
from unfooled.trials.behaviour.cases import CaseRecord, Rule
from unfooled.trials.inputs import Given, Inputs
from unfooled.trials.invariance import InvarianceSettings
from unfooled.trials.words.transfer import TransferRecord
from unfooled.victims.victim import Victim

NAMES = ("negative", "positive")
THINGS = ("film", "book", "meal", "song", "town")
TEXTS = [(f"The {thing} was {word}, John.",) for thing in THINGS for word in ("good", "bad")]
LABELS = [place % 2 == 0 for place in range(10)]
CONTRAST = [
    member
    for place, thing in enumerate(THINGS)
    for member in (
        Member(str(place), True, (f"The {thing} was good.",), 1),
        Member(str(place), False, (f"The {thing} was bad.",), 0),
        Member(str(place), False, (f"The {thing} was not good.",), 0),
    )
]
ADVERSARIES = [StoredAdversary((f"The {thing} was good.",), (f"The {thing} was goood.",), 1) for thing in THINGS]
Believes = Callable[[str], float]  # the probability of "positive"


def spelt(word: str, like: str) -> bool:
    """Whether a word is another, but for exchanged or doubled letters."""
    return set(word.lower()) == set(like) and len(word) in (len(like), len(like) + 1)


def perfect(text: str) -> float:
    words = read(text).words
    good = any(spelt(word, "good") for word in words)
    return 0.9 if good != ("not" in words) else 0.1


def constant(_: str) -> float:
    return 0.7


def unsteady(text: str) -> float:
    return digest(text) % 1000 / 1000


def keyword(text: str) -> float:
    return 0.8 if "good" in text.split() or "good," in text.split() or "good." in text.split() else 0.2


def parts(attack: Attack, similarity: str | None) -> Parts:
    def substitutes(document: Document) -> list[tuple[str, ...]]:
        return [("piece",) if word in THINGS else ("goood",) if word == "good" else () for word in document.words]

    return Parts(substitutes)


def stands(rule: Believes, out: Path) -> Results:
    def call(texts: list[str]) -> np.ndarray:
        return np.array([[1 - rule(text), rule(text)] for text in texts])

    sources = {name: Given(name, name) for name in ("data", "contrast", "adversaries")}
    inputs = Inputs(TEXTS, [int(label) for label in LABELS], sources, NAMES, CONTRAST, ADVERSARIES)
    victim = Victim(rule.__name__, call, labels=NAMES)
    trials = {name: TRIALS[name].settings() for name in ("clean", "pwws", "random", "transfer", "contrast")}
    trials["invariance"] = InvarianceSettings(templates=False)
    return evaluate([victim], inputs, out, trials, parts=parts)


def said(rule: Believes, text: str) -> int:
    return int(rule(text) > 0.5)


def test_a_perfect_model_stands_at_0_0(tmp_path: Path) -> None:
    found = stands(perfect, tmp_path)
    [verdict] = found.verdicts
    assert verdict.fickleness.score is not None and verdict.fickleness.score.value == 0
    assert verdict.obstinacy.score is not None and verdict.obstinacy.score.value == 0
    assert list(verdict.fickleness.parts) == ["word attacks", "stored adversaries", "unchanged meaning"]
    assert list(verdict.obstinacy.parts) == ["contrast set", "turned meaning"]


def test_a_constant_model_stands_at_0_1(tmp_path: Path) -> None:
    [verdict] = stands(constant, tmp_path).verdicts
    assert verdict.fickleness.score is not None and verdict.fickleness.score.value == 0
    assert verdict.obstinacy.score is not None and verdict.obstinacy.score.value == 1
    assert verdict.fickleness.parts["word attacks"].n == 5  # the examples whose label it always says
    assert verdict.obstinacy.parts["contrast set"].n == 10


def test_a_keyword_model_is_fooled_by_its_word_and_deaf_to_not(tmp_path: Path) -> None:
    results = stands(keyword, tmp_path)
    [verdict] = results.verdicts
    assert verdict.fickleness.parts["word attacks"].value == 5 / 10  # "goood" fools it, and "bad" has no substitute
    assert verdict.fickleness.parts["stored adversaries"].value == 1
    assert verdict.obstinacy.parts["contrast set"].value == 5 / 10  # "bad" is heard, "not good" is not
    cases = next(trial for trial in results.trials if trial.header.trial == "invariance").records
    changed = [case.kind == "INV" and keyword(case.texts[0][0]) != keyword(case.texts[1][0]) for case in cases]
    inv = sum(case.kind == "INV" for case in cases)
    assert verdict.fickleness.parts["unchanged meaning"].value == sum(changed) / inv
    turned = {case.test: [one for one in cases if one.test == case.test] for case in cases if case.kind == "DIR"}
    assert {test: sum(bool(one.failures) for one in own) / len(own) for test, own in turned.items()} == {
        "negation": 1.0, "antonyms": 0.0,
    }  # fmt: skip
    values = [part.value for part in verdict.fickleness.parts.values()]
    assert verdict.fickleness.score is not None and verdict.fickleness.score.value == pytest.approx(sum(values) / 3)


def test_an_unsteady_model_stands_where_its_answers_put_it(tmp_path: Path) -> None:
    results = stands(unsteady, tmp_path)
    [verdict] = results.verdicts
    records = {trial.header.trial: trial.records for trial in results.trials}
    pairs = [(f"The {thing} was good.", f"The {thing} was {rest}.") for thing in THINGS for rest in ("bad", "not good")]
    held = [said(unsteady, two) == 1 for one, two in pairs if said(unsteady, one) == 1]
    assert verdict.obstinacy.parts["contrast set"].value == sum(held) / len(held)
    turned = [case for case in records["invariance"] if case.kind == "DIR"]
    unmoved = [
        unsteady(two[0]) >= unsteady(one[0]) if label else unsteady(two[0]) <= unsteady(one[0])
        for one, two, label in ((*case.texts, case.classes[0]) for case in turned)
    ]
    assert verdict.obstinacy.parts["turned meaning"].value == sum(unmoved) / len(unmoved)
    kept = [case for case in records["invariance"] if case.kind == "INV"]
    moved = [said(unsteady, one[0]) != said(unsteady, two[0]) for one, two in (case.texts for case in kept)]
    assert verdict.fickleness.parts["unchanged meaning"].value == sum(moved) / len(moved)
    stored = [(said(unsteady, one.texts[0]), said(unsteady, one.adversary[0])) for one in ADVERSARIES]
    fooled = [after != 1 for before, after in stored if before == 1]
    assert verdict.fickleness.parts["stored adversaries"].value == sum(fooled) / len(fooled)


def test_models_are_compared_by_the_parts_they_share() -> None:
    one = {"a": proportion(1, 10, "a"), "b": proportion(9, 10, "b")}
    assert coordinate(one, ["a"], "obstinacy").score == coordinate({"a": one["a"]}, ["a", "b"], "obstinacy").score
    assert coordinate(one, [], "obstinacy").score is None and coordinate(one, [], "obstinacy").parts == one
    both = coordinate(one, ["a", "b"], "fickleness").score
    assert both is not None and both.value == pytest.approx(0.5) and both.n == 20
    assert both.low == pytest.approx((one["a"].low + one["b"].low) / 2) and 0 <= both.low <= both.high <= 1


def test_what_one_model_alone_was_measured_in_does_not_count() -> None:
    def stored(wrong: int) -> list[TransferRecord]:
        return [TransferRecord(i, 1, ("a",), ("b",), 1, 0.9, int(i >= wrong), 0.5) for i in range(10)]

    same = CaseRecord(0, "t", "INV", "x", (("a",), ("b",)), "same", (), (1, 1), ((0.4, 0.6),) * 2, ())
    cases = [replace(same, index=i) for i in range(5)]
    more = [finished("more", "transfer", stored(6)), finished("more", "invariance", cases)]
    less = [finished("less", "transfer", stored(5))]
    for models in ({"more": more, "less": less}, {"less": less, "more": more}):
        found = {one.model: one.fickleness.score for one in verdicts(models)}
        assert {name: score and score.value for name, score in found.items()} == {"more": 0.6, "less": 0.5}


def test_whoever_fools_a_model_counts_once() -> None:
    def ended(*outcomes: Outcome) -> list[AttackRecord]:
        [record] = word_attack(1, 0, 0)
        return [replace(record, index=index, outcome=outcome) for index, outcome in enumerate(outcomes)]

    first = ended("fooled", "fooled", "held", "held", "already wrong", "error")
    second = ended("held", "fooled", "fooled", "budget", "already wrong", "held")
    [verdict] = verdicts({"m": [finished("m", "pwws", first), finished("m", "textfooler", second)]})
    assert verdict.fickleness.score is not None
    assert (verdict.fickleness.score.value, verdict.fickleness.score.n) == (3 / 5, 5)


def test_nothing_measured_is_no_verdict() -> None:
    [verdict] = verdicts({"m": [finished("m", "clean", [])]})
    assert verdict.fickleness.score is None and verdict.obstinacy.score is None


def test_only_what_turns_a_meaning_round_speaks_of_obstinacy() -> None:
    def case(index: int, rule: Rule, failures: tuple[int, ...]) -> CaseRecord:
        return CaseRecord(index, "t", "DIR", "x", (("a",), ("b",)), rule, (0,), (0, 0), ((0.6, 0.4),) * 2, failures)

    records = [case(0, "falls", (1,)), case(1, "falls", ()), case(2, "not lower", (1,)), case(3, "is", (1,))]
    found = parts_of([finished("m", "invariance", records)], "obstinacy")["turned meaning"]
    assert (found.value, found.n) == (1 / 2, 2)


def test_a_part_of_a_case_or_two_does_not_weigh_as_much_as_one_of_many() -> None:
    many, few = proportion(30, 100, "contrast set"), proportion(0, 1, "turned meaning")
    assert shared([{"contrast set": many, "turned meaning": few}]) == ["contrast set"]
    assert shared([{"turned meaning": few}]) == ["turned meaning"]
    enough = proportion(0, 5, "turned meaning")
    assert shared([{"contrast set": many, "turned meaning": enough}]) == ["contrast set", "turned meaning"]
    assert shared([{"contrast set": many, "turned meaning": one} for one in (enough, few)]) == ["contrast set"]
