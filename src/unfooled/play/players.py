"""Models that are played with: opened once, each with what it can say and what it cannot be asked."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from unfooled.errors import BadInput
from unfooled.play.wording import say
from unfooled.report.runs import recipe_of, run_at
from unfooled.results.open import short_name
from unfooled.tasks import TASKS
from unfooled.victims import Victim, open_victim

MOST = 2  # models at once
SAMPLE = "a"  # what a model is tried with before anybody types
Kind = Literal["classes", "sets", "number"]


@dataclass(frozen=True)
class Player:
    """A model under a short name; ``source`` is how a command line names it.

    ``temperature`` divides its logits for the confidence that is shown, where one was measured for it; ``confidence``
    says where that confidence comes from. ``pairs`` is whether it was trained on two texts at once.
    """

    name: str
    source: str
    victim: Victim
    kind: Kind
    confidence: str
    temperature: float | None = None
    pairs: bool = False

    @property
    def shown(self) -> Victim:
        """The model with the confidence that is shown."""
        return self.victim.calibrated(self.temperature)


def open_players(
    names: Sequence[str], announce: Callable[[str], None], temperatures: Mapping[str, float] | None = None
) -> tuple[Player, ...]:
    """The models, opened; ``temperatures`` are those that an evaluation measured, by a model's hash."""
    if len(names) > MOST:
        raise BadInput(f"{len(names)} models were named; play with one, or with two side by side")
    players = []
    for name, short in zip(names, short_names(names), strict=True):
        announce(say("opening", name=short))
        players.append(player_of(open_victim(name), name, short, temperatures or {}))
    return tuple(players)


def short_names(names: Sequence[str]) -> list[str]:
    """What the page calls models: the folder each was trained in, or all of it where that does not tell them apart."""
    short = [short_name(name) for name in names]
    if len(set(short)) == len(short):
        return short
    return (
        list(names) if len(set(names)) == len(names) else [f"{name} ({place + 1})" for place, name in enumerate(names)]
    )


def player_of(victim: Victim, source: str, name: str, temperatures: Mapping[str, float]) -> Player:
    """A model that was opened, as one to play with."""
    kind = kind_of(victim)
    able = victim if kind == "number" else victim.tried((SAMPLE,))
    temperature, where = calibrated(able, temperatures) if kind == "classes" else (None, "confidence.own")
    confidence = "" if kind == "number" else say(where)
    return Player(name, source, able, kind, confidence, temperature, trained_on_pairs(source))


def calibrated(able: Victim, temperatures: Mapping[str, float]) -> tuple[float | None, str]:
    """What the logits of a model are to be divided by, and where that comes from: an evaluation, or its training."""
    if able.hash in temperatures:
        return temperatures[able.hash], "confidence.results"
    temperature: float | None = getattr(able.network, "temperature", None)
    return temperature, "confidence.own" if temperature is None else "confidence.validation"


def kind_of(victim: Victim) -> Kind:
    """What a model says of a text; one that writes, or points at words, cannot be played with."""
    if victim.sets is not None:
        return "sets"
    if TASKS[victim.task].confusion:
        return "classes"
    if len(victim.labels) == 1:
        return "number"
    raise BadInput(
        f"{victim.name} is {TASKS[victim.task].said}; play takes models that say a class, a set of labels or a number"
    )


def trained_on_pairs(source: str) -> bool:
    """Whether the recipe of a model's run names two text columns."""
    try:
        data = recipe_of(run_at(source)).get("data", {})
    except (BadInput, OSError):
        return False
    return isinstance(data, Mapping) and "," in str(data.get("text") or "")


def shared_labels(players: Sequence[Player]) -> list[str]:
    """The labels that all models know, in the order of the first."""
    first, *others = [player.victim.labels for player in players]
    return [label for label in first if all(label in own for own in others)]


def label_note(players: Sequence[Player]) -> str | None:
    """What is to be said of two models with other labels."""
    if len(players) < MOST or set(players[0].victim.labels) == set(players[1].victim.labels):
        return None
    shared = shared_labels(players)
    return say("labels.some", labels=", ".join(shared)) if shared else say("labels.none")
