import json
from hashlib import sha256

import pytest

from unfooled.errors import BadInput
from unfooled.evaluation.contrast import Member
from unfooled.evaluation.material import (
    Example,
    Material,
    Source,
    check_examples,
    check_labels,
    hash_examples,
    hash_units,
)

TEXTS = [(f"text {place}",) for place in range(30)]
LABELS = [place % 2 for place in range(30)]
MATERIAL = Material(TEXTS, LABELS, {"data": Source("toy", "h")})


def test_some_are_drawn_by_the_seed_and_stay_in_order() -> None:
    assert MATERIAL.some(None, 0) == MATERIAL.some(99, 0) == MATERIAL.examples
    drawn = MATERIAL.some(10, 1)
    assert len(drawn) == 10 and drawn == [one for one in MATERIAL.examples if one in drawn]
    assert drawn == MATERIAL.some(10, 1) != MATERIAL.some(10, 2)
    assert set(MATERIAL.some(5, 1)) < set(drawn)  # fewer are among more


def test_hashes_are_of_texts_labels_and_order() -> None:
    expected = sha256(b"".join(json.dumps([*text, label]).encode() + b"\n" for text, label in MATERIAL.examples))
    assert hash_examples(TEXTS, LABELS) == hash_units(MATERIAL.examples) == expected.hexdigest()
    assert (
        len({hash_units([Example(("a",), 0)]), hash_units([Example(("a",), 1)]), hash_units([Example(("b",), 0)])}) == 3
    )
    assert hash_units([Member("g", True, ("a",), 0)]) != hash_units([Member("g", False, ("a",), 0)])
    assert hash_units(MATERIAL.examples[::-1]) != hash_units(MATERIAL.examples)


@pytest.mark.parametrize(
    ("texts", "labels", "message"),
    [
        ([], [], "no examples"),
        (TEXTS, LABELS[1:], "30 texts have 29 labels"),
        (["ab"], [0], "example 0 is no text or pair"),
        ([("a",), ("a", "b")], [0, 1], "example 1 is no text or pair"),
    ],
)
def test_what_nothing_can_be_measured_on_is_refused(texts: list, labels: list, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        check_examples(Material(texts, labels, {}))


def test_labels_a_model_does_not_know_are_refused() -> None:
    check_labels(MATERIAL, "m", ("no", "yes"))
    with pytest.raises(BadInput, match=r"example 1 has label 1, but m knows 1 classes \(no\)"):
        check_labels(MATERIAL, "m", ("no",))
