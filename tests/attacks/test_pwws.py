"""The oracles of PWWS on a victim whose every probability is a formula."""

import math
from collections.abc import Mapping, Sequence

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

from unfooled.attacks import PWWS, PWWS_PEER, AttackRecord, Goal, Limits, targeted
from unfooled.attacks.attempt import Ask, Attempt, SearchEnd, Steps
from unfooled.attacks.goals import UNTARGETED
from unfooled.attacks.pwws import pwws
from unfooled.text.document import read
from unfooled.victims.rounding import Yardstick

WORDS = ["the", "bright", "actor", "was", "good", "a", "great", "story", "film", "dull"]


def by_hand(words: list[str], nonpositive: bool = False) -> tuple[list[tuple[int, str]], list[list[str]], np.ndarray]:
    """The order of (place, w*), the texts after each substitution, and H of every place, from the formulas alone."""
    bag = Bag()
    label = int(bag.probability(words) > 0.5)

    def chance(some: list[str]) -> float:
        return bag.probability(some) if label else 1 - bag.probability(some)

    def other(place: int, word: str) -> list[str]:
        return [*words[:place], word, *words[place + 1 :]]

    saliency = [chance(words) - chance(other(place, "<unk>")) for place in range(len(words))]
    total = sum(math.exp(value) for value in saliency)
    best, gains = {}, np.zeros(len(words))
    for place, word in enumerate(words):
        options = SYNONYMS.get(word, ())
        if options:
            drops = [chance(words) - chance(other(place, option)) for option in options]
            number = max(range(len(options)), key=lambda number: (round(drops[number], 9), -number))
            best[place], gains[place] = options[number], drops[number]
    weighted = np.exp(saliency) / total * gains
    usable = [place for place in best if nonpositive or gains[place] > 0]
    order = sorted(usable, key=lambda place: (-round(weighted[place], 9), place))
    texts, running = [], list(words)
    for place in order:
        running[place] = best[place]
        texts.append(list(running))
    return [(place, best[place]) for place in order], texts, weighted


@pytest.mark.parametrize("nonpositive", [False, True])
def test_words_and_order_are_those_of_the_formulas(nonpositive: bool) -> None:
    for text in sentences(60):
        bag = Bag()
        words = text.split()
        [label] = labelled(bag, [text])
        order, texts, _ = by_hand(words, nonpositive)
        bag.seen.clear()
        [record] = attacked(PWWS(allow_nonpositive=nonpositive, questions="all"), bag, [text], [label])
        own = [bag.probability(some) if label else 1 - bag.probability(some) for some in texts]
        # One of these texts has probability one half exactly: that is no change of label.
        steps = next((number for number, chance in enumerate(own, start=1) if chance < 0.5 - 1e-5), None)
        if steps is None:
            assert record.outcome in ("held", "no candidates") and record.adversary is None and not record.changes
            steps = len(texts)
        else:
            assert record.outcome == "fooled" and record.adversary == (" ".join(texts[steps - 1]),)
            expected = sorted((place, words[place], word) for place, word in order[:steps])
            assert [(change.place, change.old, change.new) for change in record.changes] == expected
        candidates = sum(len(SYNONYMS.get(word, ())) for word in words)
        if candidates:
            assert record.asked == 1 + len(words) + candidates + steps
            assert record.queries == len(set(bag.seen[2:])) == len(bag.seen) - 2  # two texts were the trial run
            assert record.candidates == sum(word in SYNONYMS for word in words)


def answered(steps: Steps, rows: Mapping[str, float]) -> tuple[SearchEnd, list[list[str]]]:
    """Where a search ends that is given these probabilities of class 1, and what it asked."""
    asked: list[list[str]] = []
    question = next(steps)
    while True:
        assert isinstance(question, Ask)
        asked.append(list(question.texts))
        try:
            question = steps.send(np.array([[1 - rows[text], rows[text]] for text in question.texts]))
        except StopIteration as end:
            return end.value, asked


def two_words(gains: tuple[float, float], questions: str) -> tuple[SearchEnd, list[list[str]]]:
    """A text whose two words have the saliencies 0.71 and 0.12, and these gains; both together fool the victim."""
    clean = np.array([0.06, 0.94])
    attempt = Attempt(read("one two"), 1, clean, UNTARGETED, Yardstick(), "<unk>", (0, 0))
    rows = {"<unk> two": 0.94 - 0.71, "one <unk>": 0.94 - 0.12}  # S
    rows |= {"x two": 0.95, "a two": 0.94 - gains[0], "one b": 0.94 - gains[1], "a b": 0.2}  # D, of the first two
    substitutes = known({"one": ("x", "a"), "two": ("b",)}).substitutes
    assert substitutes is not None
    return answered(pwws(attempt, PWWS(questions=questions), substitutes), rows)


