"""docs/trust.md: every promise beside the tests that hold it and the figures those gave when they last ran.

    python tools/trust.py                         writes the page from docs/trust.toml and docs/trust.json
    python tools/trust.py --run [WORD …]          runs the tests first, all or those of promises with one of the words
    python tools/trust.py --run kill -- --kills 25     what follows -- goes to pytest

To add a promise or a test, add to docs/trust.toml. A test gives a figure by pytest's own
``record_property(name, number)``; numbers of one test's cases are added up, but for names that begin with largest,
peak, smallest or least.
"""

import argparse
import datetime
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
how to run it. Seconds are of a machine whose two cores had other work too.
"""


def read_table() -> dict[str, list[dict[str, Any]]]:
    """The promises and the list."""
    return tomllib.loads(TABLE.read_text(encoding="utf-8"))


def named(entry: dict[str, Any]) -> str:
    """What an entry is about."""
    return str(entry.get("says") or entry["what"])


def figures_of(report: str, tests: list[str]) -> dict[str, dict[str, Any]]:
    """What each test gave, from pytest's report; a test that did not run is left out."""
    found: dict[str, dict[str, Any]] = {}
    for case in ElementTree.fromstring(report).iter("testcase"):  # noqa: S314  # nosec B314
        place = case.attrib["classname"].removeprefix("tests.").replace(".", "/")
        node = f"{place}.py::{case.attrib['name'].split('[')[0]}"
        if node in tests:
            told = found.setdefault(node, {"cases": 0, "failed": 0, "skipped": 0, "seconds": 0.0, "figures": {}})
            told["cases"] += 1
            told["failed"] += any(case.find(kind) is not None for kind in ("failure", "error"))
            told["skipped"] += case.find("skipped") is not None
            told["seconds"] = round(told["seconds"] + float(case.attrib["time"]), 1)
            for one in case.iter("property"):
                merge(told["figures"], one.attrib["name"], float(one.attrib["value"]))
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
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    for _, own in groupby(tests, lambda test: test.partition("::")[0]):
        chosen = list(own)
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "report.xml"
            # The first form of such reports is the one that has figures.
            written = [f"--junitxml={report}", "--override-ini=junit_family=xunit1"]
            command = [sys.executable, "-m", "pytest", *written, *options]
            subprocess.run([*command, *(f"tests/{test}" for test in chosen)], cwd=ROOT, check=False)  # noqa: S603
            told = figures_of(report.read_text(encoding="utf-8"), chosen)
        yield {test: {**one, "when": today} for test, one in told.items()}


def write(table: dict[str, list[dict[str, Any]]], kept: dict[str, dict[str, Any]]) -> None:
    """Keep the figures of tests that are still named, and write the page."""
    tests = {test for entry in (*table["promise"], *table["held"]) for test in entry.get("tests", ())}
    named_still = {test: one for test, one in sorted(kept.items()) if test in tests}
    FIGURES.write_text(json.dumps(named_still, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(table, named_still), encoding="utf-8")


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
    words = parser.parse_args(own).run
    table = read_table()
    kept = json.loads(FIGURES.read_text(encoding="utf-8")) if FIGURES.exists() else {}
    entries = [*table["promise"], *table["held"]]
    if words is not None:
        chosen = [entry for entry in entries if not words or any(word in named(entry) for word in words)]
        for told in run(chosen, options):  # kept as they come: whoever stops it loses one file's figures
            kept |= told
            write(table, kept)
    write(table, kept)
    failed = [test for test, one in kept.items() if one["failed"]]
    sys.exit(f"these failed: {', '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main()
