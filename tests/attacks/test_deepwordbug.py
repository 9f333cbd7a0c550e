import re
from pathlib import Path

import numpy as np
import pytest
from toys import Bag, attacked, constant, keyword, labelled, sentences

from unfooled.attacks import DeepWordBug
from unfooled.attacks.deepwordbug import EDITS, misspelt, temporal
from unfooled.text.document import read
from unfooled.text.typos import LONGEST, edits

README = Path(__file__).parents[2] / "README.md"


def distance(one: str, other: str) -> int:
    """Levenshtein's distance."""
    row = list(range(len(other) + 1))
    for number, letter in enumerate(one, start=1):
        before, row[0] = row[0], number
        for place, found in enumerate(other, start=1):
            before, row[place] = row[place], min(row[place] + 1, row[place - 1] + 1, before + (letter != found))
    return row[-1]


@pytest.mark.parametrize("kind", EDITS)
def test_a_misspelling_costs_what_it_says_and_keeps_both_ends(kind: str) -> None:
    made = 0
    for number, word in enumerate(["film", "story", "abc", "wonderful", "x1y2"]):
        for seed in range(20):
            for wrong, cost in misspelt(word, kind, (seed, number), 3):
                made += 1
                assert 1 <= distance(word, wrong) <= cost and wrong[0] == word[0]
                assert len(wrong) == len(word) + {"insert": 1, "delete": -1}.get(kind, 0)
                assert (wrong, cost) in misspelt(word, kind, (seed, number), 3)
    assert made > 80


def test_the_four_drawn_edits_are_what_they_were_before_look_alikes_joined_them() -> None:
    made = [misspelt("wonderful", kind, (7, 3), 5) for kind in EDITS]
    assert made[:4] == [[("wodnerful", 2)], [("wondeiful", 1)], [("woderful", 1)], [("wornderful", 1)]]
    assert len(made[4]) >= 10 and all(cost == 1 for _, cost in made[4])


def test_the_most_important_word_is_misspelt_first() -> None:
    for scoring in ("replace", "temporal"):
        [record] = attacked(DeepWordBug(scoring=scoring), keyword, ["the film was good indeed"], [1])
        assert record.outcome == "fooled" and [change.old for change in record.changes] == ["good"]


def test_what_nobody_typed_is_left_alone() -> None:
    for word, outcome in (("z" * LONGEST, "held"), ("z" * (LONGEST + 1), "no candidates"), ("zz", "no candidates")):
        assert attacked(DeepWordBug(), constant, [word], [1])[0].outcome == outcome


def test_temporal_scores_are_heads_and_tails() -> None:
    heads_and_tails = temporal(read("one, two three."))
    assert heads_and_tails == [
        "one", "one, two", "one, two three", "", "one", "one, two",
        "one, two three.", "two three.", "three.", "two three.", "three.", "",
    ]  # fmt: skip


@pytest.mark.parametrize("allowed", [1, 3, 30])
def test_edits_stay_within_the_distance(allowed: int) -> None:
    texts = [f"{text} {text} {text}" for text in sentences(30)]
    records = attacked(DeepWordBug(edit_distance=allowed), Bag(), texts, labelled(Bag(), texts))
    fooled = [record for record in records if record.adversary]
    assert all(distance(r.texts[0], r.adversary[0]) <= allowed for r in fooled if r.adversary)
    assert all(len(change.old) >= 3 for record in fooled for change in record.changes)


def test_one_kind_of_edit_asks_once_a_word() -> None:
    [record] = attacked(DeepWordBug(edit="insert"), constant, ["some words here"], [1])
    assert record.outcome == "held" and record.asked == 1 + 3 + 3


def test_short_words_are_no_candidates() -> None:
    [record] = attacked(DeepWordBug(), constant, ["a is it 12"], [1])
    assert record.outcome == "no candidates"


def test_the_draw_depends_on_seed_and_example_alone() -> None:
    texts = ["wonderful acting throughout"] * 2

    def sensitive(some: list[str]) -> np.ndarray:
        return np.array([[0.1, 0.9] if text == texts[0] else [0.9, 0.1] for text in some])

    runs = [attacked(DeepWordBug(), sensitive, texts, [1, 1], seed=seed) for seed in (0, 0, 1)]
    assert runs[0] == runs[1] != runs[2] and runs[0][0].adversary != runs[0][1].adversary


@pytest.mark.parametrize("edit", ["best", "look-alike"])
def test_the_example_of_the_readme_can_be_found(edit: str) -> None:
    right, wrong = re.findall(r'\*"(a delightful \w+)"\*', README.read_text("utf-8"))

    def fooled_by_that_alone(some: list[str]) -> np.ndarray:
        return np.array([[0.9, 0.1] if text.endswith(wrong.split()[-1]) else [0.1, 0.9] for text in some])

    for seed in range(5):
        [record] = attacked(DeepWordBug(edit=edit), fooled_by_that_alone, [right], [1], seed=seed)
        assert record.outcome == "fooled" and record.changes[-1].old == "film" and record.changes[-1].new == "fiIm"


def test_look_alikes_are_all_tried_and_cost_one_edit_a_word() -> None:
    [record] = attacked(DeepWordBug(edit="look-alike"), constant, ["some film"], [1])
    tried = len(edits("some", "look-alike")) + len(edits("film", "look-alike"))
    assert record.outcome == "held" and record.asked == 1 + 2 + tried
    [record] = attacked(DeepWordBug(edit="look-alike", edit_distance=1), constant, ["some film"], [1])
    assert record.asked == 1 + 2 + len(edits("some", "look-alike"))
