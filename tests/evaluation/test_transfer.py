import numpy as np

from unfooled.evaluation.transfer import (
    Adversary,
    accuracy_under_attack,
    attack_success,
    clean_accuracy,
    transfer,
)

SET = [Adversary((f"text {place}",), (f"adversary {place}",), place % 2) for place in range(6)]
SAYS = {"text 0": 0, "text 1": 1, "text 2": 0, "text 3": 0, "text 4": 0, "text 5": 1}  # wrong on 3
SAYS |= {"adversary 0": 1, "adversary 1": 0, "adversary 2": 0, "adversary 3": 0, "adversary 4": 0, "adversary 5": 1}


def answer(texts: list[tuple[str, ...]]) -> np.ndarray:
    return np.array([[0.9, 0.1] if SAYS[text[0]] == 0 else [0.2, 0.8] for text in texts])


def test_every_share_is_counted_by_hand() -> None:
    records = list(transfer(answer, SET))
    assert (clean_accuracy(records).value, clean_accuracy(records).n) == (5 / 6, 6)
    assert (accuracy_under_attack(records).value, accuracy_under_attack(records).n) == (3 / 6, 6)
    assert (attack_success(records).value, attack_success(records).n) == (2 / 5, 5)  # 0 and 1, of those right before


def test_records_say_what_was_said_of_both() -> None:
    record = next(iter(transfer(answer, SET, done={0, 2, 3, 4, 5})))
    assert (record.index, record.label, record.texts, record.adversary) == (1, 1, ("text 1",), ("adversary 1",))
    assert (record.prediction, record.before, record.answer, record.after) == (1, 0.8, 0, 0.1)
