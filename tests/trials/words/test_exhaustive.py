"""The exhaustive trial: which texts it takes, what it finds beyond the greedy attack, what it says of the others."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from results_ground import save_trial
from toys import SYNONYMS, Bag, attacked, essence, exhaustive, known, labelled, sentences
from trial_ground import by_index, in_order, pairs_of, run_of

from unfooled.attacks import PWWS
from unfooled.attacks.attack import Attack, Parts
from unfooled.errors import BadInput
from unfooled.results.folder import open_folder
from unfooled.results.open import open_results
from unfooled.trials import TRIALS
from unfooled.trials.inputs import Inputs
from unfooled.trials.words.exhaustive import ENOUGH, EXHAUSTIVE, NONE, TOO_MANY, ExhaustiveRecord, ExhaustiveSettings

TEXTS = [*sentences(40, seed=3, longest=7), "the a was", " ".join(["good film story"] * 5)]
NUMBERS = ("accuracy_under_greedy", "accuracy_under_exhaustive", "flipped")


class Crossed(Bag):
    """A bag of words that changes its mind only where two words change together: no greedy search gets there."""

    def probability(self, words: Any) -> float:
        own = list(words)
        plain = super().probability(own)
        both = any(word in own for word in ("movie", "picture")) and any(word in own for word in ("plot", "tale"))
        return 1 - plain if both else plain + (0.98 - plain) * (plain >= 0.5)


LABELS = labelled(Crossed(), TEXTS)
UNITS = pairs_of([(text,) for text in TEXTS], LABELS)


def parts(attack: Attack, similarity: str | None) -> Parts:
    return known()


def records_of(victim: Any = None, labels: Any = None, **settings: Any) -> list[ExhaustiveRecord]:
    units = UNITS if labels is None else pairs_of([(text,) for text in TEXTS], labels)
    how = {"parts": parts, "batch_size": 8, "in_flight": 4}
    return in_order(EXHAUSTIVE, victim or Crossed(), units, ExhaustiveSettings(**settings), **how)


def ways(text: str) -> int:
    return int(np.prod([float(len(SYNONYMS.get(word, ())) + 1) for word in text.split()]))


def test_it_tries_every_text_that_can_be_written_in_few_ways_and_says_why_not_the_others() -> None:
    for limit in (6, 50, 5000):
        for record, text in zip(records_of(combinations=limit), TEXTS, strict=True):
            expected = NONE if ways(text) == 1 else TOO_MANY if ways(text) > limit else ""
            assert record.left_out == expected and (record.greedy is None) == bool(expected)
            assert expected or np.prod([len(choice.words) + 1 for choice in record.choices]) == ways(text)


def test_it_finds_what_is_there_and_greedy_overlooked() -> None:
    greedy = attacked(PWWS(), Crossed(), TEXTS, LABELS)
    flips = 0
    for record in records_of():
        if record.left_out:
            continue
        assert record.greedy is not None and essence(record.greedy)[1:4] == essence(greedy[record.index])[1:4]
        assert (record.search is None) == (record.greedy.outcome == "fooled")
        found = exhaustive(Crossed(), TEXTS[record.index], LABELS[record.index])
        assert record.last is not None and (record.last.outcome == "fooled") == found
        flips += record.search is not None and found
    assert flips > 2


def test_the_numbers_are_counted_by_hand() -> None:
    labels = [1 - label if place % 4 == 0 else label for place, label in enumerate(LABELS)]
    records = records_of(labels=labels)
    tried = [one for one in records if not one.left_out]
    right = [one for one in tried if one.index % 4]
    searched = [one for one in right if one.search is not None]
    flipped = [one for one in searched if exhaustive(Crossed(), TEXTS[one.index], labels[one.index])]
    rows = {row.metric: row.score for row in EXHAUSTIVE.scores(records)}
    assert (rows["flipped"].n, rows["flipped"].value) == (len(searched), len(flipped) / len(searched))
    assert rows["accuracy_under_greedy"].value == len(searched) / len(tried)
    assert rows["accuracy_under_exhaustive"].value == (len(searched) - len(flipped)) / len(tried)
    assert {rows[name].n for name in NUMBERS[:2]} == {len(tried)} and rows["share_tried"].n == len(TEXTS)
    facts = EXHAUSTIVE.facts(records, ())["texts"]
    assert (facts["tried"], facts["searched"], facts["flipped"]) == (len(tried), len(searched), len(flipped))
    [answers] = EXHAUSTIVE.questions(records).values()
    assert set(answers) == {one.index for one in tried} and sum(answers.values()) == len(searched) - len(flipped)


def test_only_so_many_texts_are_tried_and_the_same_ones_whatever_the_model() -> None:
    first, second = records_of(most=7), records_of(Bag(), most=7)
    taken = [[one.index for one in records if not one.left_out] for records in (first, second)]
    assert taken[0] == taken[1] and len(taken[0]) == 7
    assert sum(one.left_out == ENOUGH for one in first) > 5
    other = in_order(EXHAUSTIVE, Crossed(), UNITS, ExhaustiveSettings(most=7), parts=parts, seed=1)
    assert [one.index for one in other if not one.left_out] != taken[0]  # drawn, not the first of the file
    [said] = EXHAUSTIVE.warnings(first)
    assert "7 of 42 examples were tried" in said and "for enough texts without it" in said


def test_broken_off_it_goes_on_with_the_same_texts() -> None:
    whole = records_of(most=9)
    run = run_of(Crossed(), UNITS, ExhaustiveSettings(most=9), parts=parts, batch_size=8, in_flight=4)
    made = list(EXHAUSTIVE.run(run, frozenset()))
    for broken in (1, len(made) - 5, len(made) - 1):
        done = frozenset(one.index for one in made[:broken])
        rest = list(EXHAUSTIVE.run(run, done))
        again = by_index([*made[:broken], *rest])
        assert [(one.left_out, one.last and essence(one.last)) for one in again] == [
            (one.left_out, one.last and essence(one.last)) for one in whole
        ]
        assert len(rest) == len(made) - broken


def test_an_attack_without_lists_is_refused_by_name() -> None:
    inputs = Inputs([("a film",)], [1], {}, ("no", "yes"))
    with pytest.raises(BadInput, match="deepwordbug has no lists that all combinations could be tried of; pwws, pwws_"):
        EXHAUSTIVE.units(inputs, ExhaustiveSettings(greedy="deepwordbug"), 0)
    with pytest.raises(BadInput, match="there is no attack called telepathy"):
        EXHAUSTIVE.units(inputs, ExhaustiveSettings(greedy="telepathy"), 0)
    assert EXHAUSTIVE.units(inputs, ExhaustiveSettings(greedy="pwws_sense_true"), 0) == inputs.examples


def test_an_adversary_of_its_own_substitutes_that_it_did_not_find_is_impossible(tmp_path: Any) -> None:
    records, greedy = records_of(), attacked(PWWS(), Crossed(), TEXTS, LABELS)
    assert EXHAUSTIVE.contradictions(records, greedy, None) == []
    hit = next(one for one in greedy if one.outcome == "fooled" and not records[one.index].left_out)
    old = records[hit.index]
    assert old.greedy is not None
    spared = replace(old.greedy, outcome="held", adversary=None, fooled_into=None, after=(), changes=())
    false = [replace(old, greedy=spared, search=spared) if one is old else one for one in records]
    [said] = EXHAUSTIVE.contradictions(false, greedy, None)
    assert f"example {hit.index} is said to hold" in said
    other = [replace(one, changes=tuple(replace(change, new="zebra") for change in one.changes)) for one in greedy]
    assert EXHAUSTIVE.contradictions(false, other, None) == []  # not one of its own substitutes

    save_trial(tmp_path / "one", "plain", "exhaustive", false, unit="example")
    save_trial(tmp_path / "two", "plain", "pwws", greedy, unit="attacked example")
    assert not any("IMPOSSIBLE" in warning for warning in open_folder(tmp_path / "one").warnings)
    together = open_results([tmp_path / "one", tmp_path / "two"])
    assert "exhaustive and pwws together cannot be so in 1 cases" in together.warnings[0]


def test_verify_asks_again_about_both_kinds_of_adversaries() -> None:
    records = records_of()
    run = run_of(Crossed(), UNITS, ExhaustiveSettings(), parts=parts)
    assert EXHAUSTIVE.again is not None and TRIALS["exhaustive"] is EXHAUSTIVE
    asked = EXHAUSTIVE.again(records, {"column": None}, run.victim)
    fooled = [one.index for one in records if one.last is not None and one.last.outcome == "fooled"]
    assert list(asked.claims) == fooled and not asked.disagreeing and not asked.otherwise
