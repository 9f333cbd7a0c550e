"""The claims of an attack asked again: true ones hold, and whatever was invented or changed is found."""

from dataclasses import replace

import numpy as np
import pytest
from toys import Bag, attacked, labelled, sentences

from unfooled.attacks import PWWS, AttackRecord
from unfooled.attacks.records import Sets
from unfooled.trials.trial import AskedAgain
from unfooled.trials.words.words_again import asked_again
from unfooled.victims import open_victim
from unfooled.victims.label_sets import LabelSets

TEXTS = sentences(30, seed=1)
VICTIM = open_victim(Bag(), ("no", "yes"))


@pytest.fixture(scope="module")
def records() -> list[AttackRecord]:
    return attacked(PWWS(), Bag(), TEXTS, labelled(Bag(), TEXTS))


@pytest.fixture(scope="module")
def claim(records: list[AttackRecord]) -> AttackRecord:
    return next(one for one in records if one.outcome == "fooled")


def test_what_was_said_is_said_again(records: list[AttackRecord]) -> None:
    fooled = tuple(one.index for one in records if one.outcome == "fooled")
    assert len(fooled) > 5 and asked_again(records, {"column": None, "target": None}, VICTIM) == AskedAgain(
        fooled, (), ()
    )


def test_nothing_claimed_is_nothing_asked(records: list[AttackRecord]) -> None:
    def never(texts: list[str]) -> np.ndarray:
        raise AssertionError

    held = [one for one in records if one.outcome != "fooled"]
    assert asked_again(held, {}, open_victim(never)) == AskedAgain((), (), ())


@pytest.mark.parametrize(
    "change",
    [
        {"adversary": ("great great great",)},  # which does not fool it, or is the text itself
        {"adversary": None},
        {"adversary": ("a", "b")},
        {"outcome": "held"},
        {"label": 9},
        {"label": -1},
    ],
)
def test_a_claim_that_is_not_true_disagrees(claim: AttackRecord, change: dict[str, object]) -> None:
    label = {"label": 1, "texts": ("good story",), "adversary": ("solid plot",)}
    true = replace(claim, **label, before=tuple(Bag()(["good story"])[0]), after=tuple(Bag()(["solid plot"])[0]))  # type: ignore[arg-type]
    true = replace(true, prediction=1, fooled_into=0)
    assert asked_again([true], {}, VICTIM) == AskedAgain((claim.index,), (), ())
    odd = replace(true, **change)  # type: ignore[arg-type]
    assert asked_again([odd], {}, VICTIM) == AskedAgain((claim.index,), (claim.index,), ())


def test_a_text_that_was_wrong_before_is_no_claim(claim: AttackRecord) -> None:
    wrong = replace(claim, label=1 - claim.label)
    assert asked_again([wrong], {}, VICTIM).disagreeing == (claim.index,)


def test_answers_that_are_otherwise_are_named_though_they_fool(claim: AttackRecord) -> None:
    for change in (
        {"before": (0.5, 0.5)},
        {"after": tuple(value + 0.01 for value in claim.after)},
        {"fooled_into": claim.label},
        {"prediction": None},
        {"after": (1.0,)},
    ):
        assert asked_again([replace(claim, **change)], {}, VICTIM) == AskedAgain(  # type: ignore[arg-type]
            (claim.index,), (), (claim.index,)
        )
    near = replace(claim, after=tuple(value + 5e-4 for value in claim.after))
    assert asked_again([near], {}, VICTIM).otherwise == ()


def test_a_target_must_be_reached(claim: AttackRecord) -> None:
    into = VICTIM.labels[1 - claim.label]
    assert asked_again([claim], {"target": into}, VICTIM).disagreeing == ()
    assert asked_again([claim], {"target": VICTIM.labels[claim.label]}, VICTIM).disagreeing == (claim.index,)


def test_only_the_attacked_column_may_differ(claim: AttackRecord) -> None:
    def second(texts: list[tuple[str, ...]]) -> np.ndarray:
        return Bag()([text[-1] for text in texts])

    pair = replace(claim, texts=("premise", *claim.texts), adversary=("premise", *(claim.adversary or ())))
    victim = open_victim(second, ("no", "yes"))
    assert asked_again([pair], {"column": None}, victim).disagreeing == ()
    assert asked_again([pair], {"column": 1}, victim).disagreeing == ()
    assert asked_again([pair], {"column": 0}, victim).disagreeing == (claim.index,)
    both = replace(pair, adversary=("another", *(claim.adversary or ())))
    assert asked_again([both], {"column": None}, victim).disagreeing == (claim.index,)


class Saying:
    """Says "kin" of texts with "dad" in them, and nothing else."""

    takes_tuples, sets = True, LabelSets(("kin", "boss"))

    def __call__(self, texts: list[tuple[str, ...]]) -> np.ndarray:
        return np.array([[0.9, 0.1] if "dad" in text[0] else [0.2, 0.1] for text in texts])


def test_sets_are_claims_of_the_labels_that_the_model_knows(claim: AttackRecord) -> None:
    sets = Sets(("kin",), ("kin",), ())
    own = replace(claim, label=0, texts=("my dad",), adversary=("my man",), prediction=0, fooled_into=1, sets=sets)
    own = replace(own, before=(0.9, 0.1), after=(0.2, 0.8))
    victim = open_victim(Saying())
    assert asked_again([own], {}, victim) == AskedAgain((claim.index,), (), ())
    for odd in (replace(own, sets=None), replace(own, sets=Sets(("friend",), ("kin",), ()))):
        assert asked_again([odd], {}, victim).disagreeing == (claim.index,)
    assert asked_again([own], {}, VICTIM).disagreeing == (claim.index,)  # a classifier says no sets
