"""Requirements on numbers: what must hold must hold at the far end of its confidence interval."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from unfooled.errors import BadInput, nearest
from unfooled.results.folder import Results
from unfooled.scores.score import Score
from unfooled.trials.trial import AXES, Row

FORM = re.compile(
    r"\s*(?P<metric>[A-Za-z_]\w*)(\.(?P<trial>[A-Za-z_][\w-]*))?(\.(?P<part>[\w.-]+))?"
    r"\s*(?P<sign>>=|<=)\s*(?P<threshold>[-+]?\d*\.?\d+(e[-+]?\d+)?)\s*",
    re.IGNORECASE,
)
PLACES = Decimal("0.001")  # of a threshold that is read off results
NUMBER = re.compile(r"\d*\.?\d+")
EXAMPLE = 'as in "accuracy_under_attack.pwws >= 0.4", "accuracy_under_attack.pgd.0.1 >= 0.5" or "fickleness <= 0.3"'


@dataclass(frozen=True)
class Requirement:
    """A number of the results and the least or most it may be."""

    text: str
    metric: str
    trial: str | None
    part: str | None
    at_least: bool
    threshold: float

    def meant(self, row: Row) -> bool:
        """Whether a number is one of those required; without a trial, radius or part all of them are."""
        if row.metric != self.metric or self.trial not in (None, row.trial):
            return False
        if self.part is None:
            return not row.detail
        same_radius = row.eps is not None and NUMBER.fullmatch(self.part) and math.isclose(row.eps, float(self.part))
        return bool(same_radius) or (row.part is not None and slug(row.part) == slug(self.part))

    def holds(self, score: Score) -> bool:
        """Whether the end of the interval that is nearer to the threshold holds it; no examples hold nothing."""
        if score.n == 0 or not math.isfinite(score.value):
            return False
        return score.low >= self.threshold if self.at_least else score.high <= self.threshold


@dataclass(frozen=True)
class Ruling:
    """One number against one requirement; ``score`` is None where the model was not measured so."""

    requirement: Requirement
    model: str
    name: str
    score: Score | None
    passed: bool

    def says(self) -> str:
        """The ruling in a sentence."""
        if self.score is None:
            return f"{self.model}: {self.name} was not measured"
        bound, end = ("lower", self.score.low) if self.requirement.at_least else ("upper", self.score.high)
        sign = ">=" if self.requirement.at_least else "<="
        verdict = "holds" if self.passed else "does not hold"
        return (
            f"{self.model}: {self.name} is {self.score.value:.4f} [{self.score.low:.4f}, {self.score.high:.4f}], "
            f"n = {self.score.n}; its {bound} bound {end:.4f} {sign} {self.requirement.threshold:g} {verdict}"
        )


def parsed(text: str) -> Requirement:
    """A requirement from its text."""
    form = FORM.fullmatch(text)
    if form is None:
        raise BadInput(f'the requirement "{text}" cannot be read; write it {EXAMPLE}')
    part = form.groupdict()
    where = part["metric"], part["trial"], part["part"]
    return Requirement(text.strip(), *where, part["sign"] == ">=", float(part["threshold"]))


def rulings(requirement: Requirement, rows: Sequence[Row], models: Sequence[str], place: str) -> list[Ruling]:
    """Every number of a place that a requirement means, for every model; a model without it does not pass."""
    meant = [row for row in rows if requirement.meant(row)]
    if not meant:
        wanted = requirement.text.split("=")[0].rstrip("<> ")
        raise BadInput(f"{place} holds no number called {wanted}; {nearest(wanted, {row_name(row) for row in rows})}")
    out = []
    for name in dict.fromkeys(map(row_name, meant)):
        for model in models:
            scores = [row.score for row in meant if row_name(row) == name and row.model == model]
            score = scores[0] if scores else None
            out.append(Ruling(requirement, model, name, score, score is not None and requirement.holds(score)))
    return out


def strictest(scores: Sequence[Score]) -> str | None:
    """The strictest requirement, to three decimals, that all of these numbers hold; None where none is better.

    >>> strictest([Score(0.8, 0.7112, 0.87, 100, ""), Score(0.9, 0.8256, 0.94, 100, "")])
    '>= 0.711'
    """
    known = [score for score in scores if score.n and math.isfinite(score.value + score.low + score.high)]
    if not known or len(known) < len(scores) or not known[0].better:
        return None
    if known[0].better == "more":
        return f">= {Decimal(min(score.low for score in known)).quantize(PLACES, ROUND_FLOOR)}"
    return f"<= {Decimal(max(score.high for score in known)).quantize(PLACES, ROUND_CEILING)}"


def required_rows(results: Results, asked: Sequence[Requirement] = ()) -> list[Row]:
    """Every number that can be required, the verdict's coordinates among them.

    Where requirements are given, only numbers of the trials that they may mean: reading a log for them takes time.
    """
    named = {one.trial for one in asked if one.trial or one.metric not in AXES}
    wanted = (
        [one for one in results.measured if one.trial in named] if asked and None not in named else results.measured
    )
    standing = [
        Row(axis, score, trial="verdict", model=one.model)
        for one in results.verdicts
        for axis in AXES
        if (score := one.axes[axis].score) is not None
    ]
    return [*(row for one in wanted for row in one.rows), *standing]


def row_name(row: Row) -> str:
    """A number's name, as requirements spell it."""
    place = f"{row.eps:g}" if row.eps is not None else None if row.part is None else slug(row.part)
    parts = [row.metric, None if row.trial == "verdict" else row.trial, place]
    return ".".join(part for part in parts if part is not None)


def slug(part: str) -> str:
    """A part's name without spaces and signs.

    >>> slug("cls, layer 6")
    'cls-layer-6'
    """
    return re.sub(r"[^\w.]+", "-", part).strip("-")
