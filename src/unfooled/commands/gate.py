"""Results held against requirements: what must hold must hold at the far end of its confidence interval."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from unfooled.errors import BadInput, nearest, option
from unfooled.files import alone, write_whole
from unfooled.results.open import open_results
from unfooled.scores.score import Score
from unfooled.trials.trial import AXES, Row

FORM = re.compile(
    r"\s*(?P<metric>[A-Za-z_]\w*)(\.(?P<trial>[A-Za-z_][\w-]*))?(\.(?P<part>[\w.-]+))?"
    r"\s*(?P<sign>>=|<=)\s*(?P<threshold>[-+]?\d*\.?\d+(e[-+]?\d+)?)\s*",
    re.IGNORECASE,
)
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


def gate(folder: str | Path, requirements: Sequence[str], model: str | None = None) -> list[Ruling]:
    """Hold every model of a folder, or one, against requirements such as "accuracy_under_attack.pwws >= 0.4"."""
    if not requirements:
        raise BadInput(f"nothing is required; give {option('require')}, {EXAMPLE}")
    asked = [parsed(text) for text in requirements]
    rows, models = rows_in(folder)
    if model is not None:
        if model not in models:
            raise BadInput(f"{folder} holds no model called {model}; {nearest(model, models)}")
        models = [model]
    return [ruling for requirement in asked for ruling in rulings(requirement, rows, models, folder)]


def parsed(text: str) -> Requirement:
    """A requirement from its text."""
    form = FORM.fullmatch(text)
    if form is None:
        raise BadInput(f'the requirement "{text}" cannot be read; write it {EXAMPLE}')
    part = form.groupdict()
    where = part["metric"], part["trial"], part["part"]
    return Requirement(text.strip(), *where, part["sign"] == ">=", float(part["threshold"]))


def rulings(requirement: Requirement, rows: Sequence[Row], models: Sequence[str], folder: str | Path) -> list[Ruling]:
    """Every number a requirement means, for every model; a model without it does not pass."""
    meant = [row for row in rows if requirement.meant(row)]
    if not meant:
        wanted = requirement.text.split("=")[0].rstrip("<> ")
        raise BadInput(f"{folder} holds no number called {wanted}; {nearest(wanted, {row_name(row) for row in rows})}")
    out = []
    for name in dict.fromkeys(map(row_name, meant)):
        for model in models:
            scores = [row.score for row in meant if row_name(row) == name and row.model == model]
            score = scores[0] if scores else None
            out.append(Ruling(requirement, model, name, score, score is not None and requirement.holds(score)))
    return out


def rows_in(folder: str | Path) -> tuple[list[Row], list[str]]:
    """Every number of a folder, the verdict's coordinates among them, and the names of its models."""
    results = open_results([folder])
    standing = [
        Row(axis, score, trial="verdict", model=one.model)
        for one in results.verdicts
        for axis in AXES
        if (score := one.axes[axis].score) is not None
    ]
    return [*results.rows, *standing], results.models


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


def write_junit(path: Path, rulings: Sequence[Ruling]) -> None:
    """The rulings as JUnit XML, one test case each."""
    failed = sum(not ruling.passed for ruling in rulings)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    lines.append(f'<testsuites><testsuite name="unfooled gate" tests="{len(rulings)}" failures="{failed}" errors="0">')
    for ruling in rulings:
        name = quoteattr(f"{ruling.requirement.text}: {ruling.name}")
        case = f"<testcase classname={quoteattr(clean(ruling.model))} name={name}"
        says = clean(ruling.says())
        if ruling.passed:
            lines.append(f"{case}><system-out>{escape(says)}</system-out></testcase>")
        else:
            lines.append(f"{case}><failure message={quoteattr(says)}/></testcase>")
    with alone(path, wait=True):
        write_whole(path, "\n".join([*lines, "</testsuite></testsuites>"]) + "\n")


def clean(text: str) -> str:
    """The text without what XML cannot hold."""
    return "".join(char if char >= " " and char not in "\ufffe\uffff" else "�" for char in text)
