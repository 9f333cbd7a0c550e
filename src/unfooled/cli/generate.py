"""``unfooled generate``: the synonym and antonym versions of a corpus, or texts that fool a model."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from unfooled.errors import BadInput


def run(
    corpus: str | None, from_rar: str | None, out: Path, versions: Mapping[str, Any], adversaries: Mapping[str, Any]
) -> None:
    """Do the one that was asked for, and refuse the options of the other."""
    if (corpus is None) == (from_rar is None):
        raise BadInput("give a corpus to make versions of, or --from-rar with the folder of a run, and not both")
    chosen, others = (versions, adversaries) if from_rar is None else (adversaries, versions)
    idle = [name for name, value in others.items() if value is not None and name not in chosen]
    if idle:
        belongs = "--from-rar" if from_rar is None else "a corpus"
        raise BadInput(f"--{idle[0].replace('_', '-')} belongs to {belongs}; leave it out")
    given = {name: value for name, value in chosen.items() if value is not None}
    if corpus is not None:
        run_versions(corpus, out, given)
    elif from_rar is not None:
        run_adversaries(from_rar, out, given)


def run_versions(corpus: str, out: Path, given: Mapping[str, Any]) -> None:
    """Write the versions, and say how much was replaced by what."""
    from unfooled.commands.generate import generate_versions
    from unfooled.text.versions import VersionSettings

    settings = {name: value for name, value in given.items() if name in VersionSettings.model_fields}
    how = {name: value for name, value in given.items() if name not in settings}
    made = generate_versions(corpus, out, settings, **{"workers": cores(), **how})
    counts = made.counts
    print(f"{counts['texts']:,} texts, {counts['words']:,} words; {counts['empty']:,} empty rows left out")
    print(
        f"passed through: {counts['not_english']:,} not English, {counts['unreplaceable']:,} without a word to replace"
    )
    for name in ("synonym", "antonym"):
        kinds = ", ".join(
            f"{kind.partition('.')[2]} {number:,}"
            for kind, number in counts.items()
            if kind.startswith(f"{name}_replaced.")
        )
        print(f"{name} versions: {made.ratios[f'{name}_ratio']:.1%} of the words replaced ({kinds or 'none'})")
    print(f"\nversions: {made.file}   every number with its definition: {made.summary}")


def cores() -> int:
    """How many processes can work at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_adversaries(run_folder: str, out: Path, given: Mapping[str, Any]) -> None:
    """Make texts that fool a victim, and say how many came how far."""
    from unfooled.generate.reconstruction import generate

    parts = {name: given[name] for name in ("text", "label", "subset") if name in given}
    how = {name: value for name, value in given.items() if name not in (*parts, "data", "victim")}
    if "data" not in given:
        raise BadInput("--from-rar needs texts to begin with; name them with --data")
    made = generate(run_folder, {"source": given["data"], **parts}, out, given.get("victim"), **how)
    counts = made.counts
    print(
        f"{counts['examples']:,} texts, {counts['right_before']:,} right before, {counts['changed']:,} changed, "
        f"{counts['kept']:,} fool the victim"
    )
    print(f"\nadversaries: {made.file}   every number with its definition: {made.summary}")
