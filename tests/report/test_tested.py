"""The tests of differences say what the records say."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from language_ground import continued, perplexities
from results_ground import behaviour, finished, plain, word_attack
from stories import told_of

from unfooled.report.groups import Group
from unfooled.report.told import Told
from unfooled.results.folder import Finished
from unfooled.scores.differences import bootstrap, holm, mcnemar
from unfooled.trials.behaviour.cases import CaseRecord


@pytest.fixture
def told() -> Told:
    trials: list[Finished] = []
    for name, right, left, held, failing in (("plain", 90, 30, 3, 4), ("robust", 80, 60, 6, 2)):
        clean, pgd = plain(right, {0.0: right, 0.1: left})
        trials += [finished(name, "clean", clean), finished(name, "pgd", pgd)]
        trials += [finished(name, "pwws", word_attack(held, 8 - held, 2))]
        trials += [finished(name, "invariance", behaviour(failing, 10 - failing))]
    return told_of(*trials)


def test_single_models_are_compared_by_mcnemar_and_all_questions_are_corrected(told: Told) -> None:
    found = {one.title: one for one in told.differences}
    assert set(found) == {
        "clean: accuracy",
        "pgd 0.1: accuracy under attack",
        "pwws: accuracy under attack",
        "invariance: tests passed, meaning kept (INV)",
    }
    clean = found["clean: accuracy"]
    right = [[index < count for index in range(100)] for count in (90, 80)]
    assert clean.difference.p == mcnemar(*right).mid and (clean.only_first, clean.only_second) == (10, 0)
    assert clean.difference.value == pytest.approx(-0.1) and clean.text == "-10.0 points"
    assert [one.corrected for one in found.values()] == holm([one.difference.p for one in found.values()])


def test_methods_with_seeds_are_compared_over_examples_and_seeds() -> None:
    counts = {"a": (90, 88, 91), "b": (70, 75, 72)}
    trials = [
        finished(f"{name}{seed}", "clean", plain(right, {})[0])
        for name, own in counts.items()
        for seed, right in enumerate(own)
    ]
    told = told_of(*trials, groups=[Group(name, tuple(f"{name}{seed}" for seed in range(3))) for name in counts])
    (clean,) = told.differences
    rows = [[[float(index < count) for index in range(100)] for count in own] for own in counts.values()]
    expected = bootstrap(rows[0], rows[1])
    assert (clean.difference.value, clean.difference.p, clean.only_first) == (expected.value, expected.p, None)
    assert clean.test == "bootstrap over examples and seeds"


def tried(records: Sequence[Sequence[CaseRecord]]) -> Told:
    return told_of(*(finished(name, "invariance", own) for name, own in zip(("a", "b"), records, strict=True)))


def test_cases_of_one_text_do_not_count_as_many() -> None:
    """Every text ten times over: the interval must be that of the texts, not of the cases."""
    every: list[list[CaseRecord]] = []
    for failing in (8, 4):
        own = [replace(one, texts=((f"text {one.index}",), one.texts[1])) for one in behaviour(failing, 20 - failing)]
        every.append([replace(one, index=copy * 20 + one.index) for copy in range(10) for one in own])
    (many,), (once,) = tried(every).differences, tried([own[:20] for own in every]).differences
    assert many.difference.value == pytest.approx(once.difference.value) == pytest.approx(0.2)
    assert many.difference.low == pytest.approx(once.difference.low) and many.test == "bootstrap over texts"
    assert once.test == "McNemar, mid-p" and many.difference.p > 0.01


def test_fewer_than_five_examples_are_not_asked_to_tell_models_apart() -> None:
    for cases, asked in ((4, 0), (5, 1)):
        assert len(tried([behaviour(cases, 0), behaviour(0, cases)]).differences) == asked


def test_language_models_are_tested_too_each_question_in_its_unit() -> None:
    texts = [[("the old", "old", "man", "dog" if place < count else "man") for place in range(20)] for count in (4, 16)]
    trials = [
        (finished(name, "perplexity", perplexities(value, {1.0: 30.0})), finished(name, "continuation", continued(own)))
        for name, value, own in zip(("plain", "atcl"), (20.0, 18.0), texts, strict=True)
    ]
    found = told_of(*(one for pair in trials for one in pair)).differences
    assert [one.title for one in found] == [
        "perplexity: log p per word, mean over lines",
        "perplexity 1: log p per word, mean over lines",
        "continuation: same words behind a moved one",
    ]
    clean, moved, words = found
    assert clean.difference.value == pytest.approx(0.105, abs=1e-3) and clean.text == "+0.105 nats" and clean.clear
    assert moved.difference.value == pytest.approx(0.0) and not moved.clear and moved.only_first is None
    assert words.test == "McNemar, mid-p" and words.text == "-60.0 points"


def test_lines_that_were_read_in_one_segment_are_no_sample() -> None:
    records = [
        [replace(one, pieces=(replace(one.pieces[0], segment=0),)) for one in perplexities(value, {})]
        for value in (20.0, 18.0)
    ]
    trials = (finished(name, "perplexity", own) for name, own in zip(("a", "b"), records, strict=True))
    assert told_of(*trials).differences == ()
