"""HLBB: fooled where random words can, words put back that need not change, no score ever looked at."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from toys import Bag, attacked, essence, exhaustive, known, labelled, sentences

from unfooled.attacks import HLBB, Limits, Parts, RandomWords
from unfooled.errors import BadInput
from unfooled.text.document import changed, read


def overlap(reference: str, texts: Sequence[str]) -> list[float]:
    """How many words two texts share: a likeness that can be counted by hand."""
    own = reference.split()
    return [sum(one == other for one, other in zip(own, text.split(), strict=True)) / len(own) for text in texts]


PARTS = Parts(known().substitutes, overlap)


def answers_only(victim: Any) -> Any:
    """The victim without its scores."""

    def call(texts: Sequence[str]) -> np.ndarray:
        return np.eye(2)[np.asarray(victim(texts)).argmax(axis=1)]

    call.labels_only = True  # type: ignore[attr-defined]
    return call


TEXTS = sentences(24, seed=3)


def test_answers_alone_suffice_and_scores_change_nothing() -> None:
    victim = Bag()
    labels = labelled(victim, TEXTS)
    blind = attacked(HLBB(), answers_only(victim), TEXTS, labels, parts=PARTS)
    sighted = attacked(HLBB(), victim, TEXTS, labels, parts=PARTS)
    # but for questions: texts that are a tie to the victim with scores are an answer to the one without
    assert [essence(one)[:4] for one in blind] == [essence(one)[:4] for one in sighted]
    outcomes = {one.outcome for one in blind}
    assert {"fooled", "held"} <= outcomes <= {"fooled", "held", "no candidates"}


def test_what_it_fools_can_be_fooled_and_no_change_is_idle() -> None:
    victim = Bag()
    labels = labelled(victim, TEXTS)
    fooled = [one for one in attacked(HLBB(), victim, TEXTS, labels, parts=PARTS) if one.outcome == "fooled"]
    assert len(fooled) >= 3
    for record in fooled:
        assert exhaustive(victim, record.texts[0], record.label)
        before, after = read(record.texts[0]), read(record.adversary[0])
        places = changed(before, after)
        for place in places if len(places) > 1 else ():  # with any one word put back it no longer fools
            back = str(after.replace({place: before.words[place]}))
            assert int(np.asarray(victim([back]))[0].argmax()) == record.label


def test_it_changes_fewer_words_than_its_beginning_and_does_not_depend_on_batches() -> None:
    victim = Bag()
    labels = labelled(victim, TEXTS)
    records = attacked(HLBB(), victim, TEXTS, labels, parts=PARTS)
    alone = attacked(HLBB(), victim, TEXTS, labels, parts=PARTS, limits=Limits(in_flight=1, batch_size=1))
    assert [essence(one) for one in records] == [essence(one) for one in alone]
    random = attacked(RandomWords(), victim, TEXTS, labels, parts=PARTS)
    both = [
        (one, other) for one, other in zip(records, random, strict=True) if one.outcome == other.outcome == "fooled"
    ]
    assert sum(len(one.changes) for one, _ in both) < sum(len(other.changes) for _, other in both)
    more = sum(one.outcome == "fooled" for one in records) - sum(one.outcome == "fooled" for one in random)
    assert more >= 0  # five beginnings to one


def test_breeding_finds_the_nearest_word() -> None:
    """By hand: any of three words fools, the third is most like the original; the first drawn is another."""
    options = {"good": ("bad", "awful", "middling")}
    cosines = {"bad": 0.2, "awful": 0.1, "middling": 0.9}

    def likeness(reference: str, texts: Sequence[str]) -> list[float]:
        return [next((value for word, value in cosines.items() if word in text), 1.0) for text in texts]

    def victim(texts: Sequence[str]) -> np.ndarray:
        return np.array([[0.0, 1.0] if "good" in text else [1.0, 0.0] for text in texts])

    parts = Parts(known(options).substitutes, likeness)
    for seed in range(4):
        [record] = attacked(HLBB(), victim, ["a good film"], [1], parts=parts, seed=seed)
        assert record.adversary == ("a middling film",) and record.similarity == 0.9
    [short] = attacked(HLBB(generations=0), victim, ["a good film"], [1], parts=parts, seed=1)
    assert short.outcome == "fooled" and short.queries == 2


def test_without_a_likeness_it_is_refused() -> None:
    with pytest.raises(BadInput, match="hlbb goes by how like its texts are"):
        attacked(HLBB(), Bag(), ["good film"], [1], parts=Parts(known().substitutes))
