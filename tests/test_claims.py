"""The page of claims is what its rows say, and a verdict is what its interval says."""

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def claims() -> Iterator[ModuleType]:
    sys.path.insert(0, str(ROOT / "experiments"))
    before = set(sys.modules)
    yield import_module("claims")
    sys.path.remove(str(ROOT / "experiments"))
    for name in set(sys.modules) - before:
        if name.startswith(("fair", "claims")) or name == "grid":
            del sys.modules[name]


@pytest.fixture
def judged(claims: ModuleType) -> ModuleType:
    return sys.modules["claims_verdict"]


@pytest.mark.parametrize(
    ("low", "high", "reported", "said"),
    [
        (0.01, 0.05, 0.02, "seen"),
        (-0.01, 0.015, 0.02, "not seen"),  # an effect of 2 points would have shown
        (-0.01, 0.05, 0.02, "cannot be told at this size"),
        (-0.05, -0.01, -0.02, "seen"),
        (-0.01, 0.05, -0.02, "not seen"),
        (-0.05, 0.01, -0.02, "cannot be told at this size"),
        (float("-inf"), float("inf"), 0.02, "cannot be told at this size"),
    ],
)
def test_a_verdict_is_read_off_the_interval(judged, low: float, high: float, reported: float, said: str) -> None:
    assert judged.verdict(judged.Paired(0.0, low, high, 100, 3), reported) == said


def test_of_another_measure_only_the_direction_is_asked(judged) -> None:
    assert judged.verdict(judged.Paired(0.0, -0.01, 0.015, 100, 3), 0.02, same=False) == "cannot be told at this size"
    assert judged.verdict(judged.Paired(-0.02, -0.03, -0.01, 100, 3), 0.02, same=False) == "not seen"


def test_rows_of_the_fair_test_count_before_earlier_ones_and_none_are_said(judged) -> None:
    fair, before = (
        judged.Paired(0.03, 0.01, 0.05, 9, 3),
        judged.Paired(-0.03, -0.05, -0.01, 9, 3),
    )
    made = {"paper": "carl", "where": "Table 2", "says": "more", "test": "so", "reported": 2.0}
    assert judged.Claim(**made, fair=lambda: fair, before=lambda: before).line()[2] == "seen"
    assert judged.Claim(**made, fair=lambda: None, before=lambda: before).line()[2] == (
        "not run yet; before the mending: not seen"
    )
    assert judged.Claim(**made, fair=lambda: None).line()[2] == "not run yet"


def test_the_pages_are_what_the_rows_say(claims) -> None:
    stale = [path.name for path, text in claims.pages().items() if path.read_text(encoding="utf-8") != text]
    assert stale == [], "python experiments/claims.py writes them anew"
    assert {claim.paper for claim in claims.CLAIMS} == set(claims.PAPERS) == set(claims.WITHOUT)
