import json
from hashlib import sha256

import pytest

from unfooled.data.contrast_sets import Member
from unfooled.errors import BadInput
from unfooled.trials.inputs import Example, Given, Inputs, check_inputs, check_labels, hash_units
from unfooled.trials.shift import Contrasted
from unfooled.trials.side_by_side import MarkedSource

TEXTS = [(f"text {place}",) for place in range(30)]
LABELS = [place % 2 for place in range(30)]
INPUTS = Inputs(TEXTS, LABELS, {"data": Given("toy", "h")})


def test_some_are_drawn_by_the_seed_and_stay_in_order() -> None:
    assert INPUTS.some(None, 0) == INPUTS.some(99, 0) == INPUTS.examples
    drawn = INPUTS.some(10, 1)
    assert len(drawn) == 10 and drawn == [one for one in INPUTS.examples if one in drawn]
    assert drawn == INPUTS.some(10, 1) != INPUTS.some(10, 2)
    assert set(INPUTS.some(5, 1)) < set(drawn)  # fewer are among more


def test_hashes_are_of_texts_labels_and_order() -> None:
    expected = sha256(b"".join(json.dumps([*text, label]).encode() + b"\n" for text, label in INPUTS.examples))
    assert hash_units(INPUTS.examples) == expected.hexdigest()
    assert (
        len({hash_units([Example(("a",), 0)]), hash_units([Example(("a",), 1)]), hash_units([Example(("b",), 0)])}) == 3
    )
    assert hash_units([Member("g", True, ("a",), 0)]) != hash_units([Member("g", False, ("a",), 0)])
    assert hash_units(INPUTS.examples[::-1]) != hash_units(INPUTS.examples)


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
        check_inputs(Inputs(texts, labels, {}))


def test_labels_a_model_does_not_know_are_refused() -> None:
    check_labels(INPUTS, "m", ("no", "yes"))
    with pytest.raises(BadInput, match=r"example 1 has label 1, but m knows 1 classes \(no\)"):
        check_labels(INPUTS, "m", ("no",))


def test_hashes_are_of_whatever_a_trial_is_run_on() -> None:
    lines = sha256(b'"a line"\n["source", "target"]\n')
    assert hash_units(["a line", ("source", "target")]) == lines.hexdigest()
    marked = MarkedSource("the man", "man", "der Mann")
    assert hash_units([marked]) == hash_units([{"source": "the man", "word": "man", "reference": "der Mann"}])
    # No number depends on a revision, so an example with one is the same example.
    assert hash_units([Contrasted(("a",), 1, ("b",))]) == hash_units([Example(("a",), 1)])


def test_rows_are_drawn_with_the_examples() -> None:
    rows = INPUTS.drawn(10, 1)
    assert [INPUTS.examples[row] for row in rows] == INPUTS.some(10, 1) and rows == sorted(rows)
    assert INPUTS.drawn(None, 1) == INPUTS.drawn(30, 1) == list(range(30))
