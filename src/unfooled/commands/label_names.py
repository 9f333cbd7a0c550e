"""What the data calls a model's labels: LABEL_0 may stand for bad."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from unfooled.errors import BadInput, either, nearest
from unfooled.victims import Victim, open_victim


def opened_by(models: Sequence[Any], labels: Sequence[str] | Mapping[str, str]) -> list[Victim]:
    """Models as victims; ``labels`` name the classes of what has no names for them, or rename those of what has.

    Of several models a mapping renames those that have its labels, so that a model of others stands beside our own.
    """
    if not isinstance(labels, Mapping) or not labels:
        return [open_victim(model, tuple(labels)) for model in models]
    given = {str(old): str(new) for old, new in labels.items()}
    if len(set(given.values())) < len(given):
        twice = next(new for new in given.values() if list(given.values()).count(new) > 1)
        raise BadInput(f"labels gives two labels the name {twice}; give each a name of its own")
    opened = [open_victim(model, ()) for model in models]
    for renames in (given, {new: old for old, new in given.items()}):  # it may be written either way round
        if any(renames.keys() <= set(victim.labels) for victim in opened):
            return [renamed(victim, renames) for victim in opened]
    raise strangers(opened[0], given)


def renamed(victim: Victim, renames: Mapping[str, str]) -> Victim:
    """A victim with its classes called otherwise, as it is where it does not have all of these labels."""
    if not renames.keys() <= set(victim.labels):
        return victim
    return replace(victim, labels=distinct(victim, tuple(renames.get(label, label) for label in victim.labels)))


def strangers(victim: Victim, given: Mapping[str, str]) -> BadInput:
    """The sentence for a mapping of labels that a model does not have."""
    strange = next(label for label in given if label not in victim.labels)
    return BadInput(
        f"{victim.name} has no label {strange}, which labels renames, but {', '.join(victim.labels) or 'none'}; "
        f"{nearest(strange, victim.labels)}"
    )


def distinct(victim: Victim, names: tuple[str, ...]) -> tuple[str, ...]:
    """The names, refused where two classes have one."""
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise BadInput(
            f"labels leaves {victim.name} with two classes called {twice}; rename all of its labels, as in "
            + either("--labels LABEL_0=bad,LABEL_1=good", 'labels={"LABEL_0": "bad", "LABEL_1": "good"}')
        )
    return names
