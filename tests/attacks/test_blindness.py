"""An attack does not see how sure a model says it is: logits .01 to 1000 times as large change no outcome."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from toys import attacked, essence
from trained import SCALES, all_parts, multiplied, sentences, trained, two

from unfooled.attacks import ATTACKS, PWWS, PWWS_PEER, AttackRecord, Limits
from unfooled.attacks.attack import Attack
from unfooled.errors import BadInput
from unfooled.models import TextModel
from unfooled.trials.words.attack_numbers import saturation
from unfooled.types import Texts
from unfooled.victims import open_victim
from unfooled.victims.calibration import temperature_of
from unfooled.victims.victim import Victim

Case = tuple[TextModel, list[Texts], list[Any]]
TRAINED, ATTACKED = 120, 16  # texts


def three(texts: list[str], counts: np.ndarray) -> tuple[list[Texts], list[Any]]:
    return [(text,) for text in texts], [int(np.sign(good - bad)) + 1 for good, bad in counts]


def pairs(texts: list[str], counts: np.ndarray) -> tuple[list[Texts], list[Any]]:
    return [(texts[at - 1], text) for at, text in enumerate(texts)], [int(good > bad) for good, bad in counts]


def sets(texts: list[str], counts: np.ndarray) -> tuple[list[Texts], list[Any]]:
    found = [tuple(np.flatnonzero([good > 0, bad > 0, good > bad]).tolist()) for good, bad in counts]
    return [(text,) for text in texts], found


KINDS = {"two": (two, 2), "three": (three, 3), "pairs": (pairs, 2), "sets": (sets, 3)}


@pytest.fixture(scope="module", params=list(KINDS))
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Case:
    return made(tmp_path_factory.mktemp(request.param), request.param)


def made(folder: Path, kind: str) -> Case:
    """A trained network, and texts that it has not seen."""
    reading, classes = KINDS[kind]
    model = trained(folder, tuple("abc"[:classes]), *reading(*sentences(TRAINED, 0)))
    return (model, *reading(*sentences(ATTACKED, 1)))


def outcomes(attack: Attack, victim: Any, texts: Sequence[Texts], labels: Sequence[Any]) -> list[AttackRecord]:
    return attacked(attack, victim, texts, labels, parts=all_parts(), limits=Limits(in_flight=8, batch_size=32))


@pytest.mark.parametrize("name", list(ATTACKS))
def test_no_outcome_depends_on_the_size_of_the_logits(case: Case, name: str) -> None:
    model, texts, labels = case
    if ATTACKS[name].looks_inside and isinstance(labels[0], tuple):
        with pytest.raises(BadInput, match="no network of classes whose gradient can be asked"):
            outcomes(ATTACKS[name](), model, texts, labels)
        return
    expected = outcomes(ATTACKS[name](), model, texts, labels)
    assert {"fooled"} <= {one.outcome for one in expected} and all(one.before for one in expected)
    for scale in SCALES:
        found = outcomes(ATTACKS[name](), multiplied(model, scale), texts, labels)
        for one, other in zip(expected, found, strict=True):
            assert essence(one) == essence(other) and (one.sets, one.candidates) == (other.sets, other.candidates)
            assert replace(one, before=(), after=()) == replace(other, before=(), after=())
            np.testing.assert_allclose([*one.before, *one.after], [*other.before, *other.after], atol=2e-6)


@pytest.mark.parametrize("name", list(ATTACKS))
def test_no_outcome_depends_on_what_else_is_asked_at_the_same_time(name: str, tmp_path: Path) -> None:
    model, texts, labels = made(tmp_path, "two")
    each, together = (
        attacked(ATTACKS[name](), model, texts, labels, parts=all_parts(), limits=limits)
        for limits in (Limits(in_flight=1, batch_size=1), Limits(in_flight=16, batch_size=64))
    )
    assert [essence(one) for one in each] == [essence(one) for one in together]


def test_the_peers_questions_are_blind_too(case: Case) -> None:
    model, texts, labels = case
    expected = [essence(one) for one in outcomes(PWWS_PEER, model, texts, labels)]
    for scale in SCALES:
        found = outcomes(PWWS_PEER, multiplied(model, scale), texts, labels)
        assert [essence(one) for one in found] == expected


def test_what_changes_no_answer_changes_no_outcome(tmp_path: Path) -> None:
    """A constant beside all logits, and a class that is never said."""
    model, texts, labels = made(tmp_path, "three")
    plain = open_victim(model)
    moved = replace(plain, call=lambda some: plain.call(some) + 1e6)
    never = replace(
        plain, call=lambda some: np.pad(plain.call(some), ((0, 0), (0, 1)), constant_values=-1e9), labels=()
    )
    expected, *found = (
        [essence(one) for one in outcomes(PWWS(), each, texts, labels)] for each in (plain, moved, never)
    )
    assert found == [expected, expected]


def own_probabilities(victim: Victim) -> Victim:
    """The same model as a callable that gives its probabilities and nothing else, in single precision as most do."""
    return replace(victim, call=lambda texts: victim.answer(texts).astype(np.float32), logits=False)


def test_probabilities_alone_saturate_and_that_is_said(tmp_path: Path) -> None:
    """The failure that logits mend: a model 1000 times as sure, with the same decisions, passes for a robust one."""
    model, texts, labels = made(tmp_path, "two")
    plain, sure = (own_probabilities(open_victim(multiplied(model, scale))) for scale in (0.2, 1000.0))
    usual, flattered = (outcomes(PWWS(), victim, texts, labels) for victim in (plain, sure))
    fooled = [sum(one.outcome == "fooled" for one in records) for records in (usual, flattered)]
    assert fooled[0] > fooled[1] and [one.prediction for one in usual] == [one.prediction for one in flattered]
    assert saturation(usual) == []
    warning = " ".join(saturation(flattered))
    assert f"of {len(texts)} texts" in warning and "may flatter the model" in warning and "logits = True" in warning


def test_what_is_done_is_left_out_of_the_attack_and_not_of_the_fit(tmp_path: Path) -> None:
    model, texts, labels = made(tmp_path, "two")
    expected = outcomes(PWWS(), model, texts, labels)
    done = set(range(ATTACKED - 3))
    rest = attacked(PWWS(), model, texts, labels, parts=all_parts(), done=done)
    assert [one.index for one in rest] == [13, 14, 15]
    assert [essence(one) for one in rest] == [essence(one) for one in expected[-3:]]
    np.testing.assert_allclose([one.before for one in rest], [one.before for one in expected[-3:]], atol=2e-6)


def test_a_temperature_that_is_given_is_used(tmp_path: Path) -> None:
    model, texts, labels = made(tmp_path, "two")
    fitted = temperature_of(open_victim(model), texts, labels, 32)
    assert fitted is not None
    expected = outcomes(PWWS(), model, texts, labels)
    given = attacked(PWWS(), model, texts, labels, parts=all_parts(), temperature=fitted)
    warmer = attacked(PWWS(), model, texts, labels, parts=all_parts(), temperature=10 * fitted)
    assert [essence(one) for one in given] == [essence(one) for one in expected]
    assert all(max(one.before) < max(other.before) for one, other in zip(warmer, expected, strict=True))
