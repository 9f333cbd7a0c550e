"""docs/settings.md: every setting, from the classes that hold them: ``python tools/settings_page.py``.

Name, type, default and bounds are read off the classes; unit, meaning and reason stand in docs/settings.toml, or the
meaning in the comment behind the setting. One without words in either place, and words without a setting, are refused,
so that the page cannot fall behind.
"""

import ast
import dataclasses
import inspect
import io
import sys
import textwrap
import tokenize
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from annotated_types import Ge, Gt, Le, Lt, MinLen
from pydantic import BaseModel
from pydantic_core import PydanticUndefined

ROOT = Path(__file__).parents[1]
WORDS, PAGE = ROOT / "docs" / "settings.toml", ROOT / "docs" / "settings.md"
HEAD = """# All settings

Every setting there is, with its default, its bounds and why it is as it is. This page is made from the classes that
hold the settings (`python tools/settings_page.py`), and a test compares it with them.

- On the command line: `--set plan.epochs=5`, as often as you like. Values are as in TOML; a bare word is a text.
- In a recipe, a TOML file that `train` takes by `--recipe`: a table `[plan]` with a line `epochs = 5`. Every run leaves
  the recipe it was trained by in its folder, fully resolved.
- From Python: `uf.train(…, plan={"epochs": 5}, method=uf.FreeLB(passes=2))`.

`none` stands for nothing or for no limit: TOML has no null. Unknown names are refused with the nearest spelling. A
*share* is between 0 and 1. A *norm* is of the embeddings of a sentence, as the network looks them up.
"""
TAIL = """
## Environment

| variable | what it says |
|---|---|
| `UNFOOLED_DATA` | the folder below which data sets are found by name |
| `UNFOOLED_CACHE` | where tables and corpora are kept; else `$XDG_CACHE_HOME/unfooled`, else `~/.cache/unfooled` |
| `UNFOOLED_LIMITS` | how much of a file is taken in, as `columns=50000,line=64000000` ([limits.md](limits.md)) |
| `UNFOOLED_TRUSTED` | types of a `.skops` file that you trust ([victims.md](victims.md#a-file-of-scikit-learn)) |
| `UNFOOLED_KEY` | sent to a server of your own as a bearer token, over https or to this machine alone |
| `HF_HUB_OFFLINE` | `1`: the hub is never asked, whatever is named |
"""
MARKS = {Ge: ("≥", "ge"), Gt: (">", "gt"), Le: ("≤", "le"), Lt: ("<", "lt"), MinLen: ("entries ≥", "min_length")}
PLAIN = {int: "whole number", float: "number", str: "text", bool: "`true` or `false`", NoneType: "`none`", Path: "path"}


@dataclass(frozen=True)
class Room:
    """A table of the page: how its settings are called, whose they are, and where the words on them stand."""

    title: str
    says: str
    kind: type
    words: tuple[str, ...]
    level: int = 2


