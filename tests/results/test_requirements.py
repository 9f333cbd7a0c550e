"""Requirements are read, held to the far end of the interval, and alarm no oftener than they should."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from results_ground import finished, plain, results_of, word_attack

from unfooled.errors import BadInput
from unfooled.results.requirements import Requirement, parsed, required_rows, row_name, strictest
from unfooled.scores.intervals import proportion
from unfooled.scores.score import Better, Score


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("accuracy.clean >= 0.8", ("accuracy", "clean", None, True, 0.8)),
        ("accuracy_under_attack.pgd.0.1<=.5", ("accuracy_under_attack", "pgd", "0.1", False, 0.5)),
        (" fickleness <= 1e-1 ", ("fickleness", None, None, False, 0.1)),
    ],
)
def test_requirements_are_read(text: str, expected: tuple[object, ...]) -> None:
    found = parsed(text)
    assert (found.metric, found.trial, found.part, found.at_least, found.threshold) == expected


@pytest.mark.parametrize("text", ["", "accuracy > 0.5", "accuracy.clean >=", ">= 3", "accuracy.clean >= x", "a b >= 1"])
def test_what_cannot_be_read_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(BadInput, match="cannot be read; write it as in"):
        parsed(text)


def test_of_no_examples_nothing_holds() -> None:
    asked = Requirement("a >= 0", "a", None, None, True, 0.0)
    assert not asked.holds(proportion(0, 0, "")) and asked.holds(Score(0.5, 0.0, 1.0, 3, ""))


def test_noise_alone_rarely_fails_a_gate_and_a_regression_does() -> None:
    """A bar set at the lower bound of the first measurement, held against the same model measured anew."""
    draw = random.Random(0)

    def score(accuracy: float) -> Score:
        return proportion(sum(draw.random() < accuracy for _ in range(500)), 500, "")

    first = proportion(350, 500, "")
    bar = Requirement("a >= b", "a", None, None, True, first.low - 2 * (first.value - first.low) / 2**0.5)
    assert sum(not bar.holds(score(0.7)) for _ in range(200)) <= 10
    assert sum(not bar.holds(score(0.55)) for _ in range(200)) >= 190


@given(
    st.lists(st.tuples(st.integers(0, 500), st.integers(500, 999)), min_size=1, max_size=3),
    st.sampled_from(["more", "less"]),
)
def test_the_strictest_requirement_is_held_and_a_stricter_one_is_not(
    counts: list[tuple[int, int]], better: Better
) -> None:
    scores = [proportion(count, n, "").called("", better=better) for count, n in counts]
    found = strictest(scores)
    assert found is not None
    asked = parsed(f"number {found}")
    assert all(asked.holds(score) for score in scores) and asked.at_least == (better == "more")
    further = asked.threshold + (0.001 if asked.at_least else -0.001)
    harder = Requirement("", "number", None, None, asked.at_least, further)
    assert not all(harder.holds(score) for score in scores)


def test_nothing_is_required_of_what_is_not_known_or_not_better() -> None:
    known = proportion(8, 10, "")
    assert strictest([known, proportion(0, 0, "")]) is None and strictest([]) is None
    assert strictest([known.called("confidence", better="")]) is None
    assert strictest([Score(3.0, float("-inf"), float("inf"), 1, "")]) is None


def test_every_number_and_both_axes_can_be_required() -> None:
    rows = required_rows(
        results_of(finished("a", "clean", plain(9, {}, 10)[0]), finished("a", "pwws", word_attack(9, 1, 0)))
    )
    names = {row_name(row) for row in rows}
    assert {"accuracy.clean", "accuracy_under_attack.pwws", "fickleness"} <= names and "obstinacy" not in names


def test_numbers_of_trials_that_nobody_asks_for_are_not_read() -> None:
    clean, pgd = plain(9, {0.1: 3}, 10)
    results = results_of(
        finished("a", "clean", clean), finished("a", "pgd", pgd), finished("a", "pwws", word_attack(9, 1, 0))
    )

    def read(*asked: str) -> set[str]:
        return {row.trial for row in required_rows(results, [parsed(text) for text in asked])}

    assert read("accuracy.clean >= 0.5", "fickleness <= 0.5") == {"clean", "verdict"}
    assert (
        read("accuracy.clean >= 0.5", "accuracy_under_attack >= 0.5") == {"clean", "pgd", "pwws", "verdict"} == read()
    )
