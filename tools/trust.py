"""docs/trust.md: every promise beside the tests that hold it and the figures those gave when they last ran.

    python tools/trust.py                         writes the page from docs/trust.toml and docs/trust.json
    python tools/trust.py --run [WORD …]          runs the tests first, all or those of promises with one of the words
    python tools/trust.py --run kill -- --kills 25     what follows -- goes to pytest
    python tools/trust.py --read REPORT …         takes figures from reports that pytest has written (--junitxml)

Of a case that is in several reports the last one counts; a sample does not take the place of a longer form that ran
before, unless it fails. `make trust` also reads what `make test-kill` and
`make test-hostile` left in build/.

To add a promise or a test, add to docs/trust.toml. A test gives a figure by pytest's own
``record_property(name, number)``; numbers of one test's cases are added up, but for names that begin with largest,
peak, smallest or least.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import tomllib
import xml.etree.ElementTree as ElementTree  # nosec B405 (reads what pytest has just written)
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
TABLE, FIGURES, PAGE = (ROOT / "docs" / f"trust.{kind}" for kind in ("toml", "json", "md"))
EXTREMES = {"largest": max, "peak": max, "smallest": min, "least": min}
HEAD = """# What you can rely on, and why

Every promise of the [README](../README.md#what-you-can-rely-on) beside the tests that hold it and what those gave when
they last ran. `make trust` runs them all and writes this page anew (`tools/trust.py` says how to run a few); promises
and tests stand in `docs/trust.toml`. These tests are part of `make test`; where there is a longer form, the note says
how to run it, and the figures are of the longer form if `make trust` found its report in `build/`. Seconds are of a
machine whose two cores had other work too.
"""


def read_table() -> dict[str, list[dict[str, Any]]]:
    """The promises and the list."""
    return tomllib.loads(TABLE.read_text(encoding="utf-8"))


def named(entry: dict[str, Any]) -> str:
    """What an entry is about."""
    return str(entry.get("says") or entry["what"])


def figures_of(reports: list[str], tests: list[str]) -> dict[str, dict[str, Any]]:
    """What each test gave, from pytest's reports; a test that did not run is left out."""
    found: dict[str, dict[str, Any]] = {}
    for name, (case, day) in cases_of(reports).items():
        node = name.split("[")[0]
        if node in tests:
            empty = {"cases": 0, "failed": 0, "skipped": 0, "seconds": 0.0, "figures": {}, "when": day}
            told = found.setdefault(node, empty)
            told["cases"] += 1
            told["failed"] += any(case.find(kind) is not None for kind in ("failure", "error"))
            told["skipped"] += case.find("skipped") is not None
            told["seconds"] = round(told["seconds"] + float(case.attrib["time"]), 1)
            told["when"] = max(told["when"], day)
            for one in case.iter("property"):
                merge(told["figures"], one.attrib["name"], float(one.attrib["value"]))
    return found


def cases_of(reports: list[str]) -> dict[str, tuple[ElementTree.Element, str]]:
    """The cases of all reports by their names, each with the day it ran."""
    found = {}
    for report in reports:
        for suite in ElementTree.fromstring(report).iter("testsuite"):  # noqa: S314  # nosec B314
            for case in suite.iter("testcase"):
                place = case.attrib["classname"].removeprefix("tests.").replace(".", "/")
                found[f"{place}.py::{case.attrib['name']}"] = (case, suite.attrib["timestamp"][:10])
    return found


def merge(figures: dict[str, float], name: str, value: float) -> None:
    """Add a figure to those of other cases of the test, or keep the more extreme one.

    >>> told = {"kills": 2, "peak megabytes": 300}
    >>> merge(told, "kills", 3)
    >>> merge(told, "peak megabytes", 250)
    >>> told
    {'kills': 5, 'peak megabytes': 300}
    """
    join = EXTREMES.get(name.split()[0], lambda one, other: one + other)
    figures[name] = join(figures[name], value) if name in figures else value


def run(entries: list[dict[str, Any]], options: list[str]) -> Iterator[dict[str, dict[str, Any]]]:
    """Run the tests of these entries, file by file; what those of each file gave."""
    tests = sorted({test for entry in entries for test in entry.get("tests", ())})
    for _, own in groupby(tests, lambda test: test.partition("::")[0]):
        chosen = list(own)
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "report.xml"
            command = [sys.executable, "-m", "pytest", f"--junitxml={report}", *options]
            subprocess.run([*command, *(f"tests/{test}" for test in chosen)], cwd=ROOT, check=False)  # noqa: S603
            yield figures_of([report.read_text(encoding="utf-8")], chosen)


def write(table: dict[str, list[dict[str, Any]]], kept: dict[str, dict[str, Any]]) -> None:
    """Keep the figures of tests that are still named, and write the page."""
    tests = {test for entry in (*table["promise"], *table["held"]) for test in entry.get("tests", ())}
    named_still = {test: one for test, one in sorted(kept.items()) if test in tests}
    FIGURES.write_text(json.dumps(named_still, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(table, named_still), encoding="utf-8")


def fuller(kept: dict[str, Any] | None, told: dict[str, Any]) -> dict[str, Any]:
    """The figures to keep of a test: the newer ones, unless a longer form of it ran before and this one failed nowhere.

    >>> long, short = ({"cases": n, "failed": 0, "figures": {}} for n in (17, 3))
    >>> fuller(long, short) is long, fuller(short, long) is long, fuller(long, {**short, "failed": 1})["failed"]
    (True, True, 1)
    """
    if kept is None or told["failed"]:
        return told

    def extent(one: dict[str, Any]) -> tuple[float, ...]:
        counted = [value for name, value in sorted(one["figures"].items()) if name.split()[0] not in EXTREMES]
        return (one["cases"] - one.get("skipped", 0), *counted)

    return kept if extent(kept) > extent(told) else told


def told_of(test: str, kept: dict[str, dict[str, Any]]) -> str:
    """A test and its last figures, as a line of a cell."""
    one = kept.get(test)
    if one is None:
        return f"`{test}`: not run yet"
    failed = f"**{one['failed']} failed**, " if one["failed"] else ""
    skipped = f"{one['skipped']} skipped, " if one["skipped"] else ""
    figures = "".join(f"{value:,.10g} {name}, " for name, value in sorted(one["figures"].items()))
    cases = "1 case" if one["cases"] == 1 else f"{one['cases']} cases"
    return f"`{test}`: {failed}{skipped}{cases}, {figures}{one['seconds']:.0f} s ({one['when']})"


def cell(entry: dict[str, Any], kept: dict[str, dict[str, Any]]) -> str:
    """The tests of an entry and its note."""
    lines = [told_of(test, kept) for test in entry.get("tests", ())]
    return "<br>".join([*lines, *([f"*{entry['note']}*"] if "note" in entry else [])])


def page(table: dict[str, list[dict[str, Any]]], kept: dict[str, dict[str, Any]]) -> str:
    """The whole page."""
    promises = [f"| {named(entry)} | {cell(entry, kept)} |" for entry in table["promise"]]
    held = [f"| {entry['number']} | {named(entry)} | {cell(entry, kept)} |" for entry in table["held"]]
    lines = [HEAD, "| promise | tests and their last figures |", "|---|---|", *promises, ""]
    lines += [
        "## The list we hold ourselves to",
        "",
        "| | what must hold | tests and their last figures |",
        "|---|---|---|",
    ]
    return "\n".join([*lines, *held]) + "\n"


def main() -> None:
    """Run what is asked for and write the page."""
    cut = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    own, options = sys.argv[1:cut], sys.argv[cut + 1 :]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", nargs="*", metavar="WORD", help="run the tests, of entries with one of these words")
    parser.add_argument("--read", nargs="*", type=Path, default=[], metavar="REPORT", help="take figures from reports")
    asked = parser.parse_args(own)
    table = read_table()
    kept = json.loads(FIGURES.read_text(encoding="utf-8")) if FIGURES.exists() else {}
    entries = [*table["promise"], *table["held"]]
    if asked.run is not None:
        chosen = [entry for entry in entries if not asked.run or any(word in named(entry) for word in asked.run)]
        for told in run(chosen, options):  # kept as they come: whoever stops it loses one file's figures
            kept |= {test: fuller(kept.get(test), one) for test, one in told.items()}
            write(table, kept)
    tests = [test for entry in entries for test in entry.get("tests", ())]
    read = figures_of([report.read_text(encoding="utf-8") for report in asked.read], tests)
    kept |= {test: fuller(kept.get(test), one) for test, one in read.items()}
    write(table, kept)
    failed = [test for test, one in kept.items() if one["failed"]]
    sys.exit(f"these failed: {', '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main()