def rooms() -> Iterator[Room]:
    """Every class of settings, in the order of the page."""
    from unfooled.attacks.engine import Limits
    from unfooled.attacks.table import ATTACKS
    from unfooled.data.sources import DataSettings
    from unfooled.methods.table import METHODS
    from unfooled.models.encoders.lora import Lora
    from unfooled.models.encoders.pretrained import ModelSettings
    from unfooled.models.sequences.sizes import Sizes
    from unfooled.recipe.data_part import DataPart
    from unfooled.recipe.plan import Plan
    from unfooled.text.versions import VersionSettings
    from unfooled.trials.words.words import WordsSettings
    from unfooled.victims.servers.chat import ChatVictim

    yield Room("The run", "At the top of a recipe, as `--set seed=1`.", DataPart, ("recipe",))
    yield Room("`data`", "What is read ([all about data](data.md)).", DataSettings, ("data",))
    yield Room("`model`", "Which network is trained.", ModelSettings, ("model",))
    lora = "A small adapter beside frozen weights ([how](victims.md#lora))."
    yield Room("`model.lora`", lora, Lora, ("model.lora",), 3)
    yield Room("`model.sizes`", "Of networks that are made from nothing.", Sizes, ("model.sizes",), 3)
    yield Room(
        "`plan`", "The loop and the optimiser, the same for every method ([more](training.md)).", Plan, ("plan",)
    )
    for name in METHODS:
        yield Room(f"`method`, {name}", METHODS.lines[name], METHODS[name], (f"method.{name}", "method.*"), 3)
    words = "Of every attack in words, by the attack's name: `evaluate --set pwws.most=50`."
    yield Room("Trials by attacks", words, WordsSettings, ("trial.words", "trial.*"))
    yield from other_trials()
    for name in ATTACKS:
        own = f"{ATTACKS.lines[name]} `attack --set attack.…`, or `evaluate --set {name}.attack.…`."
        yield Room(f"`attack`, {name}", own, ATTACKS[name], (f"attack.{name}", "attack.*"), 3)
    yield Room("`limits`", "What an attack may cost: `attack --set limits.queries=200`.", Limits, ("limits",))
    made = "Of `unfooled generate` and of methods that make versions ([more](generate.md))."
    yield Room("Versions of texts", made, VersionSettings, ("versions",))
    chat = "A file for the commands, or `uf.ChatVictim(…)` ([more](victims.md#a-chat-model))."
    yield Room("`chat.toml`", chat, ChatVictim, ("chat",))


def other_trials() -> Iterator[Room]:
    """The settings of trials that are no attacks."""
    from unfooled.attacks.table import ATTACKS
    from unfooled.trials import TRIALS

    for name in (one for one in TRIALS if one not in ATTACKS):
        kind = TRIALS[name].settings
        if kind.model_fields:
            yield Room(f"`{name}`", TRIALS.lines[name], kind, (f"trial.{name}", "trial.*"), 3)


def type_of(kind: Any) -> str:
    """A type in the words of whoever sets it.

    >>> type_of(int | None), type_of(tuple[float, ...]), type_of(Literal["a", "b"])
    ('whole number or `none`', 'list of number', '`a`, `b`')
    """
    origin, parts = get_origin(kind), get_args(kind)
    if kind in PLAIN:
        return PLAIN[kind]
    if origin in (Union, UnionType):
        return " or ".join(dict.fromkeys(type_of(part) for part in parts))
    if origin is Literal:
        return ", ".join(f"`{part}`" for part in parts)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return ", ".join(f"`{one.value}`" for one in kind)
    if hasattr(kind, "__metadata__"):
        return type_of(parts[0])
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return "a table"
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return "a table of labels"
    inner = list(dict.fromkeys(type_of(part) for part in parts if part is not Ellipsis))
    return f"list of {' and '.join(inner)}"


def shown(value: Any) -> str:
    """A value as it would be written in TOML.

    >>> shown((0.2, 1.0)), shown(None), shown(1e-5), shown(True)
    ('`[0.2, 1.0]`', '`none`', '`1e-05`', '`true`')
    """
    if isinstance(value, BaseModel):
        return "its own"
    return f"`{written(value)}`"


