"""The code blocks and commands of README and docs: where they stand, their language, what a shell makes of them."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import typer

from unfooled.cli.main import app

ROOT = Path(__file__).parents[2]
PAGES = [str(path.relative_to(ROOT)) for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))]
FENCE = re.compile(
    r"^(?P<indent> *)```(?P<language>[^\s`]*)[ ]*\n(?P<code>.*?)^(?P=indent)```[ ]*$", re.DOTALL | re.MULTILINE
)
INLINE = re.compile(r"`((?:\.venv/bin/)?unfooled [a-z][^`]*)`")
LANGUAGES = {"python", "bash", "toml", "json", "yaml", "text"}
LEFT_OUT = "…"  # stands for what a reader fills in


@dataclass(frozen=True)
class Block:
    """A code block of a page."""

    page: str
    line: int
    language: str
    code: str

    @property
    def is_sites(self) -> bool:
        """Whether it is for the builder of the site, not for readers."""
        return self.language.startswith("{")

    @property
    def first(self) -> str:
        """Its first line, by which tables name it."""
        return self.code.strip().split("\n")[0]


def blocks_of(page: str) -> list[Block]:
    """The blocks of a page, in their order."""
    text = (ROOT / page).read_text(encoding="utf-8")
    found = []
    for match in FENCE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        code = re.sub(f"^{match['indent']}", "", match["code"], flags=re.MULTILINE)
        found.append(Block(page, line, match["language"], code))
    return found


def commands_in(code: str) -> Iterator[list[str]]:
    """The commands of a piece of shell, each as its words, without comments and without what is set before it."""
    for line in code.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
            words = words[1:]
        if words:
            yield [words[0].removeprefix(".venv/bin/"), *words[1:]]


def in_prose(page: str) -> list[str]:
    """The commands of ours that a page names in a sentence, a table or a list of some forge."""
    text = (ROOT / page).read_text(encoding="utf-8")
    scripts = [block.code for block in blocks_of(page) if block.language == "yaml"]
    lines = [line.strip().removeprefix("- ") for script in scripts for line in script.splitlines()]
    return [*INLINE.findall(FENCE.sub("", text)), *(line for line in lines if line.startswith("unfooled "))]


def check_command(words: list[str], whole: bool) -> None:
    """Have the real parser take a command of ours; one that is not ``whole`` may lack what it cannot do without."""
    known = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    name, *given = [word for word in words[1:] if LEFT_OUT not in word]
    assert name in known, f"there is no command {name}"
    options = {option for parameter in known[name].params for option in parameter.opts}
    wrong = [word for word in given if word.startswith("--") and word.partition("=")[0] not in options | {"--help"}]
    assert not wrong, f"{name} has no {wrong}"
    if whole and LEFT_OUT not in " ".join(words):
        with known[name].make_context(name, list(given)):
            pass
    check_names(given)


def check_names(given: list[str]) -> None:
    """Have every method, attack, trial and recipe that options name be in its table."""
    from unfooled.attacks.table import ATTACKS
    from unfooled.methods.table import METHODS
    from unfooled.recipe.file import comes_along
    from unfooled.trials import TRIALS

    tables = {"--method": METHODS, "--methods": METHODS, "--attack": ATTACKS, "--trials": TRIALS}
    for option, value in pairwise(given):
        for one in value.split(",") if option in tables and not value.isdigit() else ():
            tables[option].check(one)
        assert option != "--recipe" or comes_along(value), f"no recipe {value}"
