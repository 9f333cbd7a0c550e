"""Texts turned round: how words lean, when turning changes a label, and what a turned text becomes."""

from collections import Counter
from math import log, sqrt

import numpy as np
import pytest

from unfooled.errors import BadInput
from unfooled.substitution.reading import texts_of
from unfooled.substitution.turns import (
    PAIRS,
    Contrariness,
    Leaning,
    Leanings,
    another,
    contrariness,
    decided,
    kin_of,
    leanings,
    leans,
    speaking,
    turned,
)
from unfooled.text.document import read
from unfooled.text.english.lexicon import lexicon
from unfooled.types import Texts

NAMES = ("bad", "good")


def opposites(count: int) -> list[tuple[str, str]]:
    """Adjectives and their direct opposites, no word twice."""
    known, met, pairs = lexicon(), set(), []
    for word in sorted(known.tables.keys):
        others = [other for other in known.antonyms(word, "a") if other.isalpha() and other.islower()]
        if word.isalpha() and word.islower() and others and not {word, others[0]} & met:
            met |= {word, others[0]}
            pairs.append((word, others[0]))
        if len(pairs) == count:
            break
    return pairs


def data(apart: bool, count: int = 120) -> tuple[list[Texts], list[int]]:
    """Texts in which the words of a pair of opposites stand in different classes, or in the same."""
    texts: list[Texts] = []
    labels = []
    for number, (one, other) in enumerate(opposites(count)):
        first = number % 2
        for word, label in ((one, first), (other, 1 - first if apart else first)):
            texts += [(f"the film was {word}",)] * 4
            labels += [label] * 4
    return texts, labels


def test_a_leaning_is_the_log_odds_of_sentences() -> None:
    """n of good: 3 of 4 sentences of class 1, 1 of 3 of class 0; a long text counts by sentence."""
    texts = [("Good film. A good plot! Nothing else.",), ("It is good.",), ("Good, but dull.\nDull. Dull",)]
    known = leanings(texts, [1, 1, 0], 2)
    one, other = log(3.5 / 5) - log(1.5 / 4), sqrt(1 / 3.5 + 1 / 1.5)
    assert known["good"].towards.tolist() == pytest.approx([-one, one])
    assert known["good"].errors.tolist() == pytest.approx([other, other])
    assert "plot" not in known and "dull" in known  # what is met too rarely leans nowhere
    assert Leaning(np.array([1.7, -1.7]), np.array([1.0, 1.0])).is_clear(0)
    assert not Leaning(np.array([1.6, -1.6]), np.array([1.0, 1.0])).is_clear(0)


def test_auto_turns_where_opposites_lean_apart() -> None:
    targets, known, evidence = decided("auto", NAMES, *data(apart=True))
    assert targets == {0: 1, 1: 0} and known and evidence is not None
    assert evidence.high < 0 and evidence.pairs >= PAIRS and evidence.value < -0.5


def test_auto_turns_nothing_where_opposites_lean_alike() -> None:
    targets, _, evidence = decided("auto", NAMES, *data(apart=False))
    assert targets == {} and evidence is not None and evidence.value > 0


def test_auto_turns_nothing_on_little_evidence() -> None:
    targets, _, evidence = decided("auto", NAMES, *data(apart=True, count=20))
    assert targets == {} and evidence == Contrariness(0.0, -1.0, 1.0, evidence.pairs if evidence else 0)
    assert not Contrariness(-0.9, -0.95, -0.8, PAIRS - 1).turns and Contrariness(-0.9, -0.95, -0.8, PAIRS).turns
    assert not Contrariness(-0.2, -0.5, 0.01, 500).turns


def test_auto_never_turns_pairs_or_more_than_two_classes() -> None:
    texts, labels = data(apart=True)
    assert decided("auto", NAMES, [("a film", *text) for text in texts], labels) == ({}, {}, None)
    assert decided("auto", (*NAMES, "so-so"), texts, labels) == ({}, {}, None)
    assert decided("off", NAMES, texts, labels) == ({}, {}, None)


def test_what_is_told_is_done() -> None:
    texts, labels = data(apart=False)
    targets, known, evidence = decided({"good": "bad"}, NAMES, texts, labels)
    assert targets == {1: 0} and known and evidence is None
    pairs = [("a film", "it was good")] * 3
    wanted = {"entailment": "contradiction", "neutral": "neutral"}
    names = ("contradiction", "entailment", "neutral")
    assert decided(wanted, names, pairs, [0, 1, 2]) == ({1: 0}, {}, None)


def test_labels_that_do_not_exist_are_refused() -> None:
    for wanted in ({"godo": "bad"}, {"good": "godo"}):
        with pytest.raises(BadInput, match=r"method\.turns names the label godo.*did you mean good\?"):
            decided(wanted, NAMES, [("a",)], [0])


def leaning_of(**words: float) -> Leanings:
    """Words that lean clearly, towards class 1 by so much."""
    return {word: Leaning(np.array([-towards, towards]), np.array([0.1, 0.1])) for word, towards in words.items()}


LEANINGS = leaning_of(good=2.0, bad=-2.0, warm=1.0, cool=-1.0, film=0.0, charming=3.0)


