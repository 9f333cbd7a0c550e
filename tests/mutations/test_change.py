"""Changes of syntax trees, and what is said where they cannot be made."""

import ast

import pytest

from mutations import places
from mutations.change import Quote, Swap, definitions, drop, exchange, swap
from mutations.mutation import Mutation

MODULE = """
LIMITS: tuple = ("one", "two")

class Runner:
    size: int = 1

    def run(self, a, b):
        # kept by nobody
        with still(a), frozen(b):
            c = run(a, *b, key=a +
                    1)
        if not c: return None
        return [one for one in c if one > 0]
"""


def changed(change: Swap, name: str = "Runner.run") -> str:
    """What becomes of a definition, from its second line on if it is a function."""
    text = ast.unparse(dict(definitions(ast.parse(change.made(MODULE, name))))[name])
    return "; ".join(line.strip() for line in text.splitlines()[text.startswith("def") :])


BEFORE = (
    "with still(a), frozen(b):; c = run(a, *b, key=a + 1); if not c:; return None; return [one for one in c if one > 0]"
)


@pytest.mark.parametrize(
    ("change", "old", "new"),
    [
        (swap("a + 1", "a - 1"), "a + 1", "a - 1"),
        (swap("run(a, ..., key=...)", "{}"), "run(a, *b, key=a + 1)", "{}"),
        (swap("if not c: ...", "c = 1; c += 1"), "if not c:; return None", "c = 1; c += 1"),
        (swap("c = ...", "pass"), "c = run(a, *b, key=a + 1)", "pass"),
        (drop("if not ...: ..."), "if not c:; return None; ", ""),
        (drop("one > 0"), " if one > 0", ""),
        (drop("a + 1"), ", key=a + 1", ""),
        (drop("still(a)"), "still(a), ", ""),
        (Swap({"still(a)": "", "frozen(b)": ""}), "with still(a), frozen(b):; ", ""),
        (exchange("still", "frozen"), "still(a), frozen(b)", "frozen(a), still(b)"),
    ],
)
def test_what_is_alike_gives_way_and_the_rest_stays(change: Swap, old: str, new: str) -> None:
    assert old in BEFORE and changed(change) == BEFORE.replace(old, new)


def test_constants_and_fields_have_places_of_their_own() -> None:
    assert changed(swap('"two"', '*("two", "three")'), "LIMITS").endswith("('one', *('two', 'three'))")
    assert changed(swap("1", "2"), "Runner.size") == "size: int = 2"


@pytest.mark.parametrize(
    ("change", "name", "message"),
    [
        (swap("a - 1", "a"), "Runner.run", "'a - 1' stands 0 times"),
        (swap("b", "a"), "Runner.run", "'b' stands 2 times"),
        (swap("True", "2"), "Runner.size", "'True' stands 0 times"),
        (swap("a", "b"), "Runner.walk", "there is no such definition"),
        (Quote("a", "b"), "", "'a' stands"),
    ],
)
def test_what_cannot_be_changed_is_said(change: Swap | Quote, name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        change.made(MODULE, name)


def test_what_moved_is_found_again(monkeypatch: pytest.MonkeyPatch) -> None:
    known = [(f"new:{name}", node) for name, node in definitions(ast.parse(MODULE))]
    monkeypatch.setattr(places, "places", lambda: known)

    def now(place: str, change: Swap) -> list[str]:
        return places.place_now(Mutation("lost", "", place, change, ""))

    assert now("old:Runner.run", swap("a + 1", "a")) == ["new:Runner.run"]
    assert now("old:run", swap("a + 1", "a")) == ["new:Runner.run"]
    assert now("old:walk", swap("a + 1", "a")) == ["new:Runner.run"]
    assert now("old:walk", swap("1", "2")) == ["new:Runner.size", "new:Runner.run"]
    assert now("old:Runner.run", swap("a - 1", "a")) == ["new:Runner.run"]
    assert now("new:Runner.run", swap("a - 1", "a")) == []
    test = "mutations/test_change.py::test_what_moved_is_found_again"
    assert places.catcher_now(Mutation("here", "", "", swap("a", "b"), test)) is None
    assert places.catcher_now(Mutation("gone", "", "", swap("a", "b"), test.replace("change", "old"))) == [test]
