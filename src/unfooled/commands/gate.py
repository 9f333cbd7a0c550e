"""Results held against requirements, for continuous integration."""

from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from unfooled.errors import BadInput, nearest, option
from unfooled.files import alone, write_whole
from unfooled.results.open import open_results
from unfooled.results.requirements import EXAMPLE, Ruling, parsed, required_rows, rulings


def gate(folder: str | Path, requirements: Sequence[str], model: str | None = None) -> list[Ruling]:
    """Hold every model of a folder, or one, against requirements such as "accuracy_under_attack.pwws >= 0.4"."""
    if not requirements:
        raise BadInput(f"nothing is required; give {option('require')}, {EXAMPLE}")
    asked = [parsed(text) for text in requirements]
    results = open_results([folder])
    rows, models = required_rows(results, asked), results.models
    if not all(any(map(one.meant, rows)) for one in asked):
        rows = required_rows(results)  # of which the refusal names one that is called alike
    if model is not None:
        if model not in models:
            raise BadInput(f"{folder} holds no model called {model}; {nearest(model, models)}")
        models = [model]
    return [ruling for requirement in asked for ruling in rulings(requirement, rows, models, str(folder))]


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
