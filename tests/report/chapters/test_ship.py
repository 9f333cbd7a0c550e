"""Ship it? The gate's own rule decides, or nobody does."""

from dataclasses import replace

import pytest
from language_ground import perplexities, translated
from results_ground import finished, plain, word_attack
from stories import HOSTILE, told_of, usual_told, words

from unfooled.errors import BadInput
from unfooled.report.chapters.ship import content, thresholds
from unfooled.report.groups import Group
from unfooled.report.told import Told
from unfooled.results.requirements import parsed, required_rows, rulings


def required(*texts: str, told: Told | None = None) -> str:
    return words(content(replace(told or usual_told(), requirements=texts)))


def test_without_requirements_nothing_is_decided() -> None:
    found = words(content(usual_told()))
    assert "nobody has said so: this page does not decide" in found and "Yes" not in found and "holds" not in found
    assert "plain : at least 75.5 % right on texts as they are, at least 21.8 % right under pgd, eps 0.1." in found
    assert "unfooled report RESULTS --require &#x27;accuracy.clean &gt;= 0.755&#x27;" in found
    assert "clean: accuracy accuracy.clean at least 75.5 % &gt;= 0.755 at least 76.7 % &gt;= 0.767" in found


def test_what_each_would_pass_is_what_the_gate_passes() -> None:
    told = usual_told()
    rows, numbers = required_rows(told.results), thresholds(told)
    assert [name for _, name, _ in numbers] == [
        "accuracy.clean", "accuracy_under_attack.pgd.0.1", "accuracy_under_attack.pwws", "fickleness", "obstinacy",
    ]  # fmt: skip
    for (_, name, _), bounds in numbers.items():
        for model, bound in zip(told.names, bounds, strict=True):
            (ruling,) = rulings(parsed(f"{name} {bound}"), rows, [model], "")
            assert ruling.passed, ruling.says()


def test_a_requirement_is_answered_by_the_end_of_the_interval() -> None:
    found = required("accuracy.clean >= 0.76", "accuracy_under_attack.pwws >= 0.6")
    assert "No: plain misses 1 of 2 requirements." in found and "Yes: robust holds all that was required." in found
    assert "accuracy.clean &gt;= 0.76 does not hold at least 75.6 %, n 100 holds at least 76.7 %" in found
    assert "luck alone does not pass" in found


def test_what_was_not_measured_does_not_hold() -> None:
    told = told_of(finished("a", "clean", plain(9, {}, 10)[0]), finished("b", "pwws", word_attack(9, 1, 0)))
    found = required("accuracy.clean >= 0", told=told)
    assert "Yes: a holds" in found and "No: b misses 1 of 1" in found and "not measured" in found


def test_of_several_seeds_the_worst_decides() -> None:
    trials = [finished(f"a{seed}", "clean", plain(right, {})[0]) for seed, right in enumerate((90, 60, 91))]
    told = told_of(*trials, groups=[Group("a", ("a0", "a1", "a2"))])
    ((bound,),) = thresholds(told).values()
    assert bound == ">= 0.502"
    assert "No: a misses 1 of 3 requirements." in required("accuracy.clean >= 0.6", told=told)
    assert "does not hold at least 50.2 %, n 100" in required("accuracy.clean >= 0.6", told=told)


def test_language_models_and_translators_have_their_own_numbers() -> None:
    lm = told_of(finished("a", "perplexity", perplexities(20.0, {3.0: 30.0})))
    assert next(iter(thresholds(lm)))[1] == "perplexity.perplexity"
    assert "a : perplexity at most 21.97." in words(content(lm))
    found = told_of(finished("a", "quality", translated([("s", "one two three four", "one two three four")] * 9)))
    assert "BLEU.quality" in content(found)
    assert content(told_of(finished("a", "clean", plain(0, {}, 0)[0]))) == ""


def test_hostile_names_are_inert_and_bad_requirements_refused() -> None:
    assert HOSTILE not in content(usual_told(names=(HOSTILE, "robust")))
    assert HOSTILE not in content(replace(usual_told(names=(HOSTILE, "robust")), requirements=("accuracy.clean >= 0",)))
    with pytest.raises(BadInput, match="this page holds no number called accuracy.clear; did you mean accuracy.clean"):
        required("accuracy.clear >= 0")
    with pytest.raises(BadInput, match="cannot be read"):
        required("accuracy > 0")
