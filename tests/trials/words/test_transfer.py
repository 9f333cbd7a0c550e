"""Stored adversaries put to a model: shares by hand, and what a log says of them asked again."""

from dataclasses import replace

import numpy as np
import pytest
from trial_ground import only_asked, ran

from unfooled.data.adversaries import StoredAdversary
from unfooled.errors import BadInput
from unfooled.trials.inputs import Inputs
from unfooled.trials.trial import AskedAgain, NoSettings, Question
from unfooled.trials.words.transfer import (
    TRANSFER,
    TransferRecord,
    accuracy_under_attack,
    as_said,
    asked_again,
    attack_success,
    clean_accuracy,
)
from unfooled.victims import open_victim

SET = [StoredAdversary((f"text {place}",), (f"adversary {place}",), place % 2) for place in range(6)]
SAYS = {"text 0": 0, "text 1": 1, "text 2": 0, "text 3": 0, "text 4": 0, "text 5": 1}  # wrong on 3
SAYS |= {"adversary 0": 1, "adversary 1": 0, "adversary 2": 0, "adversary 3": 0, "adversary 4": 0, "adversary 5": 1}


def answer(texts: list[tuple[str, ...]]) -> np.ndarray:
    return np.array([[0.9, 0.1] if SAYS[text[0]] == 0 else [0.2, 0.8] for text in texts])


VICTIM = only_asked(answer, ("no", "yes"))


def test_every_share_is_counted_by_hand() -> None:
    records = list(ran(TRANSFER, VICTIM, SET))
    assert (clean_accuracy(records).value, clean_accuracy(records).n) == (5 / 6, 6)
    assert (accuracy_under_attack(records).value, accuracy_under_attack(records).n) == (3 / 6, 6)
    assert (attack_success(records).value, attack_success(records).n) == (2 / 5, 5)  # 0 and 1, of those right before


def test_records_say_what_was_said_of_both() -> None:
    record = next(ran(TRANSFER, VICTIM, SET, done={0, 2, 3, 4, 5}))
    assert (record.index, record.label, record.texts, record.adversary) == (1, 1, ("text 1",), ("adversary 1",))
    assert (record.prediction, record.before, record.answer, record.after) == (1, 0.8, 0, 0.1)


def test_the_units_are_the_stored_set_and_without_one_there_is_no_trial() -> None:
    assert TRANSFER.units(Inputs([], [], {}, adversaries=SET), NoSettings(), 0) is SET
    for none in (None, []):
        with pytest.raises(BadInput, match="needs stored adversaries; name an attack's folder with adversaries="):
            TRANSFER.units(Inputs([], [], {}, adversaries=none), NoSettings(), 0)


def test_rows_questions_and_verdict_are_of_the_adversaries() -> None:
    records = list(ran(TRANSFER, VICTIM, SET))
    assert [(row.metric, row.score.value, row.score.better) for row in TRANSFER.scores(records)] == [
        ("clean_accuracy", 5 / 6, "more"),
        ("accuracy_under_attack", 3 / 6, "more"),
        ("attack_success", 2 / 5, "less"),
    ]
    right = {0: False, 1: False, 2: True, 3: False, 4: True, 5: True}
    assert TRANSFER.questions(records) == {Question("accuracy_under_attack"): right}
    assert TRANSFER.good is not None and {one.index: TRANSFER.good(one) for one in records} == right
    (part,) = TRANSFER.verdict
    assert (part.axis, part.name) == ("fickleness", "stored adversaries")
    assert part.score({"transfer": records}) == attack_success(records)


def test_what_was_said_is_said_again() -> None:
    records = list(ran(TRANSFER, VICTIM, SET))
    assert asked_again(records, {}, VICTIM) == AskedAgain((0, 1), (), ()) and TRANSFER.again is asked_again
    near = [replace(records[0], before=records[0].before + 5e-4), *records[1:]]
    assert asked_again(near, {}, VICTIM).otherwise == ()


def test_what_was_invented_is_found() -> None:
    records = list(ran(TRANSFER, VICTIM, SET))
    invented = replace(records[2], answer=1)  # it is not fooled by this one
    assert asked_again([*records[:2], invented, *records[3:]], {}, VICTIM) == AskedAgain((0, 1, 2), (2,), ())
    changed = replace(records[5], after=0.5)
    assert asked_again([*records[:5], changed], {}, VICTIM) == AskedAgain((0, 1), (), (5,))
    for odd in (replace(records[0], label=7, prediction=7), replace(records[0], label=-1, prediction=-1)):
        assert asked_again([odd, *records[1:]], {}, VICTIM).disagreeing == (0,)
    beyond = replace(records[2], prediction=9)
    assert asked_again([*records[:2], beyond, *records[3:]], {}, VICTIM).otherwise == (2,)


def glad(texts: list[str]) -> np.ndarray:
    return np.array([[0.1, 0.9] if "good" in text else [0.8, 0.2] for text in texts])


RECORD = TransferRecord(0, 1, ("a good one",), ("a fine one",), 1, 0.9, 0, 0.2)


@pytest.mark.parametrize(
    ("changes", "claims", "disagreeing", "otherwise"),
    [
        ({}, True, False, False),
        ({"adversary": ("good again",)}, True, True, False),
        ({"label": 0}, False, False, True),
        ({"label": 7}, False, False, True),
        ({"after": 0.3}, True, False, True),
        ({"after": 0.2005}, True, False, False),
        ({"before": 0.7}, True, False, True),
        ({"answer": 1}, False, False, True),
        ({"answer": 9}, True, False, True),
        ({"prediction": 0}, False, False, True),
    ],
)
def test_every_part_of_a_record_is_asked_again(
    changes: dict[str, object], claims: bool, disagreeing: bool, otherwise: bool
) -> None:
    found = asked_again([replace(RECORD, **changes)], {}, open_victim(glad))  # type: ignore[arg-type]
    assert found == AskedAgain(*((0,) if said else () for said in (claims, disagreeing, otherwise)))


def test_ties_are_either_answer() -> None:
    row = np.array([0.5, 0.4999])
    assert as_said(0, 0.5, 0, row) and as_said(1, 0.5, 0, row) and not as_said(1, 0.5, 0, np.array([0.51, 0.49]))
