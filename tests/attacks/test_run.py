import os
import signal
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from toys import Bag, attacked, keyword, known, labelled

from unfooled.attacks import PWWS, Limits, RandomWords, run_attack, targeted
from unfooled.attacks.attack import Parts
from unfooled.attacks.attempt import Ask, Attempt, Search, SearchEnd, Steps
from unfooled.errors import BadInput, Stopped
from unfooled.stopping import stoppable
from unfooled.victims import open_victim


def pairwise(texts: Sequence[tuple[str, str]]) -> np.ndarray:
    """Class 1 where both texts have the word good."""
    both = np.array([0.9 if "good" in one.split() and "good" in two.split() else 0.2 for one, two in texts])
    return np.stack([1 - both, both], axis=1)


@pytest.mark.parametrize(("column", "attacked_one"), [(0, 0), (1, 1), (None, 1)])
def test_only_one_column_of_a_pair_is_edited(column: int | None, attacked_one: int) -> None:
    pair = ("good film", "good story")
    [record] = attacked(PWWS(), pairwise, [pair], [1], column=column)
    assert record.adversary is not None
    assert record.adversary[1 - attacked_one] == pair[1 - attacked_one]
    assert record.adversary[attacked_one] != pair[attacked_one] and record.words == 2


def test_a_planted_keyword_gives_exactly_the_known_number() -> None:
    texts = ["good film", "the good story", "film", "good", "a dull story"]
    records = attacked(PWWS(), keyword, texts, [1, 1, 0, 1, 0])
    # Whatever holds "good" is fooled by replacing it; nothing can be made to hold it but by great and fine.
    assert [record.outcome for record in records] == ["fooled", "fooled", "held", "fooled", "held"]
    assert all(record.changes[0].old == "good" for record in records if record.changes)
    assert [len(record.changes) for record in records] == [1, 1, 0, 1, 0]


def test_a_record_says_what_changed_and_how_sure_the_victim_was() -> None:
    [record] = attacked(PWWS(), Bag(), ["A good film, really."], [1])
    assert record.adversary == ("A solid film, really.",) or record.adversary is not None
    assert record.words == 4 and record.prediction == 1 and record.fooled_into == 0
    assert record.before[1] == round(float(Bag()(record.texts)[0, 1]), 6)
    assert record.after[1] == round(float(Bag()(record.adversary)[0, 1]), 6) < 0.5
    assert record.error is None and record.similarity is None


def test_similarity_is_asked_for_what_fooled() -> None:
    parts = replace(known(), similarity=lambda reference, texts: [0.75] * len(texts))
    fooled, held = attacked(PWWS(questions="all"), Bag(), ["good film", "the"], [1, 1], parts=parts)
    assert fooled.similarity == 0.75 and held.similarity is None and fooled.asked == 1 + 2 + 5 + len(fooled.changes)


def test_an_adversary_stays_one_though_nobody_can_say_how_like_it_is() -> None:
    def similar(reference: str, texts: Sequence[str]) -> list[float]:
        if "great" in reference:
            raise RuntimeError("no\nmemory")
        return [0.75] * len(texts)

    texts = ["great film", "good film", *["great story"] * 9]
    records = attacked(PWWS(), Bag(), texts, [1] * 11, parts=replace(known(), similarity=similar))
    assert [record.outcome for record in records] == ["fooled"] * 11
    assert records[0].similarity is None and records[0].note == "no similarity (RuntimeError: no memory)"
    assert records[0].adversary is not None and records[0].fooled_into == 0 and records[0].error is None
    assert records[1].similarity == 0.75 and records[1].note is None


def test_done_examples_are_left_out_and_keep_their_numbers() -> None:
    texts = ["good film", "great film", "fine film"]
    found = attacked(RandomWords(), Bag(), texts, [1, 1, 1], done={1})
    assert [record.index for record in found] == [0, 2] and [record.texts[0] for record in found] == texts[::2]


