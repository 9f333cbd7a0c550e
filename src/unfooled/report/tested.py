"""What differences between the columns of a page are worth, question by question."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from unfooled.report.groups import Group, common, grouped, outcomes
from unfooled.results.verdict import FEW
from unfooled.scores.differences import Difference, bootstrap, families, holm, mcnemar
from unfooled.scores.score import SHARE
from unfooled.trials.trial import Answers, Question

CERTAIN = 0.05
Asked = tuple[str, Question]  # a trial and what it answers for every example


@dataclass(frozen=True)
class GroupDifference:
    """Second minus first in what a trial answers; ``corrected`` is its p corrected for all questions asked.

    ``only_first`` and ``only_second`` count the examples that one model alone gets right.
    """

    trial: str
    question: Question
    first: str
    second: str
    difference: Difference
    test: str
    only_first: int | None = None
    only_second: int | None = None
    corrected: float = 1.0

    @property
    def title(self) -> str:
        """The question as a page prints it."""
        place = self.trial if self.question.eps is None else f"{self.trial} {self.question.eps:g}"
        return f"{place}: {self.question.title}"

    @property
    def clear(self) -> bool:
        """Whether the difference is more than chance makes of so many questions."""
        return self.corrected < CERTAIN

    @property
    def text(self) -> str:
        """The difference as it is printed, in its unit."""
        return self.signed(self.difference.value) + (" points" if self.question.unit == SHARE else f" {self.unit}")

    @property
    def unit(self) -> str:
        """What differences are printed in, beside the numbers themselves; of shares it goes without saying."""
        return "" if self.question.unit == SHARE else self.question.unit

    def signed(self, value: float) -> str:
        """A value with its sign: shares in points."""
        return f"{100 * value:+.1f}" if self.question.unit == SHARE else f"{value:+.3g}"


def tested(
    answers: Mapping[Asked, Mapping[str, Answers]],
    families_of: Mapping[str, Mapping[int, str]],
    groups: Sequence[Group],
) -> tuple[GroupDifference, ...]:
    """Every group against the first in every question that models are tested by, corrected by Holm."""
    differences = []
    for (trial, question), own in answers.items():
        for group in groups[1:] if question.tested else ():
            one = between(trial, question, (groups[0], group), own, families_of.get(trial, {}))
            if one is not None:
                differences.append(one)
    corrected = holm([one.difference.p for one in differences])
    return tuple(replace(one, corrected=p) for one, p in zip(differences, corrected, strict=True))


def between(
    trial: str,
    question: Question,
    sides: tuple[Group, Group],
    answers: Mapping[str, Answers],
    family: Mapping[int, str],
) -> GroupDifference | None:
    """One group against another: McNemar's mid-p for single models on examples that have nothing to do with each other.

    For several seeds, for examples that come in families, and for answers that are more or less rather than right or
    wrong, a bootstrap over seeds and over examples or families.
    """
    members = [[answers[name] for name in group.members if name in answers] for group in sides]
    shared = common([one for side in members for one in side])
    # McNemar's mid-p of four examples is 1/16 at the least: fewer than five cannot tell models apart, and asking them
    # would only make Holm's correction of the others stricter.
    if not all(members) or len(shared) < FEW:
        return None
    one, two = (outcomes(side, shared) for side in members)
    groups = grouped(shared, family)
    several = len(shared) if groups is None else len(set(groups))
    alone, single = several == len(shared), len(one) == len(two) == 1
    difference = bootstrap(one, two) if alone else bootstrap(families(one, groups), families(two, groups))
    whether = all(bool(((side == 0) | (side == 1)).all()) for side in (one, two))
    if several == 1 and not whether:
        return None  # a single family drawn again is always itself, and such answers have no bounds
    if question.unit == SHARE:  # seeds that are drawn wider than they are may leave what shares can differ by
        difference = replace(difference, low=max(difference.low, -1.0), high=min(difference.high, 1.0))
    names = sides[0].name, sides[1].name
    how = " and ".join(["bootstrap over examples" if alone else "bootstrap over texts", *([] if single else ["seeds"])])
    if not (single and whether):
        return GroupDifference(trial, question, *names, difference, how)
    test = mcnemar(one[0] > 0, two[0] > 0)
    if alone:
        difference, how = replace(difference, p=test.mid), "McNemar, mid-p"
    return GroupDifference(trial, question, *names, difference, how, test.first_only, test.second_only)
