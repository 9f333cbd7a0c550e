"""Perplexity per word, by hand."""

import math

import numpy as np
import pytest

from unfooled.scores.perplexity import Surprise, bounded_exp, count_words


def test_per_word_it_does_not_matter_how_words_are_cut() -> None:
    """Twice the tokens at half the surprise each, over the same words."""
    whole = Surprise(20.0, 10, 2, (200.0, 100.0, 50.0)).perplexity(10, "")
    pieces = Surprise(20.0, 20, 2, (200.0, 200.0, 200.0)).perplexity(10, "")
    assert whole.value == pieces.value == pytest.approx(math.exp(2.0))


def test_the_interval_is_that_of_a_ratio_of_sums_over_sequences() -> None:
    losses, sizes = np.array([3.0, 8.0, 5.5, 1.0]), np.array([2, 4, 3, 1])
    squares = (float((losses**2).sum()), float((losses * sizes).sum()), float((sizes**2).sum()))
    score = Surprise(float(losses.sum()), int(sizes.sum()), 4, squares).perplexity(7, "of something")
    rests = losses - losses.sum() / sizes.sum() * sizes
    half = 1.96 * math.sqrt((rests**2).sum() * 4 / 3) / 7
    assert math.log(score.value) == pytest.approx(17.5 / 7)
    assert math.log(score.high) - math.log(score.value) == pytest.approx(half)
    assert math.log(score.value) - math.log(score.low) == pytest.approx(half)
    assert (score.n, score.definition, score.title, score.unit, score.better) == (
        *(7, "of something"),
        *("perplexity", "", "less"),
    )


def test_one_sequence_alone_has_no_spread() -> None:
    score = Surprise(6.0, 3, 1, (36.0, 18.0, 9.0)).perplexity(3, "")
    assert score.low == score.value == score.high == pytest.approx(math.exp(2.0))


def test_what_would_overflow_is_the_largest_number() -> None:
    assert math.isfinite(bounded_exp(1e6)) and bounded_exp(1.0) == math.e


def test_words_stand_between_spaces_and_every_line_ends_once() -> None:
    assert count_words(["the old  man", "", " a "]) == 3 + 1 + 0 + 1 + 1 + 1
    assert count_words([]) == 0
