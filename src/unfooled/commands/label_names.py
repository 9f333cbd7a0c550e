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
    opened = [open_victim(model, ()) for model in models]
    called = [named(victim, labels) for victim in opened]
    if all(one is None for one in called):
        raise BadInput(
            f"{opened[0].name} has the labels {', '.join(opened[0].labels) or '(none)'}, and labels renames "
            f"{', '.join(map(str, labels))}; {nearest(str(next(iter(labels), '')), opened[0].labels)}"
        )
    return [
        victim if names is None else replace(victim, labels=names) for victim, names in zip(opened, called, strict=True)
    ]


def named(victim: Victim, labels: Mapping[str, str]) -> tuple[str, ...] | None:
    """The names of a victim's classes with some of them renamed; None where it has none of the names.

    The mapping may be written either way round.
    """
    given = {str(old): str(new) for old, new in labels.items()}
    twice = [new for new in given.values() if list(given.values()).count(new) > 1]
    if twice:
        raise BadInput(f"labels gives two labels the name {twice[0]}; give each a name of its own")
    for renames in (given, {new: old for old, new in given.items()}):
        strange = [old for old in renames if old not in victim.labels]
        if not strange and renames:
            return distinct(victim, tuple(renames.get(label, label) for label in victim.labels))
    known = [old for old in given if old in victim.labels]
    if known:
        strange = [old for old in given if old not in victim.labels]
        raise BadInput(
            f"{victim.name} has no label {strange[0]}, which labels renames; {nearest(strange[0], victim.labels)}"
        )
    return None


def distinct(victim: Victim, names: tuple[str, ...]) -> tuple[str, ...]:
    """The names, refused where two classes have one."""
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise BadInput(
            f"labels leaves {victim.name} with two classes called {twice}; rename all of its labels, as in "
            + either("--labels LABEL_0=bad,LABEL_1=good", 'labels={"LABEL_0": "bad", "LABEL_1": "good"}')
        )
    return names