def test_a_record_has_the_label_of_its_example_in_whatever_order_attacks_end() -> None:
    texts = ["good film was the story", "the film", "dull", "good story", "a dull film was the story"]
    labels = labelled(Bag(), texts)
    found = list(run_attack(PWWS(), Bag(), texts, labels, parts=known(), limits=Limits(in_flight=5, batch_size=3)))
    order = [record.index for record in found]
    assert order != sorted(order) and {0, 1} == set(labels)
    assert [record.label for record in found] == [labels[index] for index in order]


def test_what_cannot_be_attacked_is_refused_in_a_sentence() -> None:
    with pytest.raises(BadInput, match="2 texts have 1 labels"):
        list(run_attack(PWWS(), Bag(), ["a", "b"], [1]))
    with pytest.raises(BadInput, match="label 2, but the victim knows 2 classes"):
        list(run_attack(PWWS(), Bag(), ["a"], [2]))
    with pytest.raises(BadInput, match="column 1 cannot be attacked"):
        list(run_attack(PWWS(), Bag(), ["a"], [1], column=1))
    with pytest.raises(BadInput, match="the label that is the target"):
        list(run_attack(PWWS(), Bag(), ["a"], [1], goal=targeted(1)))
    with pytest.raises(BadInput, match="target is class 5"):
        list(run_attack(PWWS(), Bag(), ["a"], [1], goal=targeted(5)))
    with pytest.raises(BadInput, match="example 1 is no text or pair like the first"):
        list(run_attack(PWWS(), pairwise, [("a", "b"), ("a",)], [1, 1]))
    assert list(run_attack(PWWS(), Bag(), [], [])) == []


@pytest.mark.parametrize("place", ["victim", "lengths", "similarity", "one text"])
def test_a_signal_in_whatever_is_asked_stops_and_makes_no_record(place: str) -> None:
    asked: list[str] = []

    def signalled(name: str, times: int = 4) -> None:
        asked.append(name)
        if asked.count(place) == times:
            os.kill(os.getpid(), signal.SIGINT)

    def answer(texts: Sequence[str]) -> np.ndarray:
        signalled("victim")
        if len(texts) == 1 and len(asked) > 3:
            signalled("one text", 1)
        return Bag()(texts)

    def similar(reference: str, texts: Sequence[str]) -> list[float]:
        signalled("similarity")
        return [0.75] * len(texts)

    def lengths(texts: Sequence[tuple[str, ...]]) -> list[int]:
        signalled("lengths")
        return [1] * len(texts)

    victim = replace(open_victim(answer), lengths=lengths)
    records = []
    with pytest.raises(Stopped), stoppable():
        for record in run_attack(
            PWWS(), victim, ["good film", "great story"] * 6, [1] * 12, limits=Limits(in_flight=2, batch_size=2),
            parts=replace(known(), similarity=similar),
        ):  # fmt: skip
            records.append(record)
    assert len(records) < 12 and all(record.outcome == "fooled" and record.note is None for record in records)


def test_a_part_of_the_texts_is_drawn_for_by_their_places_in_the_whole() -> None:
    texts = [f"good film number {place}" for place in range(6)]
    keys: list[tuple[int, int]] = []

    class Noting(RandomWords):
        def search(self, parts: Parts) -> Search:
            def noted(attempt: Attempt) -> Steps:
                keys.append(attempt.key)
                yield Ask([attempt.document.text])
                return SearchEnd(attempt.document, False, 0)

            return noted

    found = list(run_attack(Noting(), Bag(), texts[1::2], [1] * 3, seed=7, places=[1, 3, 5]))
    assert sorted(keys) == [(7, 1), (7, 3), (7, 5)]
    assert sorted(record.index for record in found) == [0, 1, 2]  # of the part


def test_a_part_that_begins_with_a_text_the_victim_fails_on_is_attacked_all_the_same() -> None:
    def victim(texts: Sequence[str]) -> np.ndarray:
        if any("broken" in text for text in texts):
            raise ValueError("no such word")
        return Bag()(texts)

    part = [f"broken film {place}" for place in range(6)]
    found = list(run_attack(RandomWords(), victim, part, [1] * 6, places=range(6, 12), sample=("good film",)))
    assert [record.outcome for record in found] == ["error"] * 6
    with pytest.raises(BadInput, match="fails on the first text"):
        list(run_attack(RandomWords(), victim, part, [1] * 6))
