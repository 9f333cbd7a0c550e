"""Reads stored CheckList suites: one JSON object a case, with its test, type, capability, examples and labels.

The suites' own expectations were code and are not stored; what their tests expect is said here, by the test's name.
Tests of a name not known here, that have no labels and are not INV, are left out and named in the notes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unfooled.data.files.lines import text_lines
from unfooled.errors import BadInput, nearest
from unfooled.parsing import json_file, json_value
from unfooled.trials.behaviour.cases import Case, Expectation, Rule
from unfooled.types import Texts

SUITES = ("sentiment", "qqp")
TOLERANCE = 0.1  # as in CheckList's own suites
Expected = tuple[Rule, tuple[str, ...]]
NOT_NEGATIVE: Expected = ("is", ("neutral", "positive"))
NOT_ALIKE: Expected = ("is", ("not_duplicate",))
# What a test without labels expects: a rule, and the classes it is about (none: the original's predicted one).
EXPECTED: dict[str, Expected] = {
    "intensifiers": ("not lower", ()),
    "reducers": ("not higher", ()),
    "add positive phrases": ("not lower", ("positive",)),
    "add negative phrases": ("not lower", ("negative",)),
    '"used to" should reduce': ("not higher", ()),
    "simple negations: not negative": NOT_NEGATIVE,
    "simple negations: I thought x was negative, but it was not (should be neutral or positive)": NOT_NEGATIVE,
    "Hard: Negation of negative with neutral stuff in the middle (should be positive or neutral)": NOT_NEGATIVE,
    "(question, f(question)) where f(question) replaces synonyms?": ("is", ("duplicate",)),
    "(q, paraphrase(q))": ("is", ("duplicate",)),
    "Change first name in one of the questions": NOT_ALIKE,
    "Change first and last name in one of the questions": NOT_ALIKE,
    "Change location in one of the questions": NOT_ALIKE,
    "Change numbers in one of the questions": NOT_ALIKE,
    "Keep entitites, fill in with gibberish": NOT_ALIKE,
}


@dataclass(frozen=True)
class Suite:
    """The cases of a stored suite that a model can be asked, and what was left out."""

    cases: tuple[Case, ...]
    notes: tuple[str, ...]


def read_suite(
    folder: Path, suite: str, names: Sequence[str], most: int | None = None, variants: int | None = None
) -> Suite:
    """A stored suite for a model with these label names: at most so many cases a test, and changed texts a case.

    Cases whose label the model does not know (neutral, of a model of two classes) are left out.
    """
    if suite not in SUITES:
        raise BadInput(f"there is no stored suite called {suite} for classifiers; {nearest(suite, SUITES)}")
    known = suite_labels(folder, suite)
    place = {name.casefold(): number for number, name in enumerate(names)}
    missing = [name for name in known.values() if name.casefold() not in place and name != "neutral"]
    if missing:
        raise BadInput(
            f"the {suite} suite asks for the labels {', '.join(known.values())}, the model knows {', '.join(names)}; "
            "leave the suite out, or use a model trained for it"
        )
    cases: list[Case] = []
    counts: dict[str, int] = {}
    left: dict[str, int] = {}
    for row in rows(folder / f"{suite}.jsonl.gz"):
        case = case_of(row, known, place, variants)
        if case is None:
            left[row["test"]] = left.get(row["test"], 0) + 1
        elif most is None or counts.get(case.test, 0) < most:
            counts[case.test] = counts.get(case.test, 0) + 1
            cases.append(case)
    note = f"suite {suite}: {sum(left.values())} cases of {len(left)} tests are left out, of which nothing is expected"
    return Suite(tuple(cases), (f"{note} of this model ({', '.join(left)})",) if left else ())


def case_of(row: dict[str, Any], known: dict[str, str], place: dict[str, int], variants: int | None) -> Case | None:
    """One stored case; None where nothing can be expected of the model."""
    texts = tuple(dict.fromkeys((one,) if isinstance(one, str) else tuple(one) for one in row["examples"]))
    kind: Expectation = row["type"]
    rule, named = EXPECTED.get(row["test"], ("same", ()))
    if row["labels"] is not None:
        rule, named = "is", (known[str(row["labels"])],)
    elif kind != "INV" and row["test"] not in EXPECTED:
        return None
    if len(texts) == 1:  # nothing to compare with: its answer is known, or there is no test
        kind = "MFT"
    classes = tuple(place[name.casefold()] for name in named if name.casefold() in place)
    if (named and not classes) or (kind == "MFT" and rule != "is"):
        return None
    if kind != "MFT" and variants is not None:
        texts = texts[: variants + 1]
    return Case(row["test"], kind, row["capability"], texts, rule, classes, TOLERANCE)


def suite_labels(folder: Path, suite: str) -> dict[str, str]:
    """The names of a suite's label numbers, out of the folder's description."""
    path = folder / "meta.json"
    try:
        labels = json_file(path)["labels"][suite]
        return {str(number): str(name) for number, name in labels.items()}
    except OSError:
        raise BadInput(f"{folder} holds no stored suites; name a folder that does, or leave the suite out") from None
    except (ValueError, LookupError, AttributeError, TypeError):
        raise BadInput(f"{path} does not name the labels of the {suite} suite; copy the folder again") from None


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """The cases of a file, checked one by one."""
    try:
        for number, line in enumerate(text_lines(path), 1):
            yield checked(path, number, line)
    except BadInput as error:
        raise BadInput(f"{path} cannot be read as gzipped UTF-8 lines; copy the folder again ({error})") from None


def checked(path: Path, number: int, line: str) -> dict[str, Any]:
    """One case, if it is one."""
    try:
        row = json_value(line)
        strings: list[Texts | str] = row["examples"]
        named = isinstance(row["test"], str) and isinstance(row["capability"], str)
        widths = {1 if isinstance(one, str) else len(one) for one in strings}
        known = row["type"] in ("MFT", "INV", "DIR") and isinstance(row["labels"], int | None)
        if not named or not known or len(widths) != 1:
            raise TypeError
    except (ValueError, LookupError, TypeError):
        raise BadInput(f"{path}, row {number} is no case of a suite; copy the folder again") from None
    return row
