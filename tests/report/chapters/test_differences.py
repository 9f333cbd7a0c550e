"""Differences are told with their p, in their units; costs beside what they gain."""

from dataclasses import replace

import pytest
from results_ground import finished, plain
from stories import told_of, words

from unfooled.report.chapters.differences import averaged, chance, content, costs_table, differences_table
from unfooled.report.groups import Group
from unfooled.report.tested import GroupDifference
from unfooled.report.told import Told
from unfooled.scores.differences import Difference
from unfooled.trials.trial import Question

GAP = GroupDifference(
    "pwws", Question("accuracy", title="accuracy"), "plain", "robust", Difference(0.05, 0.01, 0.09, 0.03, 200, 1),
    "McNemar", 4, 14, 0.06,
)  # fmt: skip


def test_a_difference_is_called_one_only_after_holms_correction() -> None:
    found = words(differences_table([GAP]))
    assert "pwws: accuracy plain → robust +5.0 +1.0 to +9.0 4 14 0.030 0.060 not shown to differ" in found
    assert found.startswith("Differences in points, with 95 % intervals")
    assert "only first right" not in words(differences_table([replace(GAP, only_first=None, only_second=None)]))
    assert "0.020 differs" in words(differences_table([replace(GAP, corrected=0.02)]))
    assert chance(0.0004) == "< 0.001"


def test_what_is_no_share_is_told_in_its_unit() -> None:
    nats = replace(GAP, question=Question("perplexity", title="log p", unit="nats"), only_first=None, only_second=None)
    found = words(differences_table([GAP, nats]))
    assert "pwws: log p plain → robust +0.05 nats +0.01 to +0.09 – – 0.030" in found
    assert found.startswith("Differences, of shares in points, with 95 % intervals") and nats.text == "+0.05 nats"


@pytest.fixture
def compared() -> Told:
    trials, groups = [], []
    for method, counts, left, seconds in (("finetune", (90, 88, 91), 30, 40.0), ("freelb", (92, 93, 91), 70, 100.0)):
        names = [f"{method}-{seed}" for seed in range(3)]
        for name, right in zip(names, counts, strict=True):
            clean, pgd = plain(right, {0.02: right, 0.1: left})
            trials += [finished(name, "clean", clean), finished(name, "pgd", pgd)]
        took = tuple(seconds + seed for seed in range(3))
        groups.append(Group(method, tuple(names), took, (900.0,) if method == "finetune" else ()))
    return told_of(*trials, groups=groups)


def test_costs_are_beside_the_first_and_beside_what_they_gain(compared: Told) -> None:
    found = words(costs_table(compared))
    assert "peak memory, MB clean: accuracy pgd 0.1: accuracy under attack finetune 41 " in found
    assert "1.00 × 900 – –" in found and "freelb 101 " in found and "2.46 × – +2.3 " in found and "+40.0 " in found


def test_seeds_say_what_they_can_show(compared: Told) -> None:
    assert "can never show a difference" in content(compared)
    assert "between equals (bootstrap over examples and seeds)" in words(content(compared))
    attack = next(one for one in compared.differences if one.question.eps == 0.1)
    assert attack.difference.value == pytest.approx(0.4) and attack.clear and "bootstrap" in attack.test


def test_one_model_has_no_differences() -> None:
    assert content(told_of(finished("plain", "clean", plain(9, {}, 10)[0]))) == ""


def test_no_training_takes_less_than_no_time() -> None:
    assert (averaged([1.0, 9.0]).low, averaged([5.0, 5.0]).low) == (0.0, 5.0)
