"""Attacks in words as trials: they resume, have targets, curves and settings of their own."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from results_ground import word_attack
from toys import Bag, attacked, essence, known, labelled, sentences
from trial_ground import in_order, pairs_of, ran, run_of

from unfooled.attacks import PWWS, RandomWords
from unfooled.attacks.attack import Attack, Parts
from unfooled.attacks.records import AttackRecord
from unfooled.attacks.table import ATTACKS
from unfooled.errors import BadInput
from unfooled.trials import TRIALS
from unfooled.trials.inputs import Inputs
from unfooled.trials.words import words
from unfooled.trials.words.words import WORDS, trial_of
from unfooled.victims import open_victim

TEXTS = sentences(20, seed=3)
LABELS = labelled(Bag(), TEXTS)
UNITS = pairs_of([(text,) for text in TEXTS], LABELS)


def own_parts(attack: Attack, similarity: str | None) -> Parts:
    return known()


def settings(name: str, **changes: Any) -> Any:
    return TRIALS[name].settings(**{"similarity": None, **changes})


def test_the_trial_is_the_attack_and_resumes() -> None:
    expected = [essence(one) for one in attacked(PWWS(), Bag(), TEXTS, LABELS)]
    how = {"parts": own_parts, "batch_size": 8, "in_flight": 4}
    whole = in_order(TRIALS["pwws"], Bag(), UNITS, settings("pwws"), **how)
    assert [essence(one) for one in whole] == expected and {one.outcome for one in whole} >= {"fooled", "held"}
    rest = in_order(TRIALS["pwws"], Bag(), UNITS, settings("pwws"), done={0, 1, 7, 19}, **how)
    assert [essence(one) for one in rest] == [essence(one) for one in whole if one.index not in {0, 1, 7, 19}]


def test_the_parts_are_made_for_the_attack_and_its_similarity() -> None:
    seen: list[tuple[Attack, str | None]] = []

    def parts(attack: Attack, similarity: str | None) -> Parts:
        seen.append((attack, similarity))
        return known()

    chosen = settings("random", similarity="x")
    list(ran(TRIALS["random"], Bag(), UNITS[:2], chosen, parts=parts))
    assert seen == [(chosen.attack, "x")] and isinstance(chosen.attack, RandomWords)


def test_a_target_is_attacked_from_other_labels_alone() -> None:
    inputs = Inputs([one.texts for one in UNITS], LABELS, {}, ("no", "yes"))
    chosen = settings("pwws", target="yes")
    units = TRIALS["pwws"].units(inputs, chosen, 0)
    assert units == [one for one in UNITS if one.label == 0]
    records = in_order(TRIALS["pwws"], Bag(), units, chosen, parts=own_parts, names=("no", "yes"))
    assert all(one.fooled_into == 1 for one in records if one.outcome == "fooled")
    assert len(TRIALS["pwws"].units(inputs, settings("pwws", most=5), 0)) == 5
    for target, some, message in (
        ("maybe", inputs, "the model knows no label called maybe"),
        ("yes", replace(inputs, texts=[("a",)], labels=[1]), "there is no example to attack"),
        ("yes", replace(inputs, task="multilabel"), "fooled into any other set; leave the target out"),
    ):
        with pytest.raises(BadInput, match=message):
            TRIALS["pwws"].units(some, settings("pwws", target=target), 0)


def test_batches_that_failed_and_were_halved_are_remarked_upon() -> None:
    def weak(texts: list[str]) -> np.ndarray:
        if len(texts) > 3:
            raise MemoryError("too many")
        return Bag()(texts)

    run = run_of(weak, UNITS, settings("pwws"), parts=own_parts, batch_size=8)
    found = sorted(TRIALS["pwws"].run(run, frozenset()), key=lambda one: one.index)
    assert [essence(one) for one in found] == [essence(one) for one in attacked(PWWS(), Bag(), TEXTS, LABELS)]
    assert len(run.remarks) == 1 and "asked again in halves" in run.remarks[0]


def test_every_attack_is_a_trial_with_its_own_settings() -> None:
    for name in ATTACKS:
        trial = TRIALS[name]
        assert trial is getattr(words, name) and isinstance(trial.settings().attack, ATTACKS[name])
        assert trial.verdict == WORDS.verdict and trial.record is AttackRecord
        assert TRIALS.lines[name] == ATTACKS.lines[name]
    with pytest.raises(AttributeError, match="has no attribute telepathy"):
        words.telepathy  # noqa: B018
    assert isinstance(trial_of(RandomWords).settings().attack, RandomWords)


def test_a_curve_is_what_is_left_if_so_many_words_may_be_changed() -> None:
    assert WORDS.curve is not None
    records = [*word_attack(2, 1, 1), *[replace(one, index=4) for one in word_attack(0, 1, 0, changes=2)]]
    records.append(replace(records[0], index=5, outcome="budget"))
    records.append(replace(records[0], index=6, outcome="error"))
    points = WORDS.curve.points(records)
    assert [most for most, _, _ in points] == list(range(11))
    assert [score.value for _, score, _ in points[:4]] == [5 / 7, 3 / 7, 2 / 7, 2 / 7]
    assert points[1][2] == {0: True, 1: True, 2: False, 3: False, 4: True, 5: False, 6: False}
    assert "{trial}" in WORDS.curve.title


def test_the_worst_of_several_attacks_is_the_verdict() -> None:
    (part,) = WORDS.verdict
    first, second = word_attack(6, 2, 2), word_attack(5, 1, 4)  # of ten: 6 and 7, and 5, are fooled
    score = part.score({"pwws": first, "random": second})
    assert (part.axis, part.name) == ("fickleness", "word attacks")
    assert (score.value, score.n) == (3 / 8, 8) and "that pwws or random fools" in score.definition


def test_attacks_by_scores_say_why_they_leave_out_a_model_that_says_labels_alone() -> None:
    victim = replace(open_victim(Bag()), labels_only=True)
    reasons = {name: TRIALS[name].unable(victim, UNITS) for name in ATTACKS}
    assert [name for name, reason in reasons.items() if reason is None] == ["hlbb", "random"]
    assert "says labels and not how sure it is" in str(reasons["pwws"])
