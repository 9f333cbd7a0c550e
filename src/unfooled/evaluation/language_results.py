"""What trials of language models and translators leave behind: ``<model>/<trial>.json``, each written whole."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from unfooled.errors import BadInput
from unfooled.evaluation.metrics import Score
from unfooled.files import versions, write_whole

SCHEMA = 1
SUMMARY = "summary.json"
KINDS = {"lm": "language model", "translation": "translator"}
# The trials of each kind of model, as tables have them.
LANGUAGE_TRIALS = {"lm": ("perplexity", "neighbours", "continuation"), "translation": ("quality", "side_by_side")}


@dataclass(frozen=True)
class Found:
    """What a trial of a model found: scores by name, and texts to be read."""

    model: str
    trial: str
    scores: Mapping[str, Score]
    texts: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True)
class Stored:
    """What a file holds: what was found, of which weights, on which data, told what; older files name no data."""

    schema: int
    model: str
    trial: str
    model_hash: str
    data_hash: str
    settings: dict[str, Any]
    scores: dict[str, Score]
    texts: tuple[dict[str, Any], ...]
    data: str = ""
    split: str = ""
    examples: int | None = None
    versions: dict[str, str] = field(default_factory=dict)

    @property
    def found(self) -> Found:
        """What the trial found."""
        return Found(self.model, self.trial, self.scores, self.texts)


READER = TypeAdapter(Stored)


def keep(place: Path, header: Mapping[str, Any], found: Found, about: Mapping[str, Any]) -> Found:
    """Write what was found, whole; ``header`` is what a second call must ask alike, ``about`` is for readers."""
    place.parent.mkdir(parents=True, exist_ok=True)
    stored = {"schema": SCHEMA, **header, "model": found.model, "trial": found.trial, **about, "versions": versions()}
    stored |= {"scores": plain(found.scores), "texts": list(found.texts)}
    write_whole(place, json.dumps(stored, indent=2, ensure_ascii=False) + "\n")
    return found


def read_stored(place: Path) -> Stored:
    """What a file holds."""
    try:
        stored = json.loads(place.read_text(encoding="utf-8"))
        if isinstance(stored, dict) and stored.get("schema", SCHEMA) != SCHEMA:
            raise BadInput(
                f"{place} has schema version {stored['schema']}, this unfooled reads {SCHEMA}; "
                "write into a new folder, or use the unfooled that wrote it"
            )
        return READER.validate_python(stored)
    except (ValidationError, ValueError):
        raise BadInput(f"{place} is damaged; delete it and run the evaluation again, which computes it anew") from None


def read_found(place: Path, header: Mapping[str, Any]) -> Found | None:
    """What an earlier call found, if it was asked the same."""
    if not place.is_file():
        return None
    stored = read_stored(place)
    if any(getattr(stored, name) != value for name, value in json.loads(json.dumps(dict(header))).items()):
        raise BadInput(f"{place} was found with another model, other data or settings; choose another --out")
    return stored.found


def write_summary(out: Path, found: Sequence[Found]) -> None:
    """Write the numbers of one call, all together."""
    rows = [{"model": each.model, "trial": each.trial, "scores": plain(each.scores)} for each in found]
    text = json.dumps({"schema": SCHEMA, "versions": versions(), "rows": rows}, indent=2)
    write_whole(out / SUMMARY, text)


def plain(scores: Mapping[str, Score]) -> dict[str, Any]:
    """Scores as JSON values."""
    return {name: asdict(score) for name, score in scores.items()}


def language_files(folder: Path) -> list[Path]:
    """The files of such trials in a folder; none where it holds something else."""
    return sorted(
        path for trials in LANGUAGE_TRIALS.values() for trial in trials for path in folder.glob(f"*/{trial}.json")
    )


def kind_of_trial(trial: str) -> str:
    """The kind of model a trial is of."""
    return next(kind for kind, trials in LANGUAGE_TRIALS.items() if trial in trials)


def open_language(folder: Path) -> list[Stored]:
    """All that a folder holds: models as the last call named them, then by name; trials as tables have them."""
    stored = [read_stored(path) for path in language_files(folder)]
    try:
        rows = json.loads((folder / SUMMARY).read_text(encoding="utf-8"))["rows"]
        named = list(dict.fromkeys(str(row["model"]) for row in rows))
    except (OSError, ValueError, KeyError, TypeError):  # the files themselves say all but the order
        named = []
    trials = [trial for own in LANGUAGE_TRIALS.values() for trial in own]

    def key(one: Stored) -> tuple[int, str, int]:
        return (named.index(one.model) if one.model in named else len(named)), one.model, trials.index(one.trial)

    return sorted(stored, key=key)