def test_saliency_can_outweigh_a_larger_gain() -> None:
    assert math.exp(0.71) * 0.11 > math.exp(0.12) * 0.12
    for questions in ("all", "needed"):
        found, asked = two_words((0.11, 0.12), questions)
        assert found.fooled and str(found.document) == "a b" and asked[-2:] == [["a two"], ["a b"]]


def test_saliencies_are_asked_for_only_where_the_order_hangs_on_them() -> None:
    """Two saliencies differ by 1 at most, so a gain e times another's decides alone."""
    for gains, hangs in (((0.11, 0.12), True), ((0.1, 0.271), True), ((0.1, 0.273), False), ((0.3, 0.1), False)):
        found, asked = two_words(gains, "needed")
        every, paper = two_words(gains, "all")
        first = asked.index(["<unk> two", "one <unk>"]) if hangs else None
        assert found == every and asked[0] == ["x two", "a two", "one b"] and first in (1, None)
        assert len(asked) == (4 if hangs else 3) and asked[-2:] == paper[-2:]
        assert paper[0] == ["<unk> two", "one <unk>", "x two", "a two", "one b"] and len(paper) == 3


VARIANTS = [PWWS(), PWWS(allow_nonpositive=True), PWWS(choose="again"), PWWS(allow_nonpositive=True, choose="again")]


@pytest.mark.parametrize("goal", [UNTARGETED, targeted(0), targeted(2)], ids=["any", "0", "2"])
@pytest.mark.parametrize("attack", VARIANTS, ids=["own", "released", "again", "peer"])
def test_asking_what_is_needed_ends_as_asking_everything_does(attack: PWWS, goal: Goal) -> None:
    random = np.random.default_rng(11)
    words = sorted({*SYNONYMS, *(word for some in SYNONYMS.values() for word in some), "the", "<unk>"})
    weights = {word: random.normal(size=3) for word in words}

    def three(texts: Sequence[str]) -> np.ndarray:
        logits = np.array([sum((weights[word] for word in text.split()), np.zeros(3)) for text in texts])
        return np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)

    texts = [" ".join(word for word in text.split() if word in weights) or "the" for text in sentences(150, seed=12)]
    labels = labelled(three, texts)
    rows = [(text, label) for text, label in zip(texts, labels, strict=True) if label != goal.target]
    own, gold = [text for text, _ in rows], [label for _, label in rows]
    needed = attacked(attack, three, own, gold, goal=goal)
    every = attacked(attack.model_copy(update={"questions": "all"}), three, own, gold, goal=goal)
    assert [essence(record)[:4] for record in needed] == [essence(record)[:4] for record in every]
    assert {"fooled", "held"} <= {record.outcome for record in needed}
    assert all(one.queries <= other.queries for one, other in zip(needed, every, strict=True))
    assert sum(record.queries for record in needed) < 0.9 * sum(record.queries for record in every)


def test_only_words_that_can_be_replaced_are_ever_made_unknown() -> None:
    bag = Bag()
    texts = sentences(40, seed=13)
    attacked(PWWS(), bag, texts, labelled(Bag(), texts))
    spoiled = [text for text in bag.seen if "<unk>" in text.split()]
    originals = {tuple(text.split()) for text in texts}
    assert spoiled
    for text in spoiled:
        words = text.split()
        place = words.index("<unk>")
        assert any((*words[:place], word, *words[place + 1 :]) in originals for word in SYNONYMS)


def test_the_first_substitution_is_answered_from_memory() -> None:
    [record] = attacked(PWWS(questions="all"), Bag(), ["good story great fine"], [1])
    assert record.from_cache >= 1 and record.asked == 1 + 4 + 10 + len(record.changes)


