"""What a page is told: results and its columns; what several chapters need is read off them once."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from unfooled.report.groups import Group, combined, standings
from unfooled.report.tested import Asked, GroupDifference, tested
from unfooled.results.folder import Finished, Results
from unfooled.results.log import Header
from unfooled.results.requirements import Ruling, parsed, required_rows, rulings
from unfooled.results.verdict import Verdict
from unfooled.scores.score import Score
from unfooled.trials import TRIALS
from unfooled.trials.behaviour.cases import KINDS, CaseRecord, in_words
from unfooled.trials.trial import Answers, Question, Row


@dataclass(frozen=True)
class Number:
    """One number of a trial, None where a column has none; ``row`` is that of the first model that has it."""

    row: Row
    scores: tuple[Score | None, ...]
    definition: str

    @property
    def trial(self) -> str:
        """The trial, at its radius, as a page prints it."""
        return self.row.trial if self.row.eps is None else f"{self.row.trial}, eps {self.row.eps:g}"

    @property
    def name(self) -> str:
        """What the number is called within its trial."""
        title = self.row.score.title or self.row.metric.replace("_", " ")
        return title if self.row.part is None else f"{title}, {in_words(self.row.part)}"

    @property
    def asked(self) -> Asked:
        """The question that it is the answer to, where models are tested by one."""
        return self.row.trial, Question(self.row.metric, self.row.eps, self.row.part)

    @property
    def whole(self) -> bool:
        """Whether every column has it."""
        return all(self.scores)


@dataclass(frozen=True)
class Told:
    """Results and the columns they are shown in: models, or methods that were compared, with their seeds.

    ``requirements`` are what a reader holds them to, ``day`` is when the last of them was measured.
    """

    results: Results
    groups: tuple[Group, ...]
    requirements: tuple[str, ...] = ()
    day: str = ""

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [group.name for group in self.groups]

    @property
    def title(self) -> str:
        """What the page is of."""
        return " · ".join(self.names) if len(self.groups) <= 4 else f"{len(self.groups)} models"

    @property
    def subtitle(self) -> str:
        """On what, how many, how often, until when."""
        first, seeds = self.results.trials[0].header, max(len(group.members) for group in self.groups)
        several = f", {seeds} seeds a method" if seeds > 1 else ""
        measured = f" · measured until {self.day}" if self.day else ""
        return f"{first.data}, {first.examples:,} {first.unit}s{several}{measured}"

    @property
    def about(self) -> str:
        """What the page is."""
        one = len(self.groups) == 1
        return (
            f"A test report, made by unfooled: how {self.names[0] if one else 'these models'} "
            f"{'does' if one else 'do'} on texts as they are and on texts that were changed to mislead, "
            f"{'' if one else 'which differences are more than chance, '}and what to make of it. The range beside a "
            f"number is its 95 % interval: what so many examples leave open."
        )

    def header(self, model: str) -> Header:
        """What the first log of a model says of it."""
        return next(one.header for one in self.results.trials if one.model == model)

    def of(self, record: type) -> list[Finished]:
        """The trials that have records of this type."""
        return [one for one in self.results.trials if one.form.record is record]

    @cached_property
    def answers(self) -> dict[Asked, dict[str, Answers]]:
        """Every question's answers, by model."""
        answers: dict[Asked, dict[str, Answers]] = {}
        for one in self.results.measured:
            for question, own in one.form.questions(one.briefs).items():
                answers.setdefault((one.trial, question), {})[one.model] = own
        return answers

    @cached_property
    def families(self) -> dict[str, Mapping[int, str]]:
        """Which records are versions of one text, by trial."""
        return {one.trial: one.form.families(one.briefs) for one in self.results.measured}

    @cached_property
    def numbers(self) -> tuple[Number, ...]:
        """Every number but details, behavioural tests one by one, and attacks that change nothing."""
        rows: dict[Asked, dict[str, Row]] = {}
        for one in self.results.measured:
            for row in one.rows:
                if not (row.detail or row.eps == 0 or of_one_test(one, row)) and row.score.n:
                    asked = one.trial, Question(row.metric, row.eps, row.part)
                    rows.setdefault(asked, {})[row.model] = row
        return tuple(self.number(asked, own) for asked, own in rows.items())

    def number(self, asked: Asked, rows: Mapping[str, Row]) -> Number:
        """A number in every column, from that of every model."""
        scores, answers = {model: row.score for model, row in rows.items()}, self.answers.get(asked, {})
        columns = tuple(combined(group, scores, answers, self.families.get(asked[0])) for group in self.groups)
        return Number(next(iter(rows.values())), columns, defined(scores))

    def all_of(self, metric: str) -> list[Number]:
        """The numbers of one metric that every column has."""
        return [number for number in self.numbers if number.row.metric == metric and number.whole]

    @cached_property
    def hardest(self) -> Number | None:
        """The accuracy under the attack that leaves least of all columns'; None where none attacks."""
        attacked = self.all_of("accuracy_under_attack")
        return min(attacked, key=lambda one: sum(score.value for score in one.scores if score), default=None)

    @cached_property
    def differences(self) -> tuple[GroupDifference, ...]:
        """What is worth what, each column against the first."""
        return tested(self.answers, self.families, self.groups)

    @cached_property
    def better(self) -> dict[Asked, frozenset[str]]:
        """The columns that are shown to be better than the first, by question; the first where all are shown worse."""
        asked: dict[Asked, list[GroupDifference]] = {}
        for one in self.differences:
            asked.setdefault((one.trial, one.question), []).append(one)
        shown = {}
        for question, own in asked.items():
            gains = {one.second for one in own if one.clear and one.difference.value > 0}
            worst = len(own) == len(self.groups) - 1 and all(one.clear and one.difference.value < 0 for one in own)
            shown[question] = frozenset({own[0].first} if worst else gains)
        return shown

    @cached_property
    def rulings(self) -> tuple[Ruling, ...]:
        """Every number that is required, held against what is required of it, as the gate does."""
        rows = required_rows(self.results)
        asked = [parsed(text) for text in self.requirements]
        return tuple(one for own in asked for one in rulings(own, rows, self.results.models, "this page"))

    @cached_property
    def terms(self) -> dict[str, str]:
        """What each trial does, in plain words that go on from its name."""
        return {one.trial: one.form.says or TRIALS.lines.get(one.trial, "") for one in self.results.measured}

    @cached_property
    def standings(self) -> tuple[Verdict, ...]:
        """Where each column stands."""
        return standings(self.results, self.groups)


def of_one_test(trial: Finished, row: Row) -> bool:
    """Whether a row is of one behavioural test, which has a table of its own."""
    return trial.form.record is CaseRecord and row.part not in KINDS


def defined(scores: Mapping[str, Score]) -> str:
    """What a number is, by model where it is not the same for all, such as the best layer."""
    definitions = {score.definition for score in scores.values()}
    if len(definitions) == 1:
        return definitions.pop()
    return "; ".join(f"{model}: {score.definition}" for model, score in scores.items())
