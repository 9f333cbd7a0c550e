"""A callable is a victim under its own name, with what it says of itself."""

from collections.abc import Sequence

import numpy as np
import pytest

from unfooled.errors import BadInput
from unfooled.victims import open_victim
from unfooled.victims.callable import CALLABLE
from unfooled.victims.label_sets import LabelSets
from unfooled.victims.victim import UNKNOWN, characters


def mine(texts: list[str]) -> np.ndarray:
    return np.full((len(texts), 2), 0.5)


class Telling:
    """A callable that says how it is asked."""

    takes_tuples, unknown, sets = True, "[gone]", LabelSets(("a", "b"))

    def lengths(self, texts: Sequence[tuple[str, ...]]) -> list[int]:
        return [len(text[0].split()) for text in texts]

    def __call__(self, texts: Sequence[tuple[str, ...]]) -> np.ndarray:
        return np.full((len(texts), 2), 0.9)


def test_a_function_goes_by_its_name_and_has_no_hash() -> None:
    victim = open_victim(mine, ["a", "b"])
    assert victim.call is mine and victim.labels == ("a", "b") and not victim.hash and victim.name == "mine"
    assert (victim.task, victim.unknown, victim.lengths, victim.takes_tuples, victim.sets) == (
        *("classification", UNKNOWN, characters, False),
        None,
    )
    assert victim.network is None and victim.max_length is None


def test_what_a_callable_says_of_itself_is_taken() -> None:
    call = Telling()
    victim = open_victim(call)
    assert (victim.name, victim.task, victim.unknown) == ("Telling", "multilabel", "[gone]")
    assert victim.takes_tuples and victim.sets is call.sets and victim.lengths([("a b",)]) == [2]
    assert victim.tried(("x",)).classes == 2  # which need not sum to 1


def test_a_callable_says_that_it_gives_logits() -> None:
    def own(texts: list[str]) -> np.ndarray:
        return np.tile([0.0, 5.0], (len(texts), 1))

    assert not open_victim(mine).logits
    own.logits = True  # type: ignore[attr-defined]
    victim = open_victim(own)
    assert victim.logits and victim.tried(("x",)).classes == 2
    assert victim.answer([("x",)])[0, 1] == pytest.approx(1 / (1 + np.exp(-5)))


def test_only_what_can_be_called_is_taken() -> None:
    assert CALLABLE.takes(mine) and CALLABLE.takes(Telling()) and not CALLABLE.takes("folder")
    with pytest.raises(BadInput, match="int is no victim of a kind that is known"):
        open_victim(3)