def test_permuting_the_words_permutes_what_is_done_to_them() -> None:
    random = np.random.default_rng(3)
    _, _, weighted = by_hand(WORDS)
    for _ in range(5):
        order = random.permutation(len(WORDS))
        moved = [WORDS[place] for place in order]
        assert np.allclose(by_hand(moved)[2], weighted[order])
        [record] = attacked(PWWS(), Bag(), [" ".join(moved)], [1])
        [first] = attacked(PWWS(), Bag(), [" ".join(WORDS)], [1])
        assert {(change.old, change.new) for change in record.changes} == {
            (change.old, change.new) for change in first.changes
        }


def sound(record: AttackRecord, label: int) -> None:
    if record.outcome != "fooled":
        return
    assert record.prediction == label != record.fooled_into and record.adversary is not None
    before, after = read(record.texts[0]), read(record.adversary[0])
    changed = {change.place for change in record.changes}
    for place, (old, new) in enumerate(zip(before.words, after.words, strict=True)):
        assert new in SYNONYMS[old.lower()] if place in changed else old == new


@pytest.mark.parametrize("attack", [PWWS(), PWWS_PEER, PWWS(allow_nonpositive=True)], ids=["own", "peer", "released"])
def test_success_is_sound_and_within_the_exhaustive_search(attack: PWWS) -> None:
    texts = sentences(60, seed=5, longest=7)
    labels = labelled(Bag(), texts)
    records = attacked(attack, Bag(), texts, labels)
    for record, text, label in zip(records, texts, labels, strict=True):
        sound(record, label)
        assert record.outcome != "fooled" or exhaustive(Bag(), text, label)
    assert 10 < sum(record.outcome == "fooled" for record in records) < 60


def test_what_is_already_wrong_is_not_attacked_and_what_has_no_candidates_is_said_so() -> None:
    wrong, bare = attacked(PWWS(), Bag(), ["good film", "the a was the"], [0, 1])
    assert (wrong.outcome, wrong.asked, wrong.adversary) == ("already wrong", 1, None)
    assert (bare.outcome, bare.asked, bare.candidates) == ("no candidates", 1, 0)


def test_a_constant_victim_is_never_fooled_and_a_hypersensitive_one_by_one_word() -> None:
    texts = [text for text in sentences(20) if set(text.split()) & set(SYNONYMS)]
    assert {record.outcome for record in attacked(PWWS(), constant, texts, [1] * len(texts))} == {"held"}
    for text in texts:
        [record] = attacked(PWWS(), hypersensitive(text), [text], [1])
        assert record.outcome == "fooled" and len(record.changes) == 1
        # All gains are equal, so the first place with a substitute and its first substitute are taken.
        first = next(place for place, word in enumerate(text.split()) if word in SYNONYMS)
        assert record.changes[0].place == first and record.changes[0].new == SYNONYMS[text.split()[first]][0]


def test_a_sure_victim_does_not_look_robust() -> None:
    heavy = {word: 40 * weight for word, weight in {"good": 1.0, "fine": 0.5, "great": 1.0, "grand": -1.0}.items()}
    [record] = attacked(PWWS(), Bag(heavy, bias=-12.0), ["good great"], [1])
    assert record.before[1] == 1.0 and record.outcome == "fooled"


def test_targeted_reads_the_targets_probability() -> None:
    def three(texts: list[str]) -> np.ndarray:
        logits = np.array(
            [[t.split().count("film") + 1.0, t.split().count("movie"), 1.5 * t.split().count("plot")] for t in texts]
        )
        return np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)

    text = "film story film"
    [one] = attacked(PWWS(), three, [text], [0], goal=targeted(1))
    [two] = attacked(PWWS(), three, [text], [0], goal=targeted(2))
    assert one.fooled_into == 1 and {change.new for change in one.changes} == {"movie"}
    assert two.outcome == "held" or two.fooled_into == 2


def test_rounding_errors_of_the_batch_change_nothing() -> None:
    texts = [f"{text} {text}" for text in sentences(40, seed=9)]  # every word twice: ties everywhere
    labels = labelled(Bag(), texts)
    expected = [essence(record) for record in attacked(PWWS(), Bag(), texts, labels)]
    for flying, size in ((1, 1), (8, 3), (64, 64)):
        limits = Limits(in_flight=flying, batch_size=size)
        assert [essence(record) for record in attacked(PWWS(), Shaky(), texts, labels, limits=limits)] == expected


def test_the_unknown_word_can_be_named() -> None:
    bag = Bag()
    attacked(PWWS(unknown="[MASK]", questions="all"), bag, ["good film"], [1], parts=known())
    assert "[MASK] film" in bag.seen and "<unk> film" not in bag.seen
