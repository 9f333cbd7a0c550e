"""Sets of labels as right and wrong: above one half exactly where the task says the set, and attacked by hand."""

import re

import numpy as np
import pytest
import torch

from unfooled.attacks.attack import Parts
from unfooled.attacks.deepwordbug import DeepWordBug
from unfooled.attacks.goals import targeted
from unfooled.attacks.pwws import PWWS
from unfooled.attacks.random_words import RandomWords
from unfooled.attacks.records import Sets
from unfooled.attacks.run import run_attack
from unfooled.errors import BadInput
from unfooled.tasks.multilabel import said
from unfooled.victims import open_victim
from unfooled.victims.label_sets import ANSWERS, RIGHT, LabelSets

NAMES = ("kin", "friend", "boss")


@pytest.mark.parametrize("at_least_one", [False, True])
def test_the_score_is_above_one_half_exactly_where_the_task_says_the_set(at_least_one: bool) -> None:
    draw, sets = np.random.default_rng(0), LabelSets(NAMES, at_least_one)
    logits = draw.normal(-0.5, 1.0, (3000, 3))
    rows = 1 / (1 + np.exp(-logits))
    told = said(torch.tensor(logits), at_least_one).numpy()
    golds = [tuple(np.flatnonzero(draw.random(3) < 0.4).tolist()) for _ in rows]
    right = [tuple(np.flatnonzero(one).tolist()) == gold for one, gold in zip(told, golds, strict=True)]
    assert 300 < sum(right) < 2700 and {len(gold) for gold in golds} == {0, 1, 2, 3}
    for row, one, gold, truth in zip(rows, told, golds, right, strict=True):
        assert sets.said(row) == tuple(np.flatnonzero(one).tolist())
        judged = sets.judged(row[None], gold)[0]
        assert (judged[RIGHT] > 0.5) == truth and judged.sum() == pytest.approx(1) and judged.min() >= 0


def test_without_a_least_label_the_score_is_the_smallest_chance_of_a_gold_state() -> None:
    row = np.array([[0.9, 0.3, 0.8]])
    for gold, expected in (((0, 2), 0.7), ((0,), 0.2), ((), 0.1), ((0, 1, 2), 0.3)):
        assert LabelSets(NAMES).judged(row, gold)[0, RIGHT] == pytest.approx(expected)
    assert LabelSets(NAMES).named((2, 0)) == ("boss", "kin")


WEIGHTS = {"dad": (0, 3.0), "pal": (1, 2.0), "mate": (1, 1.0), "chum": (1, -1.5), "job": (2, 2.5), "post": (2, 0.5)}


class Counting:
    """Says a label where its words outweigh its bias; each word weighs for one label."""

    takes_tuples = True

    def __init__(self, at_least_one: bool = False) -> None:
        self.sets = LabelSets(NAMES, at_least_one)
        self.seen: list[tuple[str, ...]] = []

    def __call__(self, texts: list[tuple[str, ...]]) -> np.ndarray:
        self.seen += texts
        sums = np.full((len(texts), 3), -1.0)
        for row, text in enumerate(texts):
            for word in re.findall("[A-Za-z]+", text[0]):
                label, weight = WEIGHTS.get(word.lower(), (0, 0.0))
                sums[row, label] += weight
        return 1 / (1 + np.exp(-sums))


SYNONYMS = {"dad": ("father",), "pal": ("mate", "chum"), "job": ("post",)}
PARTS = Parts(lambda document: [SYNONYMS.get(word.lower(), ()) for word in document.words])


def sigmoid(value: float) -> float:
    return 1 / (1 + float(np.exp(-value)))


