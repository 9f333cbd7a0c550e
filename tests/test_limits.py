import pytest

from unfooled.errors import BadInput
from unfooled.limits import MEANINGS, VARIABLE, ReadLimits, beyond, limits


def test_limits_are_stated_each_with_its_meaning() -> None:
    assert {"line", "columns", "rows", "nesting", "ratio"} <= set(MEANINGS) and all(MEANINGS.values())
    assert limits() == ReadLimits()


def test_limits_are_set_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, " columns=7, line = 12,")
    assert (limits().columns, limits().line, limits().rows) == (7, 12, ReadLimits().rows)
    assert "more than the 7 that are taken" in str(beyond("a.csv", "columns"))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("colums=7", "no limit; did you mean columns"),
        ("columns", "columns to nothing; give a whole number"),
        ("columns=0", "columns to 0"),
        ("columns=-1", "columns to -1"),
        ("columns=many", "columns to many"),
        (f"columns={'9' * 5000}", "whole number above 0"),
    ],
)
def test_what_is_no_limit_is_refused(monkeypatch: pytest.MonkeyPatch, given: str, said: str) -> None:
    monkeypatch.setenv(VARIABLE, given)
    with pytest.raises(BadInput, match=said):
        limits()
