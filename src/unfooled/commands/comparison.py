"""A comparison of ways of training, as it is written down: which models there are, and what each cost."""

import json
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from unfooled.errors import BadInput
from unfooled.files import versions, write_whole
from unfooled.parsing import json_file

KIND, SCHEMA = "unfooled comparison", 1
FILE = "comparison.json"


@dataclass(frozen=True)
class Cost:
    """What a training took: seconds, and the most memory the process held meanwhile, None where it is not told."""

    seconds: float = 0.0
    megabytes: float | None = None


@dataclass(frozen=True)
class Entry:
    """One training: its method and seed, its model, and what it cost."""

    method: str
    seed: int
    model: str
    cost: Cost


@dataclass(frozen=True)
class Comparison:
    """All trainings of a comparison, the first method being the one that others are held against."""

    methods: tuple[str, ...]
    seeds: tuple[int, ...]
    entries: tuple[Entry, ...]
    schema: int = SCHEMA
    kind: str = KIND


COMPARISON = TypeAdapter(Comparison)


def keep(folder: Path, comparison: Comparison) -> None:
    """Write down what was compared."""
    plain = {**COMPARISON.dump_python(comparison, mode="json"), "versions": versions()}
    write_whole(folder / FILE, json.dumps(plain, indent=2) + "\n")


def read_comparison(folder: Path) -> Comparison | None:
    """The comparison in a folder, None where there is none."""
    path = folder / FILE
    if not path.is_file():
        return None
    try:
        stored = json_file(path)
        if stored.get("schema") != SCHEMA:
            raise BadInput(
                f"{path} has schema version {stored.get('schema')}, this unfooled reads {SCHEMA}; "
                "use the unfooled that wrote it"
            )
        return COMPARISON.validate_python({name: value for name, value in stored.items() if name != "versions"})
    except (ValueError, AttributeError):
        raise BadInput(f"{path} is damaged; delete it and compare again, finished trainings are kept") from None