def test_pwws_replaces_what_lowers_the_least_sure_label_first() -> None:
    """By hand: of {kin, friend, boss} friend is least sure (-1 + 2); only "pal" lowers it below one half at once.

    dad → father takes kin from 2 to -1 (s = .27), pal → chum takes friend to -2.5 (s = .076), job → post takes boss
    to -.5 (s = .38). Gains from s = .731 are .46, .65 and .35; the saliencies of dad and pal are equal (both leave
    -1), so pal → chum comes first and is enough.
    """
    [record] = run_attack(PWWS(), Counting(), [("My dad, a pal, a job.",)], [(0, 1, 2)], parts=PARTS)
    assert record.outcome == "fooled" and record.adversary == ("My dad, a chum, a job.",)
    assert record.label == RIGHT and record.prediction == RIGHT and ANSWERS[record.fooled_into or 0] == "wrong"
    assert record.before == pytest.approx((sigmoid(1), 1 - sigmoid(1)), abs=1e-6)
    assert record.after == pytest.approx((sigmoid(-2.5), 1 - sigmoid(-2.5)), abs=1e-6)
    assert record.sets == Sets(("kin", "friend", "boss"), ("kin", "friend", "boss"), ("kin", "boss"))
    assert [(change.place, change.old, change.new) for change in record.changes] == [(3, "pal", "chum")]


def test_a_set_of_one_holds_as_long_as_it_is_the_likeliest() -> None:
    """kin alone: dad → father leaves all three at -1, where the first is said; nothing else can be replaced."""
    texts, labels = [("dad and nobody",)], [(0,)]
    [plain] = run_attack(PWWS(), Counting(), texts, labels, parts=PARTS)
    [least] = run_attack(PWWS(), Counting(at_least_one=True), texts, labels, parts=PARTS)
    assert plain.outcome == "fooled" and plain.sets is not None and plain.sets.after == ()
    assert least.outcome == "held" and least.sets == Sets(("kin",), ("kin",), None)


def test_already_wrong_sets_are_not_attacked() -> None:
    [record] = run_attack(PWWS(), Counting(), [("dad",)], [(0, 1)], parts=PARTS)
    assert record.outcome == "already wrong" and record.sets == Sets(("kin", "friend"), ("kin",), None)


DIALOGUE = "Pal: my dad isn't here.\nJob: Pal's dad took the job."


@pytest.mark.parametrize("attack", [PWWS(), RandomWords(), DeepWordBug()])
def test_the_pair_that_is_asked_for_and_speakers_stay(attack: PWWS) -> None:
    victim = Counting()
    texts, labels = [(DIALOGUE, "Dad; here")], [(0, 1, 2)]
    [record] = run_attack(attack, victim, texts, labels, parts=PARTS)
    assert all(asked[1] == "Dad; here" for asked in victim.seen)
    for asked, _ in victim.seen:
        assert asked.startswith("Pal: ") and "\nJob: " in asked and asked.lower().count("dad") == 2
    if isinstance(attack, PWWS):  # only the last "job" has a substitute: boss falls from -1 + 2 · 2.5 to 2
        assert record.outcome == "held" and record.candidates == 1


def test_changes_are_told_by_their_places_among_all_words() -> None:
    texts = [("One: no.\nTwo: dad has a job, a pal.", "Two")]
    [record] = run_attack(PWWS(), Counting(), texts, [(0, 1, 2)], parts=PARTS)
    assert record.outcome == "fooled" and record.words == 9
    assert [(change.place, change.old) for change in record.changes] == [(8, "pal")]


@pytest.mark.parametrize(
    ("labels", "goal", "message"),
    [
        ([(0, 7)], None, r"example 0 has \(0, 7\), which is no set of the numbers of the victim's 3 labels"),
        ([1], None, "example 0 has 1, which is no set"),
        ([(0,)], targeted(1), "can only be fooled into another set; leave the target out"),
    ],
)
def test_what_is_no_set_is_said(labels: list, goal: object, message: str) -> None:
    more = {} if goal is None else {"goal": goal}
    with pytest.raises(BadInput, match=message):
        list(run_attack(PWWS(), Counting(), [("dad",)], labels, parts=PARTS, **more))  # type: ignore[arg-type]


def test_probabilities_of_labels_need_not_sum_to_one_but_stay_inside() -> None:
    victim = open_victim(Counting()).tried(("dad",))
    assert victim.sets is not None and victim.classes == 3
    assert victim.wrong(np.full((1, 3), 0.9), 1) is None
    assert "apply a sigmoid" in (victim.wrong(np.full((1, 3), 2.0), 1) or "")
    assert "shape" in (victim.wrong(np.full((1, 2), 0.5), 1) or "")
