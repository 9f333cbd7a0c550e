"""Options that several commands share."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from unfooled.errors import BadInput
from unfooled.terminal import give, say


def hush(context: typer.Context, wanted: bool) -> bool:
    """Keep the command quiet from here to its end."""
    if wanted:
        from unfooled.progress import quietly

        context.with_resource(quietly())
    return wanted


def put(context: typer.Context, name: str | None) -> str | None:
    """Have the command's networks on a device from here to its end."""
    if name is not None:
        from unfooled.device import on_device

        context.with_resource(on_device(name))
    return name


def methods_of(incomplete: str) -> list[str]:
    """Ways of training that a shell may complete, of several by comma the last."""
    from unfooled.methods.table import METHODS

    return completed(list(METHODS), incomplete)


def attacks_of(incomplete: str) -> list[str]:
    """Attacks that a shell may complete."""
    from unfooled.attacks.table import ATTACKS

    return completed(list(ATTACKS), incomplete)


def trials_of(incomplete: str) -> list[str]:
    """Trials that a shell may complete, of several by comma the last."""
    from unfooled.trials import TRIALS

    return completed(list(TRIALS), incomplete)


def completed(names: Sequence[str], incomplete: str) -> list[str]:
    """The names that go on as what was typed, with what stands before its last comma.

    >>> completed(["clean", "pwws"], "clean,p")
    ['clean,pwws']
    """
    before, comma, last = incomplete.rpartition(",")
    return [before + comma + name for name in names if name.startswith(last)]


Quiet = Annotated[bool, typer.Option("--quiet", callback=hush, help="No bars and no notes, warnings alone.")]
Device = Annotated[
    str | None, typer.Option("--device", callback=put, help="cpu, cuda, cuda:1 or mps; a GPU if there is one.")
]
Json = Annotated[bool, typer.Option("--json", help="For programs: JSON instead of tables.")]
Labels = Annotated[
    str | None, typer.Option(help="What the data calls a model's labels, as in LABEL_0=bad,LABEL_1=good.")
]
Trials = Annotated[
    str | None,
    typer.Option(autocompletion=trials_of, help="Instead of a suite: trials, by comma (unfooled list trials)."),
]
Data = Annotated[str, typer.Option(help="A CSV, JSONL, Excel or Parquet file, a folder, or a name (list data).")]
DataOrNone = Annotated[str | None, typer.Option(help="A file, a folder, or a name (unfooled list data).")]
Text = Annotated[str | None, typer.Option(help="The text column; two, as in premise,hypothesis, for pairs.")]
Label = Annotated[str | None, typer.Option(help="The label column.")]
Subset = Annotated[str | None, typer.Option(help="A part of the data that has a name, as hub data often has.")]
Split = Annotated[str | None, typer.Option(help="Which split; test where there is one.")]
Limit = Annotated[int | None, typer.Option(help="At most so many examples, drawn by the seed.")]
Seed = Annotated[int | None, typer.Option(help="All randomness is a function of it.")]
Suite = Annotated[str, typer.Option(help="What to measure: quick, or full.")]
Contrast = Annotated[str | None, typer.Option(help="A contrast set; the data itself where it is one.")]
Methods = Annotated[
    str,
    typer.Option(
        autocompletion=methods_of, help="Ways of training, by comma (unfooled list methods); the first is the bar."
    ),
]
Model = Annotated[str, typer.Option(help="A Hugging Face encoder, minilm, or textcnn.")]
TrainingSettings = Annotated[
    list[str] | None, typer.Option("--set", help="Any setting of training, as in --set plan.epochs=2.")
]
Wait = Annotated[
    bool, typer.Option("--wait", help="Wait for another process that writes to the same place, instead of refusing.")
]
Workers = Annotated[
    int | None, typer.Option(help="Processes that compute, of one thread each; this one alone without it.")
]
Ray = Annotated[str | None, typer.Option(help="A Ray cluster that computes: its address, auto, or local.")]
Shard = Annotated[str | None, typer.Option(help="One part of the work, as in 2/8; unfooled merge joins all of them.")]
Filled = Annotated[Path, typer.Option(help="The folder to fill; a second call with it goes on.")]


def names_in(text: str) -> list[str]:
    """The names of a list with commas.

    >>> names_in("clean, pwws,")
    ['clean', 'pwws']
    """
    return [name for part in text.split(",") if (name := part.strip())]


def training_settings(changes: Sequence[str]) -> dict[str, Any]:
    """The settings of --set that training has, by room."""
    from unfooled.settings import assignments

    values = assignments(changes)
    strange = [name for name in values if name not in ("data", "model", "method", "plan")]
    if strange:
        raise BadInput(f"--set {strange[0]}… is no setting of training; use data., model., method. or plan.")
    return values


def given(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that were given a value."""
    return {name: value for name, value in options.items() if value is not None}


def renamed(labels: str | None) -> dict[str, str]:
    """What the data calls a model's labels, from ``A=b,C=d``.

    >>> renamed("LABEL_0=bad, LABEL_1=good")
    {'LABEL_0': 'bad', 'LABEL_1': 'good'}
    """
    names: dict[str, str] = {}
    for pair in (labels or "").split(",") if labels else ():
        old, equals, new = (part.strip() for part in pair.partition("="))
        if not equals or not old or not new:
            raise BadInput(f"--labels {labels}: {pair.strip() or 'an empty part'} is not of the form LABEL_0=bad")
        if old in names:
            raise BadInput(f"--labels {labels}: {old} is given two names; give each label one")
        names[old] = new
    return names


def tell_shard(shard: str, out: Path, json: bool) -> None:
    """Where the records of a shard are, and what becomes of them."""
    if json:
        print_json({"shard": shard, "records": str(out)})
        return
    say(f"records: {out}   shard {shard}", "next:    unfooled merge SHARDS … --out OUT, with the folders of all shards")


def print_json(values: Any) -> None:
    """Values as JSON, on standard output and alone there."""
    import json

    give(json.dumps(values, indent=2, ensure_ascii=False))