def written(value: Any) -> str:
    """A value without marks around it."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, tuple | list):
        return f"[{', '.join(written(one) for one in value)}]"
    return str(value)


def bounds_in(parts: Any) -> str:
    """What a number may be at least and at most."""
    told = [(mark, getattr(part, name)) for part in parts for kind, (mark, name) in MARKS.items() if type(part) is kind]
    return ", ".join(f"{mark} {limit}" for mark, limit in told)


def fields_of(kind: type) -> Iterator[tuple[str, str, str, str]]:
    """Name, type, default and bounds of each setting of a class that a person may set."""
    if issubclass(kind, BaseModel):
        for name, own in kind.model_fields.items():
            if own.exclude or (own.is_required() and type_of(own.annotation) == "a table"):
                continue
            deeper = [one for part in get_args(own.annotation) for one in getattr(part, "__metadata__", ())]
            inside = [one for part in deeper for one in getattr(part, "metadata", ())]
            default = "" if own.default is PydanticUndefined else shown(own.default)
            yield name, type_of(own.annotation), default, bounds_in([*own.metadata, *inside])
        return
    hints = get_type_hints(kind)
    for part in dataclasses.fields(kind):
        if not callable(part.default):
            default = "" if part.default is dataclasses.MISSING else shown(part.default)
            yield part.name, type_of(hints[part.name]), default, ""


def comment_on(kind: type, name: str) -> str:
    """The comment behind a setting in the class that has it, as a sentence; nothing where there is none."""
    owner = next(one for one in kind.__mro__ if name in vars(one).get("__annotations__", {}))
    source = textwrap.dedent(inspect.getsource(owner))
    [node] = (one for one in ast.walk(ast.parse(source)) if isinstance(one, ast.AnnAssign) and is_called(one, name))
    comments = {
        token.start[0]: token.string.lstrip("# ").strip()
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT
    }
    comment = comments.get(node.end_lineno or 0, "").replace("|", "/")
    return f"{comment[:1].upper()}{comment[1:]}." if comment else ""


def is_called(node: ast.AnnAssign, name: str) -> bool:
    """Whether a line of a class declares a setting of this name."""
    return isinstance(node.target, ast.Name) and node.target.id == name


@dataclass
class Words:
    """Unit, meaning and reason of each setting, and which of them were asked for."""

    known: Mapping[str, Mapping[str, list[str]]]
    used: set[tuple[str, str]] = field(default_factory=lambda: {("trial.words", "attack")})
    missing: list[str] = field(default_factory=list)

    def on(self, places: tuple[str, ...], kind: type, name: str) -> list[str]:
        """The words on a setting, by the first place that has any, or by the comment behind it."""
        place = next((place for place in places if name in self.known.get(place, {})), None)
        if place is None:
            comment = comment_on(kind, name)
            self.missing += [] if comment else [f"{name} in [{places[0]}]"]
            return ["", comment, ""]
        self.used.add((place, name))
        return self.known[place][name]

    def check(self) -> None:
        """Refuse settings without words, and words without a setting."""
        if self.missing:
            sys.exit(f"{WORDS.name} says nothing of {', '.join(self.missing)}; add lines there")
        left = {(place, name) for place, own in self.known.items() for name in own} - self.used
        if left:
            sys.exit(f"{WORDS.name} speaks of settings that there are not: {sorted(left)}")


def table_of(room: Room, words: Words) -> list[str]:
    """A class of settings as lines of Markdown."""
    lines = [f"{'#' * room.level} {room.title}", "", room.says, ""]
    rows = list(fields_of(room.kind))
    if not rows:
        return [*lines[:-2], f"{room.says} There is nothing to set.", ""]
    lines += ["| setting | type, bounds, unit | default | what it is | why so |", "|---|---|---|---|---|"]
    for name, kind, default, bounds in rows:
        unit, says, why = words.on(room.words, room.kind, name)
        told = "; ".join(part for part in (kind, bounds, unit) if part)
        lines.append(f"| `{name}` | {told} | {default} | {says} | {why} |")
    return [*lines, ""]


def page() -> str:
    """The whole page."""
    words = Words(tomllib.loads(WORDS.read_text(encoding="utf-8")))
    before = {"`method`, finetune": "Methods", "`pgd`": "Other trials", "`attack`, pwws": "Attacks"}
    lines = [HEAD]
    for room in rooms():
        if room.title in before:
            lines += [f"## {before[room.title]}", ""]
        lines += table_of(room, words)
    words.check()
    return "\n".join(lines).rstrip() + "\n" + TAIL


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
