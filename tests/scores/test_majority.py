from unfooled.scores.intervals import proportion
from unfooled.scores.majority import learnt_nothing

NAMES = ("bad", "good")


def test_a_model_that_says_one_thing_has_learnt_nothing() -> None:
    said = learnt_nothing([[0, 40], [0, 60]], NAMES)
    assert said is not None and "always saying good is 60.0 % right" in said and said.startswith("the model has learnt")


def test_better_by_less_than_the_interval_is_nothing() -> None:
    for right in (50, 55, 59, 60, 61, 62, 65, 100):
        confusion = [[right // 2, 50 - right // 2], [50 - (right - right // 2), right - right // 2]]
        above = proportion(right, 100, "").low > 0.5
        assert (learnt_nothing(confusion, NAMES) is None) == above


def test_what_is_rare_must_be_found() -> None:
    """95 of 100 right is nothing where 95 are of one class, and much where classes are equal."""
    assert learnt_nothing([[95, 0], [5, 0]], NAMES)
    assert learnt_nothing([[48, 2], [3, 47]], NAMES) is None
    assert learnt_nothing([[30, 2, 1], [0, 33, 0], [1, 0, 33]], ("a", "b", "c")) is None


def test_no_rows_show_nothing() -> None:
    assert learnt_nothing([[0, 0], [0, 0]], NAMES)
