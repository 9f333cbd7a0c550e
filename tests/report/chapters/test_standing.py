"""Where models stand: explained, with a corner that means the same on every page, and nothing left out unsaid."""

from results_ground import behaviour, contrast_pairs, finished, word_attack
from stories import HOSTILE, told_of, usual_told, words

from unfooled.report.chapters.standing import content, left_out, parts_table


def test_both_axes_are_explained_and_each_model_is_told() -> None:
    found = words(content(usual_told()))
    assert found.startswith("Fickleness is how often an answer changes though the meaning does not;")
    assert "plain changes its answer though the meaning holds in" in found and "robust changes its answer" in found
    assert "the shaded corner is where both are 20 % or less" in found
    assert "<svg" in content(usual_told()) and HOSTILE not in content(usual_told())


def test_the_verdict_is_told_with_its_parts() -> None:
    trials = [finished("plain", "pwws", word_attack(3, 5, 2)), finished("plain", "contrast", contrast_pairs(3, 1))]
    found = words(parts_table(told_of(*trials).standings))
    assert "plain 62.5 % 30.6 – 86.3 25.0 % 4.6 – 69.9 word attacks 62.5 % 30.6 – 86.3 8 contrast set 25.0 %" in found


def test_an_axis_that_nobody_measured_is_named_and_nothing_is_drawn() -> None:
    found = content(told_of(finished("plain", "pwws", word_attack(3, 5, 2))))
    assert "Obstinacy was not measured here" in found and "<svg" not in found
    assert content(told_of(finished("plain", "shift", []))) == ""


def test_parts_of_few_examples_are_named_as_left_out() -> None:
    trials = [finished("plain", "pwws", word_attack(0, 4, 2)), finished("plain", "invariance", behaviour(0, 50))]
    told = told_of(*trials)
    assert left_out(told.standings) == ["Left out of fickleness: word attacks (fewer than 5 examples)."]
    found = words(content(told))
    assert "Left out of fickleness: word attacks (fewer than 5 examples)." in found
    assert "word attacks, left out 100.0 %" in found and "plain 0.0 % 0.0 – 7.1" in found


def test_parts_that_not_all_models_have_are_named_too() -> None:
    both = [finished(name, "invariance", behaviour(5, 50)) for name in ("plain", "robust")]
    told = told_of(*both, finished("plain", "pwws", word_attack(9, 9, 2)))
    (said,) = left_out(told.standings)
    assert said.startswith(
        "Left out of fickleness: word attacks (another model has fewer than 5 examples of it, or none"
    )


def test_a_coordinate_of_few_examples_alone_is_warned_of() -> None:
    (said,) = left_out(told_of(finished("plain", "pwws", word_attack(2, 1, 2))).standings)
    assert said == "Fickleness rests on fewer than 5 examples of word attacks; do not build on it."
