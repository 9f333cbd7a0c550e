"""The words whose vectors are nearest to those of given words (ATCL, Table 3)."""

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import Field, field_validator

from unfooled.settings import Settings
from unfooled.trials.inputs import Inputs
from unfooled.trials.passages import Passage, Passages
from unfooled.trials.trial import Row, Trial, TrialRun
from unfooled.victims.victim import Victim


class NeighboursSettings(Settings):
    """Which words, as in the paper's Table 3, and how many neighbours of each."""

    words: tuple[str, ...] = ("friend", "hate", "like")
    count: int = Field(default=4, ge=1)

    @field_validator("words", mode="before")
    @classmethod
    def listed(cls, value: Any) -> Any:
        """A list may be written by commas."""
        return tuple(part.strip() for part in value.split(",")) if isinstance(value, str) else value


@dataclass(frozen=True)
class NeighboursRecord:
    """A word and those nearest to it, each with its distance."""

    index: int
    word: str
    nearest: tuple[tuple[str, float], ...]


def units(inputs: Inputs, settings: NeighboursSettings, seed: int) -> list[str]:
    """The words."""
    return list(settings.words)


def unable(victim: Victim, units: Sequence[str]) -> str | None:
    """Why a vocabulary does not hold the words."""
    odd = next((word for word in units if token_of(victim.model, word) is None), None)
    if odd is None:
        return None
    return f"{odd!r} is no single token of the vocabulary of {victim.name}; choose another word"


def token_of(model: Any, word: str) -> int | None:
    """The number of a word that is one token."""
    ids = model.tokenizer(word, add_special_tokens=False)["input_ids"]
    return None if len(ids) != 1 or ids[0] == model.tokenizer.unk_token_id else int(ids[0])


def run(trial: TrialRun, done: Collection[int]) -> Iterator[NeighboursRecord]:
    """The words whose looked-up vectors are nearest, by Euclidean distance, of those that are one token."""
    import torch

    model = trial.victim.model
    table = model.model.network.get_input_embeddings().weight.detach().float()
    special = torch.tensor(sorted(set(model.tokenizer.all_special_ids)))
    for index, word in enumerate(trial.units):
        if index in done:
            continue
        number = token_of(model, word)
        distances = (table - table[number]).norm(dim=1)
        distances[special] = math.inf
        distances[number] = math.inf
        nearest = distances.topk(min(trial.settings.count, len(table) - 1), largest=False)
        pairs = zip(nearest.indices.tolist(), nearest.values.tolist(), strict=True)
        words = tuple((str(model.tokenizer.decode([token])).strip(), distance) for token, distance in pairs)
        yield NeighboursRecord(index, word, words)


def scores(records: Sequence[NeighboursRecord]) -> list[Row]:
    """Neighbours are to be read; no number says whether they are good."""
    return []


def passage(record: NeighboursRecord, model: str) -> Passage:
    """A word with its neighbours."""
    near = ", ".join(f"{word} {distance:.3g}" for word, distance in record.nearest)
    return Passage(record.word, record.word, "", {model: (near,)}, 0)


NEIGHBOURS = Trial(
    NeighboursRecord,
    units,
    run,
    scores,
    NeighboursSettings,
    tasks=("lm",),
    unit="word",
    unable=unable,
    passages=Passages(
        "Nearest words",
        "word",
        ("nearest words, with their distances",),
        lambda settings: "The words whose vectors are nearest to that of each word, by Euclidean distance.",
        passage,
    ),
    says="lists the words that lie nearest to given ones inside the model",
)
