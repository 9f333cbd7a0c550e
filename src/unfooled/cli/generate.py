"""``unfooled generate``: the synonym and antonym versions of a corpus, or texts that fool a model."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from unfooled.cli.options import Device, Label, Quiet, Seed, Subset, Wait, given
from unfooled.errors import BadInput
from unfooled.terminal import say


def generate(
    out: Annotated[Path, typer.Option(help="The JSONL file to make; a summary is written beside it.")],
    corpus: Annotated[
        str | None, typer.Argument(help="A text or a table (.txt, .csv, .jsonl, …, or .gz) of any size, or a name.")
    ] = None,
    from_rar: Annotated[
        str | None,
        typer.Option("--from-rar", help="Instead of a corpus: the folder of a run trained with --method rar."),
    ] = None,
    data: Annotated[str | None, typer.Option(help="For --from-rar: a file, a folder, or a name.")] = None,
    text: Annotated[str | None, typer.Option(help="The text column.")] = None,
    label: Label = None,
    subset: Subset = None,
    split: Annotated[str | None, typer.Option(help="Which split; train of a corpus, else test.")] = None,
    limit: Annotated[int | None, typer.Option(help="The first so many rows; of --data, drawn by the seed.")] = None,
    policy: Annotated[str | None, typer.Option(help="How versions are made: paper (default) or released.")] = None,
    reinflect: Annotated[
        bool | None, typer.Option("--reinflect", help="Give new words the form of those they replace.")
    ] = None,
    format_: Annotated[
        str | None,
        typer.Option("--format", help="versions (default) with every word replaced, or triplets to train others on."),
    ] = None,
    other_languages: Annotated[
        str | None, typer.Option(help="refuse (default) a corpus that is mostly not English, or pass it through.")
    ] = None,
    workers: Annotated[int | None, typer.Option(help="Processes; as many as there are cores without it.")] = None,
    victim: Annotated[str | None, typer.Option(help="For --from-rar: the model to fool; the run's own else.")] = None,
    eps: Annotated[float | None, typer.Option(help="For --from-rar: the radius of k-PGD.")] = None,
    steps: Annotated[int | None, typer.Option(help="For --from-rar: ascent steps k of k-PGD.")] = None,
    batch_size: Annotated[int | None, typer.Option(help="For --from-rar: examples per pass.")] = None,
    seed: Seed = None,
    wait: Wait = False,
    device: Device = None,
    quiet: Quiet = False,
) -> None:
    """Write synonym and antonym versions of a corpus; or texts that fool a model, off a reconstructor under attack."""
    if (corpus is None) == (from_rar is None):
        raise BadInput("give a corpus to make versions of, or --from-rar with the folder of a run, and not both")
    both = {"text": text, "split": split, "limit": limit, "seed": seed, "wait": wait or None}
    versions = {"policy": policy, "reinflect": reinflect, "format": format_, "workers": workers}
    versions |= {"other_languages": other_languages}
    source = {"data": data, "label": label, "subset": subset, "victim": victim}
    k_pgd = {"eps": eps, "steps": steps, "batch_size": batch_size}
    if corpus is not None:
        refuse({**source, **k_pgd}, "--from-rar")
        run_versions(corpus, out, given({**both, **versions}))
    elif from_rar is not None:
        refuse(versions, "a corpus")
        run_adversaries(from_rar, out, given({**both, **source, **k_pgd}))


def refuse(options: Mapping[str, Any], belongs: str) -> None:
    """Refuse options of the other way to generate."""
    for name in given(options):
        raise BadInput(f"--{name.replace('_', '-')} belongs to {belongs}; leave it out")


def run_versions(corpus: str, out: Path, chosen: Mapping[str, Any]) -> None:
    """Write the versions, and say how much was replaced by what."""
    from unfooled.commands.generate import generate_versions
    from unfooled.text.versions import VersionSettings

    settings = {name: value for name, value in chosen.items() if name in VersionSettings.model_fields}
    how = {name: value for name, value in chosen.items() if name not in settings}
    made = generate_versions(corpus, out, settings, **{"workers": cores(), **how})
    counts = made.counts
    say(f"{counts['texts']:,} texts, {counts['words']:,} words; {counts['empty']:,} empty rows left out")
    say(f"passed through: {counts['not_english']:,} not English, {counts['unreplaceable']:,} without a word to replace")
    for name in ("synonym", "antonym"):
        kinds = ", ".join(
            f"{kind.partition('.')[2]} {number:,}"
            for kind, number in counts.items()
            if kind.startswith(f"{name}_replaced.")
        )
        say(f"{name} versions: {made.ratios[f'{name}_ratio']:.1%} of the words replaced ({kinds or 'none'})")
    if counts["left_out"]:
        say(f"left out: {counts['left_out']:,} texts of which a version is the text itself")
    say("", f"{how.get('format', 'versions')}: {made.file}   every number with its definition: {made.summary}")


def cores() -> int:
    """How many processes can work at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_adversaries(run_folder: str, out: Path, chosen: Mapping[str, Any]) -> None:
    """Make texts that fool a victim, and say how many came how far."""
    from unfooled.generate.reconstruction import generate_adversaries

    parts = {name: chosen[name] for name in ("text", "label", "subset") if name in chosen}
    how = {name: value for name, value in chosen.items() if name not in (*parts, "data", "victim")}
    if "data" not in chosen:
        raise BadInput("--from-rar needs texts to begin with; name them with --data")
    made = generate_adversaries(run_folder, {"source": chosen["data"], **parts}, out, chosen.get("victim"), **how)
    counts = made.counts
    say(
        f"{counts['examples']:,} texts, {counts['right_before']:,} right before, {counts['changed']:,} changed, "
        f"{counts['kept']:,} fool the victim"
    )
    say("", f"adversaries: {made.file}   every number with its definition: {made.summary}")
