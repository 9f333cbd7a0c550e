"""docs/trust.md: every promise of the README has its tests, which exist, and the page is what the tool makes."""

import ast
import importlib.util
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
spec = importlib.util.spec_from_file_location("trust", ROOT / "tools" / "trust.py")
assert spec is not None and spec.loader is not None
trust = importlib.util.module_from_spec(spec)
spec.loader.exec_module(trust)
TABLE = trust.read_table()
ENTRIES = [*TABLE["promise"], *TABLE["held"]]
REPORT = """<testsuites><testsuite timestamp="2026-01-02T03:04:05+00:00">
<testcase classname="tests.training.test_kill" name="test_kills[freelb]" time="1.5">
<properties><property name="kills" value="3"/><property name="peak megabytes" value="10"/></properties></testcase>
<testcase classname="tests.training.test_kill" name="test_kills[pgd]" time="2"><failure message="no"/>
<properties><property name="kills" value="4"/><property name="peak megabytes" value="7"/></properties></testcase>
<testcase classname="tests.training.test_kill" name="test_other" time="9"/>
</testsuite></testsuites>"""


def promises() -> list[str]:
    """The bullets of the README's section, each on one line."""
    section = (
        (ROOT / "README.md").read_text(encoding="utf-8").partition("## What you can rely on")[2].partition("\n## ")[0]
    )
    return [" ".join(bullet.split()) for bullet in re.split(r"^- ", section, flags=re.MULTILINE)[1:]]


def test_every_promise_of_the_readme_has_its_tests() -> None:
    bullets = promises()
    says = [entry["says"] for entry in TABLE["promise"]]
    assert [phrase for phrase in says if not any(phrase in bullet for bullet in bullets)] == []
    assert [bullet for bullet in bullets if not any(phrase in bullet for phrase in says)] == []
    assert all(entry["tests"] for entry in TABLE["promise"])
    assert [entry["number"] for entry in TABLE["held"]] == list(range(1, 30))


@pytest.mark.parametrize("test", sorted({test for entry in ENTRIES for test in entry.get("tests", ())}))
def test_every_test_that_is_named_exists(test: str) -> None:
    file, _, name = test.partition("::")
    tree = ast.parse((ROOT / "tests" / file).read_text(encoding="utf-8"))
    assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_the_page_is_what_the_tool_makes_and_nothing_on_it_failed() -> None:
    kept = json.loads(trust.FIGURES.read_text(encoding="utf-8"))
    assert trust.PAGE.read_text(encoding="utf-8") == trust.page(TABLE, kept), "run python tools/trust.py"
    assert not [test for test, told in kept.items() if told["failed"] or told["skipped"] == told["cases"]]


def test_figures_of_cases_are_added_up_or_the_most_extreme_is_kept() -> None:
    [(node, told)] = trust.figures_of([REPORT], ["training/test_kill.py::test_kills"]).items()
    assert node == "training/test_kill.py::test_kills"
    assert (told["cases"], told["failed"], told["skipped"], told["seconds"]) == (2, 1, 0, 3.5)
    assert told["figures"] == {"kills": 7, "peak megabytes": 10}
    line = trust.told_of(node, {node: told})
    assert "**1 failed**, 2 cases, 7 kills, 10 peak megabytes, 4 s (2026-01-02)" in line


def test_of_a_case_in_several_reports_the_last_counts() -> None:
    again = (
        REPORT.replace('<failure message="no"/>', "").replace("2026-01-02", "2026-01-03").replace("[freelb]", "[fgm]")
    )
    [told] = trust.figures_of([REPORT, again], ["training/test_kill.py::test_kills"]).values()
    assert (told["cases"], told["failed"], told["when"]) == (3, 0, "2026-01-03")
    assert told["figures"] == {"kills": 10, "peak megabytes": 10}
