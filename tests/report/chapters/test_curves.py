"""Curves show what the records hold."""

from language_ground import perplexities
from results_ground import finished, plain, word_attack
from stories import told_of

from unfooled.report.chapters.curves import content, plots
from unfooled.report.groups import Group
from unfooled.trials.words.words import survives


def test_the_curve_over_the_radius_begins_at_the_clean_accuracy() -> None:
    pgd = finished("plain", "pgd", plain(90, {0.05: 60, 0.1: 30})[1])
    radius, words = plots(told_of(pgd, finished("plain", "pwws", word_attack(3, 5, 2, changes=2))))
    assert [(x, score.value) for x, score in radius.lines[0].points] == [(0.0, 0.9), (0.05, 0.6), (0.1, 0.3)]
    values = [score.value for _, score in words.lines[0].points]
    assert values[:4] == [0.8, 0.8, 0.3, 0.3]  # two words are needed for each of the five
    assert words.title == "Accuracy over words changed (pwws)"


def test_what_ran_out_is_right_only_without_changes() -> None:
    (record,) = word_attack(1, 0, 0)
    for outcome, expected in (("held", [True, True]), ("budget", [True, False]), ("error", [False, False])):
        own = type(record)(**{**vars(record), "outcome": outcome})
        assert [survives([own], most).item() for most in (0, 3)] == expected


def test_seeds_are_one_line_and_a_column_without_the_trial_keeps_its_colour() -> None:
    trials = [finished(f"a{seed}", "pgd", plain(90, {0.1: left})[1]) for seed, left in enumerate((30, 50))]
    other = finished("b", "clean", plain(90, {})[0])
    (plot,) = plots(told_of(*trials, other, groups=[Group("b", ("b",)), Group("a", ("a0", "a1"))]))
    assert plot.lines[0].points == () and [score.value for _, score in plot.lines[1].points] == [0.9, 0.4]


def test_perplexity_goes_from_no_move_to_the_largest() -> None:
    told = told_of(finished("plain", "perplexity", perplexities(20.0, {1.0: 22.0, 0.03: 20.5, 30.0: 40.0})))
    (plot,) = plots(told)
    assert [(x, round(score.value, 9)) for x, score in plot.lines[0].points] == [
        (0.0, 20.0), (0.03, 20.5), (1.0, 22.0), (30.0, 40.0),
    ]  # fmt: skip
    assert "length of the move" in content(told)
    assert content(told_of(finished("plain", "perplexity", perplexities(20.0, {})))) == ""
