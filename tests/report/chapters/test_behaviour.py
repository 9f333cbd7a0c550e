"""Behavioural tests have each model's failure rate and failures to look at."""

from dataclasses import replace

from results_ground import behaviour, finished, plain
from stories import HOSTILE, told_of, usual_told, words

from unfooled.report.chapters.behaviour import content, failure
from unfooled.report.groups import Group


def test_tests_have_rates_and_failures() -> None:
    found = words(content(told_of(finished("plain", "invariance", behaviour(2, 8)))))
    assert "test kind plain n failures typos meaning kept (INV) 20.0 % 5.7 – 51.0 10 see" in found
    assert "plain says positive: a good film — and negative: a godo film" in found


def test_a_model_that_was_not_tested_has_none_and_failures_are_those_of_the_first_that_has_some() -> None:
    trials = [finished("a", "clean", plain(9, {}, 10)[0]), finished("b", "invariance", behaviour(0, 9, "names"))]
    found = words(content(told_of(*trials, finished("c", "invariance", behaviour(3, 6, "names")))))
    assert "names meaning kept (INV) – 0.0 % 0.0 – 29.9 33.3 %" in found and "c says" in found


def test_seeds_are_told_together() -> None:
    trials = [finished(name, "invariance", behaviour(failing, 20 - failing)) for name, failing in (("a", 2), ("b", 4))]
    assert "typos meaning kept (INV) 15.0 %" in words(content(told_of(*trials, groups=[Group("both", ("a", "b"))])))


def test_one_text_alone_is_told_once_and_hostile_ones_are_inert() -> None:
    known = [replace(one, texts=(("fine",), ("bad",))) for one in behaviour(1, 0, kind="MFT")]
    assert "plain says negative: bad" in words(content(told_of(finished("plain", "invariance", known))))
    assert failure((("x",), ("x",), 0, 0), ("no", "yes"), "m") == "m says no: x"
    assert HOSTILE not in content(usual_told()) and "&lt;script&gt;" in content(usual_told())
    assert content(told_of(finished("a", "clean", plain(9, {}, 10)[0]))) == ""


def test_the_kinds_that_are_there_are_told_in_words() -> None:
    found = words(content(told_of(finished("plain", "invariance", behaviour(2, 8, kind="DIR")))))
    assert found.startswith("meaning turned : a change turns the meaning or adds to it")
    assert "meaning kept" not in found and "typos meaning turned (DIR)" in found