def test_words_that_speak_for_the_label_become_opposites_that_speak_for_the_other() -> None:
    document = read("A good, charming film, warm and bad")
    assert speaking(document, 1, 0, LEANINGS) == {1: "bad", 4: "cool"}
    assert speaking(document, 0, 1, LEANINGS) == {6: "good"}
    vague = {**LEANINGS, "good": Leaning(np.array([-2.0, 2.0]), np.array([5.0, 5.0]))}
    assert speaking(read("good"), 1, 0, vague) == {}  # it leans by no more than chance
    assert speaking(read("good"), 1, 0, leaning_of(good=2.0, bad=2.0)) == {}  # its opposite leans the same way


def test_a_text_is_turned_whole_or_in_part() -> None:
    document = read("A good film, warm too")
    seen = set()
    for seed in range(30):
        found = turned((document,), 1, 0, LEANINGS, np.random.default_rng(seed))
        assert found is not None and found.label == 0
        seen.add((texts_of(found.documents)[0], found.whole))
    assert seen == {
        ("A bad film, cool too", True),
        ("A bad film, warm too", False),
        ("A good film, cool too", False),
    }


def test_a_text_that_still_speaks_for_its_label_is_not_turned_whole() -> None:
    document = read("A good and charming film")
    versions = [turned((document,), 1, 0, LEANINGS, np.random.default_rng(seed)) for seed in range(5)]
    assert [version and version.whole for version in versions] == [False] * 5
    assert leans(read("bad film"), 1, 0, LEANINGS) and not leans(read("bad, charming"), 1, 0, LEANINGS)


def test_a_text_without_such_words_is_negated_in_part_and_of_a_pair_the_last_text_wholly() -> None:
    random = np.random.default_rng(0)
    alone = turned((read("It is charming."),), 1, 0, LEANINGS, random)  # WordNet knows no opposite of charming
    assert alone is not None and (texts_of(alone.documents), alone.whole) == (("It is not charming.",), False)
    assert turned((read("It is a film."),), 1, 0, LEANINGS, random) is None  # nothing in it speaks for its label
    assert turned((read("It is charming."),), 0, 1, LEANINGS, random) is None  # denied, it would speak for it
    pair = turned((read("A good film."), read("It is good.")), 1, 0, LEANINGS, random)
    assert pair is not None and pair.whole
    assert texts_of(pair.documents) == ("A good film.", "It is not good.")


KNOWN = [(f"A man and a woman of {number}.", f"A dog and a cat of {number}.") for number in range(3)]


def test_a_pair_may_also_be_turned_by_another_word_of_a_kind() -> None:
    """One as often as the other: the last text negated, or with a word that neither text has; shared words go first."""
    documents = read("A man plays tennis."), read("The man is near a dog.")
    kin = kin_of(KNOWN)
    found = [turned(documents, 1, 0, {}, np.random.default_rng(seed), kin) for seed in range(200)]
    said = Counter(texts_of(one.documents) for one in found if one is not None and one.whole and one.label == 0)
    assert {first for first, _ in said} == {"A man plays tennis."} and sum(said.values()) == 200
    last = Counter({text: count for (_, text), count in said.items()})
    assert set(last) == {"The man is not near a dog.", "The woman is near a dog."}
    assert 0.4 < last["The woman is near a dog."] / 200 < 0.6
    alone = {another((documents[0], read("A dog")), kin, np.random.default_rng(seed)) for seed in range(20)}
    assert alone == {"A cat"}  # no word is shared, so any may go
    assert another((read("A cat."), read("A dog.")), kin, np.random.default_rng(0)) == ""  # the cat is there already
    assert another((read(""), read("")), kin, np.random.default_rng(0)) == ""
    assert another((read("Two tomcats."), read("A dog")), kin, np.random.default_rng(0)) == ""  # a tomcat is a cat


def test_what_cannot_be_denied_is_turned_by_another_word_and_the_other_way_round() -> None:
    kin = kin_of(KNOWN)
    for seed in range(10):
        random = np.random.default_rng(seed)
        named = turned((read("A dog runs."), read("dog")), 1, 0, {}, random, kin)
        denied = turned((read("It."), read("It is charming.")), 1, 0, {}, random, kin)
        assert named is not None and denied is not None
        assert (texts_of(named.documents)[1], texts_of(denied.documents)[1]) == ("cat", "It is not charming.")


@pytest.mark.parametrize("texts", [("",), ("film?",), ("A good film.", "")])
def test_what_cannot_be_turned_is_not(texts: Texts) -> None:
    documents = tuple(read(text) for text in texts)
    assert turned(documents, 1, 0, {}, np.random.default_rng(0)) is None


def test_the_interval_counts_words_and_not_pairs() -> None:
    """Indirect opposites make many pairs of few words; Fisher's z counts the words."""
    texts, labels = data(apart=True)
    found = contrariness(leanings(texts, labels, 2))
    centre, width = np.arctanh(found.value), 1.959964 / sqrt(found.pairs - 3)
    assert (found.low, found.high) == pytest.approx((np.tanh(centre - width), np.tanh(centre + width)))
    assert found.pairs <= len({word for pair in opposites(120) for word in pair}) // 2
