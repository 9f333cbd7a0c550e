"""All combinations are asked about, the fewest changed words first, up to the first that fools."""

import numpy as np
import pytest
from toys import SYNONYMS, Bag, attacked, constant, exhaustive, known, labelled, sentences

from unfooled.attacks import Parts
from unfooled.attacks.every_combination import EveryCombination, written
from unfooled.errors import BadInput

TEXTS = sentences(60, seed=5, longest=6)


def ways(text: str) -> int:
    return int(np.prod([len(SYNONYMS.get(word, ())) + 1 for word in text.split()]))


def test_it_fools_exactly_where_some_combination_does() -> None:
    labels = labelled(Bag(), TEXTS)
    records = attacked(EveryCombination(), Bag(), TEXTS, labels)
    able = [exhaustive(Bag(), text, label) for text, label in zip(TEXTS, labels, strict=True)]
    assert [record.outcome == "fooled" for record in records] == able and 5 < sum(able) < 55


def test_every_way_is_asked_about_once_where_none_fools() -> None:
    for text in ("good film story", "the dull actor"):
        [record] = attacked(EveryCombination(), constant, [text], [1])
        assert record.outcome == "held" and record.asked == ways(text) and record.from_cache == 0


def test_the_fewest_changed_words_come_first() -> None:
    def needs_two(texts: list[str]) -> np.ndarray:
        words = [set(text.split()) for text in texts]
        return np.array([[0.9, 0.1] if {"movie", "plot"} <= own else [0.1, 0.9] for own in words])

    [record] = attacked(EveryCombination(), needs_two, ["good film story"], [1])
    assert record.outcome == "fooled" and [change.new for change in record.changes] == ["movie", "plot"]
    sizes = [len(changes) for changes in written([0, 1, 2], [("a",), ("b", "c"), ("d",)])]
    assert sizes == sorted(sizes) and len(sizes) == 2 * 3 * 2 - 1


def test_without_substitutes_it_is_refused() -> None:
    with pytest.raises(BadInput, match="needs substitutes"):
        EveryCombination().search(Parts())
    [record] = attacked(EveryCombination(), constant, ["the"], [1], parts=known())
    assert record.outcome == "no candidates"
