"""The oracles of TextFooler on victims, encoders and taggers whose every answer is known."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from toys import (
    SYNONYMS,
    Bag,
    Shaky,
    attacked,
    constant,
    essence,
    exhaustive,
    hypersensitive,
    known,
    labelled,
    sentences,
)

from unfooled.attacks import Limits, Parts, TextFooler
from unfooled.attacks.attempt import Attempt
from unfooled.attacks.goals import UNTARGETED
from unfooled.attacks.textfooler import attack_order, importance, likeness, same_kind, window
from unfooled.errors import BadInput
from unfooled.text.document import read
from unfooled.victims.rounding import Yardstick

KINDS = {"plot": "VB", "solid": "JJ", "clever": "RB"}  # all other words are nouns


def tags(words: Sequence[str]) -> list[str]:
    return [KINDS.get(word, "NN") for word in words]


def cosine(reference: str, text: str) -> float:
    """A similarity that is a function of the letters: 1 for the same, less for each word that differs."""
    pairs = list(zip(reference.split(), text.split(), strict=True))
    return 1 - sum((0.02 + 0.03 * (len(new) % 4)) for old, new in pairs if old != new)


def similar(reference: str, texts: Sequence[str]) -> list[float]:
    return [cosine(reference, text) for text in texts]


def parts(table: dict[str, tuple[str, ...]] = SYNONYMS) -> Parts:
    return Parts(known(table).substitutes, similar, tags)


def by_hand(text: str, label: int, threshold: float, running_reference: bool) -> tuple[str | None, int]:
    """The adversary and the number of texts asked about, from the description alone."""
    bag, words = Bag(), text.split()

    def chance(some: list[str]) -> float:
        return bag.probability(some) if label else 1 - bag.probability(some)

    asked = 1 + len(words)
    scores = []
    for place in range(len(words)):
        without = chance([*words[:place], "<unk>", *words[place + 1 :]])
        score = chance(words) - without
        if without < 0.5 - 1e-5:  # another class wins, whose probability is 1 − that of the label
            score += (1 - without) - (1 - chance(words))
        scores.append(score)
    order = sorted(range(len(words)), key=lambda place: (-round(scores[place], 8), place))
    if not any(word in SYNONYMS for word in words):
        return None, 1
    running = list(words)
    for place in order:
        options = SYNONYMS.get(words[place], ())
        asked += len(options)
        reference = running if running_reference else words
        good = []
        for number, option in enumerate(options):
            tried = [*running[:place], option, *running[place + 1 :]]
            like = cosine(" ".join(reference), " ".join(tried))
            if 1 - math.acos(like) >= threshold and KINDS.get(option, "NN") in ("NN", "VB"):
                good.append((number, like, chance(tried), tried))
        flips = [entry for entry in good if entry[2] < 0.5 - 1e-5]
        if flips:
            return " ".join(max(flips, key=lambda entry: (entry[1], -entry[0]))[3]), asked
        if good:
            best = min(good, key=lambda entry: (round(entry[2], 8), entry[0]))
            if best[2] < chance(words) - 1e-5:
                running = best[3]
    return None, asked


@pytest.mark.parametrize("reference", ["original", "running"])
@pytest.mark.parametrize("threshold", [0.3, 0.6, 0.7])
def test_the_search_is_the_one_described(reference: str, threshold: float) -> None:
    texts = [text for text in sentences(60, seed=1) if not {"the", "a", "was"} & set(text.split())]
    labels = labelled(Bag(), texts)
    settings = TextFooler(sim_reference=reference, short_threshold=threshold, questions="all")
    outcomes = set()
    for record, text, label in zip(attacked(settings, Bag(), texts, labels, parts=parts()), texts, labels, strict=True):
        adversary, asked = by_hand(text, label, threshold, reference == "running")
        outcomes.add(record.outcome)
        assert record.adversary == (None if adversary is None else (adversary,)), text
        assert record.asked == asked
    assert {"fooled", "held"} <= outcomes


def attempt(text: str, victim: Any, label: int) -> Attempt:
    return Attempt(read(text), label, np.asarray(victim([text]))[0], UNTARGETED, Yardstick(), "<unk>", (0, 0))


def test_importance_adds_what_another_class_gains() -> None:
    clean = np.array([0.2, 0.7, 0.1])
    task = Attempt(read("one two"), 1, clean, UNTARGETED, Yardstick(), "<unk>", (0, 0))
    values, _ = importance(task, np.array([[0.3, 0.6, 0.1], [0.1, 0.3, 0.6]]))
    assert values == pytest.approx([0.7 - 0.6, (0.7 - 0.3) + (0.6 - 0.1)])


def test_stop_words_stay_and_only_compatible_neighbours_pass() -> None:
    table = {**SYNONYMS, "the": ("solid",), "was": ("slow",)}
    texts = sentences(60, seed=8)
    labels = labelled(Bag(), texts)
    for record in attacked(TextFooler(), Bag(), texts, labels, parts=parts(table)):
        for change in record.changes:
            assert change.old not in ("the", "a", "was") and change.new in SYNONYMS[change.old]
            assert change.new not in ("solid", "clever")  # an adjective, an adverb: the words they replace are nouns


def test_success_is_at_least_as_similar_as_the_threshold() -> None:
    texts = sentences(60, seed=8)
    labels = labelled(Bag(), texts)
    settings = TextFooler(short_threshold=0.55)
    fooled = [r for r in attacked(settings, Bag(), texts, labels, parts=parts()) if r.adversary is not None]
    assert len(fooled) > 5
    for record in fooled:
        assert record.adversary is not None and record.similarity is not None
        assert 1 - math.acos(cosine(record.texts[0], record.adversary[0])) >= 0.55


def test_one_word_is_enough_where_the_most_important_one_flips_the_label() -> None:
    text = "story film good"
    table = {**SYNONYMS, "story": ("yarns", "solid", "plot", "tale")}
    [record] = attacked(TextFooler(), hypersensitive(text), [text], [1], parts=parts(table))
    assert len(record.changes) == 1 and record.changes[0].place == 0
    # All flip, all but the adjective pass; of the two with the highest cosine (four letters cost least) the first.
    assert record.changes[0].new == "plot"


def test_a_neighbour_that_makes_the_victim_surer_is_not_kept() -> None:
    table = {"good": ("great",), "film": ("movie",)}
    [record] = attacked(TextFooler(), Bag(bias=-1.0), ["good film"], [1], parts=parts(table))
    assert record.adversary == ("good movie",)


def test_a_short_text_does_not_lower_the_threshold_for_the_next() -> None:
    long = " ".join(["film"] * 15 + ["good"])
    settings = TextFooler(threshold=0.9, short_threshold=-1.0)
    alone = attacked(settings, Bag(), [long], [1], parts=parts())[0]
    after = attacked(settings, Bag(), ["good", long], [1, 1], parts=parts())[1]
    assert essence(alone)[1:] == essence(after)[1:] and alone.outcome == "no candidates"


def test_the_order_of_the_examples_changes_nothing() -> None:
    texts = sentences(30, seed=3)
    labels = labelled(Bag(), texts)
    forth = attacked(TextFooler(), Bag(), texts, labels, parts=parts())
    back = attacked(TextFooler(), Bag(), texts[::-1], labels[::-1], parts=parts())
    assert [essence(record)[1:] for record in forth] == [essence(record)[1:] for record in back[::-1]]


def test_screening_asks_less_and_ends_the_same() -> None:
    texts = sentences(40, seed=6)
    labels = labelled(Bag(), texts)
    settings = TextFooler(short_threshold=0.6)
    plain = attacked(settings, Bag(), texts, labels, parts=parts())
    screened = attacked(settings.model_copy(update={"screen": True}), Bag(), texts, labels, parts=parts())
    assert [(r.outcome, r.adversary) for r in plain] == [(r.outcome, r.adversary) for r in screened]
    assert sum(r.asked for r in screened) < sum(r.asked for r in plain)


def test_asking_what_is_needed_ends_as_asking_everything_does() -> None:
    texts = [f"the {text} was a" for text in sentences(60, seed=6)]
    labels = labelled(Bag(), texts)
    settings = TextFooler(short_threshold=0.6)
    needed = attacked(settings, Bag(), texts, labels, parts=parts())
    every = attacked(settings.model_copy(update={"questions": "all"}), Bag(), texts, labels, parts=parts())
    assert [(r.outcome, r.adversary, r.candidates) for r in needed] == [
        (r.outcome, r.adversary, r.candidates) for r in every
    ]
    for one, other, text in zip(needed, every, texts, strict=True):
        bare = sum(word not in SYNONYMS for word in text.split())
        assert other.asked - one.asked == (bare if one.asked > 1 else 0)


def test_success_is_within_the_exhaustive_search_and_a_constant_victim_is_never_fooled() -> None:
    texts = sentences(40, seed=5, longest=6)
    labels = labelled(Bag(), texts)
    for record, text, label in zip(
        attacked(TextFooler(short_threshold=-1.0), Bag(), texts, labels, parts=parts()), texts, labels, strict=True
    ):
        assert record.outcome != "fooled" or exhaustive(Bag(), text, label)
    assert all(r.outcome != "fooled" for r in attacked(TextFooler(), constant, texts, [1] * 40, parts=parts()))


def test_rounding_errors_of_the_batch_change_nothing() -> None:
    texts = [f"{text} {text}" for text in sentences(30, seed=9)]
    labels = labelled(Bag(), texts)
    expected = [essence(record) for record in attacked(TextFooler(), Bag(), texts, labels, parts=parts())]
    for flying, size in ((1, 1), (8, 3), (64, 64)):
        limits = Limits(in_flight=flying, batch_size=size)
        found = attacked(TextFooler(), Shaky(), texts, labels, parts=parts(), limits=limits)
        assert [essence(record) for record in found] == expected


def test_the_window_has_its_size_wherever_it_stands() -> None:
    document = read(" ".join(map(str, range(40))))
    for place in range(40):
        words = window(document, place, 15).split()
        assert len(words) == 15 and str(place) in words
    assert window(document, 20, 15).split()[7] == "20"
    assert window(read("a b c"), 1, 15) == "a b c"


def test_thresholds_are_those_of_the_release() -> None:
    assert likeness(0.878) >= 0.5 > likeness(0.877) and likeness(0.9555) >= 0.7 > likeness(0.955)
    assert likeness(-1.0) < -2 and likeness(1.0) == 1.0


def test_a_noun_may_stand_for_a_verb_but_not_for_an_adjective() -> None:
    document = read("film story")
    assert same_kind(document, 0, "plot", TextFooler(), tags) and same_kind(document, 0, "tale", TextFooler(), tags)
    assert not same_kind(document, 0, "solid", TextFooler(), tags)
    assert same_kind(document, 0, "solid", TextFooler(pos_filter=False), tags)


def test_it_says_what_it_needs() -> None:
    with pytest.raises(BadInput, match="needs neighbours and a similarity"):
        TextFooler().search(known())


def test_a_text_whose_neighbours_pass_no_filter_had_no_candidates() -> None:
    table = {"good": ("solid", "clever")}  # neither is a noun
    for screen in (False, True):
        filtered, passed = attacked(TextFooler(screen=screen), Bag(), ["good", "good film"], [1, 1], parts=parts(table))
        assert filtered.outcome == passed.outcome == "no candidates" and filtered.candidates == 0
        some = {"good": ("solid", "great")}
        assert attacked(TextFooler(screen=screen), Bag(), ["good"], [1], parts=parts(some))[0].outcome == "held"


def test_a_word_without_influence_is_not_above_a_least_importance_of_nothing() -> None:
    """Its importance is rounding, which a batch may turn up or down."""
    task = attempt("film film film", constant, 1)
    without = constant(["film"] * 3) + np.array([[1e-7, -1e-7], [-1e-7, 1e-7], [0.2, -0.2]])
    places = [3, 5, 8]
    assert attack_order(task, places, without, 0.0) == [8] and attack_order(task, places, without, -1.0) == [8, 3, 5]
