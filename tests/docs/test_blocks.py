"""Every code block says what language it is in and is of that language; every command is one that the parser takes."""

import json
import re
import tomllib
from pathlib import Path

import pytest
import yaml
from doc_blocks import LANGUAGES, PAGES, ROOT, blocks_of, check_command, commands_in, in_prose

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
PLAIN = {"cat", "export", "head", "hf", "tensorboard"}  # of a shell, or of others


@pytest.mark.parametrize("page", PAGES)
def test_every_block_names_its_language_and_none_is_hidden_in_spaces(page: str) -> None:
    assert {block.language for block in blocks_of(page) if not block.is_sites} <= LANGUAGES
    text = (ROOT / page).read_text(encoding="utf-8")
    assert not re.findall(r"^\n {4,}((?:unfooled|pip|make|python) .*)", text, re.MULTILINE)


@pytest.mark.parametrize("page", PAGES)
def test_the_parser_takes_every_command(page: str) -> None:
    for block in blocks_of(page):
        for words in commands_in(block.code) if block.language == "bash" else ():
            check_words(words)
    for line in in_prose(page):
        [words] = commands_in(line)
        check_command(words, whole=False)


def check_words(words: list[str]) -> None:
    """A command of ours, a target of the Makefile, an installation, a script, or a plain word of a shell."""
    first, *given = words
    if first == "unfooled":
        check_command(words, whole=True)
    elif first == "make":
        assert set(given) <= TARGETS, words
    elif first == "pip":
        extras = re.findall(r"unfooled\[([\w,]+)\]", " ".join(given))
        assert {one for some in extras for one in some.split(",")} <= set(PROJECT["optional-dependencies"])
    elif first == "python":
        assert (ROOT / given[0]).is_file(), words
    else:
        assert first in PLAIN, f"{first} is a command that nobody checks"


@pytest.mark.parametrize("page", PAGES)
def test_blocks_of_data_are_of_their_format(page: str) -> None:
    for block in blocks_of(page):
        if block.language == "toml":
            assert tomllib.loads(block.code)
        elif block.language == "yaml":
            assert yaml.safe_load(block.code)
        for line in block.code.strip().splitlines() if block.language == "json" else ():
            assert json.loads(line)


def test_the_parser_would_refuse_what_is_not_there() -> None:
    for line in (
        "unfooled train --out runs/a --metod freelb",
        "unfooled trian --out a",
        "unfooled gate a --requires b",
    ):
        with pytest.raises(AssertionError):
            check_words(line.split())
    with pytest.raises(Exception, match="called frelb"):
        check_words(["unfooled", "train", "--data", "a.csv", "--out", "b", "--method", "frelb"])
    with pytest.raises(AssertionError):
        check_words(["make", "tests"])
    with pytest.raises(AssertionError):
        check_words(["pip", "install", "unfooled[plya]"])


def test_every_extra_is_told_of_on_the_page_of_installation() -> None:
    page = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    told = set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE))
    wanted = {"play", "ray", "hub", "lora", "parquet", "tune", "excel", "onnx", "words", "docs", "dev"}
    assert wanted <= told == set(PROJECT["optional-dependencies"])


def test_the_action_has_the_inputs_that_the_page_gives_it_and_pastes_none_into_a_shell() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    flows = [yaml.safe_load(block.code) for block in blocks_of("docs/ci.md") if block.language == "yaml"]
    [steps] = [flow["jobs"]["gate"]["steps"] for flow in flows if "jobs" in flow]
    [given] = [step["with"] for step in steps if "unfooled@" in step.get("uses", "")]
    needed = {name for name, one in action["inputs"].items() if one.get("required")}
    assert needed <= set(given) <= set(action["inputs"])
    assert all("${{" not in step["run"] for step in action["runs"]["steps"])
    named = {name for step in action["runs"]["steps"] for name in re.findall(r"inputs\.([\w-]+)", str(step["env"]))}
    assert named == set(action["inputs"])


def test_the_hook_of_the_page_is_one_that_the_repository_offers() -> None:
    [hook] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    flows = [yaml.safe_load(block.code) for block in blocks_of("docs/ci.md") if block.language == "yaml"]
    [repository] = [one for flow in flows if "repos" in flow for one in flow["repos"]]
    [used] = repository["hooks"]
    assert used["id"] == hook["id"]
    check_command([*hook["entry"].split(), *used["args"]], whole=True)


def test_readme_is_short_and_begins_with_two_commands_an_installation_and_a_picture() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 150
    assert text.index("make demo") < text.index("make test") and "pip install unfooled" in text
    assert Path(ROOT, re.findall(r"!\[[^\]]*\]\(([^)]*)\)", text)[0]).is_file()
