"""``unfooled attack``: a model and data become records of what fooled it; one text is answered at once."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unfooled.cli.first_look import first_look, look_at_models
from unfooled.cli.options import (
    DataOrNone,
    Device,
    Json,
    Labels,
    Limit,
    Quiet,
    Ray,
    Seed,
    Shard,
    Split,
    Subset,
    Wait,
    Workers,
    attacks_of,
    given,
    print_json,
    renamed,
    tell_shard,
)
from unfooled.errors import BadInput
from unfooled.files import SUMMARY
from unfooled.terminal import say, show

if TYPE_CHECKING:
    from rich.text import Text

    from unfooled.attacks.records import AttackRecord

ENDINGS = {
    "held": "held: no substitution that was tried changes the answer",
    "already wrong": "already wrong: the model does not answer with this label",
    "no candidates": "no candidates: no word of this text could be replaced",
    "budget": "budget: the attack was given up before all was tried",
    "error": "error: the attack could not be run",
}


def attack(
    model: Annotated[str, typer.Argument(help="A model folder, run folder, hub name or ONNX file.")],
    data: DataOrNone = None,
    out: Annotated[Path | None, typer.Option(help="The attack's folder; a second call with it goes on.")] = None,
    attack: Annotated[
        str, typer.Option(autocompletion=attacks_of, help="How to attack (unfooled list attacks).")
    ] = "pwws",
    text: Annotated[str | None, typer.Option(help="One text to attack; with --data, the text column.")] = None,
    label: Annotated[str | None, typer.Option(help="Its label; with --data, the label column.")] = None,
    labels: Labels = None,
    subset: Subset = None,
    split: Split = None,
    limit: Limit = None,
    column: Annotated[int | None, typer.Option(help="Which text of a pair, 0 or 1; the last unless told.")] = None,
    target: Annotated[str | None, typer.Option(help="The label to be fooled into; any other without one.")] = None,
    similarity: Annotated[str, typer.Option(help="The encoder that judges adversaries, or none.")] = "minilm",
    set_: Annotated[list[str] | None, typer.Option("--set", help="Any setting, as in --set attack.pos=any.")] = None,
    allow_no_candidates: Annotated[
        bool, typer.Option("--allow-no-candidates", help="Succeed though many texts have nothing to replace.")
    ] = False,
    seed: Seed = None,
    wait: Wait = False,
    workers: Workers = None,
    ray: Ray = None,
    shard: Shard = None,
    device: Device = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Fool a model by changing words; every example's outcome is kept."""
    how: dict[str, Any] = {
        "column": column,
        "target": target,
        "similarity": None if similarity == "none" else similarity,
    }
    how |= {"seed": seed or 0, "labels": renamed(labels), **attack_settings(set_ or [])}
    look_at_models([model, how["similarity"]])
    if data is None:
        if text is not None:
            refuse_parting({"workers": workers, "ray": ray, "shard": shard})
        show_text(model, text, label, attack, how, json)
        return
    if out is None:
        raise BadInput("give --out, the folder for the attack's records")
    source = given({"source": data, "text": text, "label": label, "subset": subset})
    first_look(source, split)
    told = {**how, "split": split, "limit": limit, "wait": wait, "workers": workers, "ray": ray, "shard": shard}
    numbers_prove_little = show_data(model, source, attack, out, told, json)
    if numbers_prove_little and not allow_no_candidates:
        raise typer.Exit(1)


def refuse_parting(told: Mapping[str, object]) -> None:
    """Refuse options that part the work on data where there is no data."""
    given = [f"--{name}" for name, value in told.items() if value is not None]
    if given:
        names = f"{', '.join(given[:-1])} and {given[-1]} part" if len(given) > 1 else f"{given[0]} parts"
        raise BadInput(f"{names} data, and there is one text; leave that out, or give --data")


def show_data(model: str, source: Mapping[str, Any], name: str, out: Path, how: Mapping[str, Any], json: bool) -> bool:
    """Attack data, print the numbers, say where the records are; whether too few texts could be attacked."""
    from unfooled.cli.printed.tables import print_scores
    from unfooled.commands.attack import attack
    from unfooled.results.folder import read_summary
    from unfooled.trials.words.attack_numbers import too_few_candidates

    attacked = attack(model, source, name, out, **how)
    if how["shard"] is not None:
        tell_shard(how["shard"], out, json)
        return False
    if json:
        print_json(read_summary(out))
        return bool(too_few_candidates(attacked.records))
    print_scores(f"{name} on {model}", {score.title: score for score in attacked.scores.values()})
    for warning in attacked.warnings:
        say(f"warning: {warning}")
    say("", f"records: {out}   every number with its definition: {out / SUMMARY}")
    say(f"check:   unfooled verify {out}")
    return bool(too_few_candidates(attacked.records))


def show_text(model: str, text: str | None, label: str | None, name: str, how: Mapping[str, Any], json: bool) -> None:
    """Attack one text and show what was changed; exit code 1 where the attack could not be run."""
    from unfooled.commands.attack import attack_text

    if text is None:
        raise BadInput('nothing to attack: give --data with --out, or one text with --text "…"')
    record, labels = attack_text(model, text, label, name, **how)
    if json:
        print_json({"labels": labels, **asdict(record)})
        raise typer.Exit(record.outcome == "error")
    say(answer(labels, record.prediction, record.before))
    if record.adversary is None:
        say(f"{ENDINGS[record.outcome]}{f' ({record.error})' if record.error else ''}")
    else:
        show(marked(record), soft_wrap=True)
        say(answer(labels, record.fooled_into, record.after))
        for change in record.changes:
            say(f"  {change.old} → {change.new}")
    say(f"{record.asked} texts asked about, {record.from_cache} of them from memory")
    if record.note:
        say(record.note)
    if record.outcome == "error":
        raise typer.Exit(1)


def attack_settings(changes: Sequence[str]) -> dict[str, Any]:
    """The settings of --set: those of the attack and those of its limits."""
    from unfooled.settings import assignments

    values = assignments(changes)
    strange = [name for name in values if name not in ("attack", "limits") or not isinstance(values[name], dict)]
    if strange:
        raise BadInput(f"--set {strange[0]}… is no setting of an attack; use attack.name=value or limits.name=value")
    return {"settings": values.get("attack", {}), "limits": values.get("limits", {})}


def answer(labels: Sequence[str], number: int | None, row: Sequence[float]) -> str:
    """What the model says, and how sure it is."""
    return "no answer" if number is None else f"the model says {labels[number]} ({row[number]:.1%}):"


def marked(record: "AttackRecord") -> "Text":
    """The adversary with its changed words in colour; the other text of a pair is left as it is."""
    from rich.text import Text

    from unfooled.text.document import read

    assert record.adversary is not None
    out = Text()
    for old, new in zip(record.texts, record.adversary, strict=True):
        out.append("\n" if out else "")
        before, start = read(old), 0
        for change in record.changes if old != new else ():
            first, end = before.spans[change.place]
            out.append(old[start:first])
            out.append(change.new or "∅", style="bold red")
            start = end
        out.append(old[start:])
    return out
