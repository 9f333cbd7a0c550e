"""The table has every number with its interval and n, bold where a test shows it, and says what each is."""

import re
from dataclasses import replace

from language_ground import perplexities, translated
from results_ground import behaviour, finished, plain, transferred, word_attack
from stories import score, told_of, usual_told, words

from unfooled.report.chapters.numbers import content, definitions, number_row, numbers_table, read_as
from unfooled.report.told import Number
from unfooled.scores.score import Score
from unfooled.trials.trial import Row


def number(*scores: Score | None) -> Number:
    first = next(one for one in scores if one is not None)
    return Number(Row("accuracy", first, trial="clean"), scores, first.definition)


def bold(*models: tuple[str, int, int]) -> list[str]:
    """What is bold on the page of models that are right on so many texts of 100, and on so many under attack."""
    trials = []
    for name, right, left in models:
        clean, pgd = plain(right, {0.1: left})
        trials += [finished(name, "clean", clean), finished(name, "pgd", pgd)]
    return re.findall("<b>(.*?)</b>", numbers_table(told_of(*trials)))


def test_bold_is_what_a_paired_test_shows() -> None:
    assert bold(("a", 84, 30), ("b", 85, 60)) == ["60.0 %"]  # 84 and 85 are not shown to differ
    assert bold(("a", 84, 60), ("b", 85, 30)) == ["60.0 %"]
    assert bold(("a", 84, 30), ("b", 85, 60), ("c", 84, 55)) == ["60.0 %", "55.0 %"]  # both beside the first
    assert bold(("a", 84, 60), ("b", 84, 30), ("c", 84, 35)) == ["60.0 %"]
    assert bold(("a", 84, 60), ("b", 84, 30), ("c", 84, 59)) == []  # better than one is not the best
    assert bold(("a", 84, 30)) == []


def test_what_is_counted_down_is_bold_where_there_is_less_of_it() -> None:
    trials = [finished(name, "invariance", behaviour(failing, 60 - failing)) for name, failing in (("a", 40), ("b", 3))]
    apart = [replace(one, texts=((f"{one.index}",), one.texts[1])) for one in trials[0].records]
    told = told_of(replace(trials[0], records=tuple(apart)), replace(trials[1], records=tuple(
        replace(one, texts=((f"{one.index}",), one.texts[1])) for one in trials[1].records)))  # fmt: skip
    assert re.findall("<b>(.*?)</b>", numbers_table(told)) == ["5.0 %"]


def test_the_page_says_what_is_bold() -> None:
    trials = [finished(name, "clean", plain(9, {}, 10)[0]) for name in "abc"]
    assert "Bold" not in read_as(told_of(trials[0]))
    assert "Bold: shown to be better than the other by a paired test" in read_as(told_of(*trials[:2]))
    assert "Bold: shown to be better than a (a itself: better than all others)" in read_as(told_of(*trials))


def test_trials_stand_together_and_n_is_there() -> None:
    found = words(numbers_table(usual_told()))
    assert found.index("clean") < found.index("confidence") < found.index("pwws")
    assert "accuracy 84.0 % 75.6 – 89.9 85.0 % 76.7 – 90.7 100" in found
    assert "10 / 20" in words(number_row(number(score(0.5, 10), score(0.5, 20)), "ab"))


def test_a_trial_is_explained_where_it_is_first_named() -> None:
    found = words(numbers_table(usual_told()))
    assert found.count("moves the vectors that stand for the words") == 1 and "pgd, eps 0.02 moves" in found
    own = finished("a", "pwws", word_attack(9, 1, 0))
    assert "pwws replaces words by dictionary synonyms" in words(numbers_table(told_of(own)))


def test_definitions_are_told_and_how_intervals_are_made() -> None:
    told = words(definitions(told_of(finished("a", "transfer", transferred(3, 2))).numbers))
    assert "share of the stored set's adversaries answered rightly" in told.replace("&#x27;", "'")
    assert told.endswith("Student&#x27;s t for means.")
    assert "for perplexities." in definitions(told_of(finished("a", "perplexity", perplexities(20.0, {}))).numbers)
    pairs = [("s", "one two three four", "one two three four")]
    assert "for BLEU and chrF." in definitions(told_of(finished("a", "quality", translated(pairs))).numbers)


def test_perplexities_are_no_shares_and_stand_by_radius() -> None:
    told = told_of(finished("a", "perplexity", perplexities(18.0, {3.0: 30.0})))
    found = words(content(told))
    assert "network. perplexity 18 " in found and "perplexity, eps 3 perplexity 30 " in found
    assert content(told_of(finished("a", "clean", plain(0, {}, 0)[0]))) == ""
