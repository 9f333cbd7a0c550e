"""The table has every number with its interval and n, the best in bold, and says what each is."""

from language_ground import perplexities, translated
from results_ground import finished, plain, transferred
from stories import score, told_of, usual_told, words

from unfooled.report.chapters.numbers import content, definitions, number_row, numbers_table
from unfooled.report.told import Number
from unfooled.scores.score import Score
from unfooled.trials.trial import Row


def number(*scores: Score | None) -> Number:
    first = next(one for one in scores if one is not None)
    return Number(Row("accuracy", first, trial="clean"), scores, first.definition)


def test_the_best_of_a_row_is_bold_by_what_better_means() -> None:
    assert "<b>85.0 %</b>" in number_row(number(score(0.84), score(0.85)))
    less = [score(value).called("fooled", better="less") for value in (0.9, 0.6)]
    assert "<b>60.0 %</b>" in number_row(number(*less))
    neither = [score(value).called("confidence", better="") for value in (0.9, 0.6)]
    assert not any("<b>" in number_row(row) for row in (number(score(0.5), score(0.5)), number(*neither)))
    assert "<b>" not in number_row(number(score(0.5), None))


def test_trials_stand_together_and_n_is_there() -> None:
    found = words(numbers_table(("plain", "robust"), usual_told().numbers))
    assert found.index("clean") < found.index("confidence") < found.index("pwws")
    assert "accuracy 84.0 % 75.6 – 89.9 85.0 % 76.7 – 90.7 100" in found
    assert "10 / 20" in words(number_row(number(score(0.5, 10), score(0.5, 20))))


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
    assert "perplexity perplexity 18 " in found and "perplexity, eps 3 perplexity 30 " in found
    assert content(told_of(finished("a", "clean", plain(0, {}, 0)[0]))) == ""
