"""Pages that a tool makes are what it makes now; measured numbers on others stand where they come from."""

import importlib.util
import re
from types import ModuleType

import pytest
from doc_blocks import ROOT

import unfooled


def tool(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"tool_{name}", ROOT / "tools" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["settings", "api"])
def test_a_page_that_is_made_is_what_its_tool_makes(name: str) -> None:
    made = tool(f"{name}_page").page()
    assert made == (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8"), f"run: python tools/{name}_page.py"


def test_every_public_name_stands_on_the_page_once() -> None:
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    assert (
        sorted(re.findall(r"^\.\. auto(?:function|class):: unfooled\.(\w+)$", page, re.MULTILINE)) == unfooled.__all__
    )


def test_a_setting_without_words_and_words_without_a_setting_are_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path
) -> None:
    pages = tool("settings_page")
    text = pages.WORDS.read_text(encoding="utf-8")
    monkeypatch.setattr(pages, "WORDS", tmp_path / "settings.toml")
    pages.WORDS.write_text(re.sub(r"^epochs = .*\n", "", text, flags=re.MULTILINE), encoding="utf-8")
    with pytest.raises(SystemExit, match=r"says nothing of epochs in \[plan\]"):
        pages.page()
    pages.WORDS.write_text(re.sub(r"^patience = .*\n", "", text, flags=re.MULTILINE), encoding="utf-8")
    assert "| Evaluations without a better score before stopping. |" in pages.page()  # the comment behind it
    pages.WORDS.write_text(text.replace("[plan]\n", '[plan]\nepoch = ["", "", ""]\n'), encoding="utf-8")
    with pytest.raises(SystemExit, match="settings that there are not.*epoch"):
        pages.page()


# Where numbers of docs/which.md may come from.
SOURCES = ("README.md", "docs/quickstart.md", "docs/results.md", "docs/bench.md", "docs/claims.md", "docs/papers")


def numbers_of_sources() -> set[str]:
    """Every number of the pages that hold measurements, shares also in per cent."""
    paths = [
        path for name in SOURCES for path in ([ROOT / name] if name.endswith(".md") else (ROOT / name).glob("*.md"))
    ]
    found = {number for path in paths for number in re.findall(r"\d[\d,]*\.?\d*", path.read_text(encoding="utf-8"))}
    shares = {number for number in found if re.fullmatch(r"0\.\d{3}", number)}
    return found | {f"{100 * float(number):.1f}" for number in shares}


def test_no_number_of_which_method_is_invented() -> None:
    page = (ROOT / "docs" / "which.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("|")]
    split = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    cells = [cell for row in split for place, cell in enumerate(row) if (len(row), place) != (8, 5)]  # 5: gains, below
    known = numbers_of_sources()
    told = {number for cell in cells for number in re.findall(r"\d+\.\d+", cell)}
    assert told and told <= known, sorted(told - known)


def test_gains_of_which_method_are_the_difference_of_their_row() -> None:
    page = (ROOT / "docs" / "which.md").read_text(encoding="utf-8")
    checked = 0
    for row in page.splitlines():
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        numbers = [re.match(r"\d+\.\d+", cell) for cell in cells]
        if len(cells) == 8 and all(numbers[3:6]) and " to " not in cells[4]:
            plain, method, gain = (float(number.group()) for number in numbers[3:6] if number)
            assert gain == pytest.approx(method - plain, abs=0.05), row
            checked += 1
    assert checked > 8
