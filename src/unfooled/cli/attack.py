"""``unfooled attack``: a model and data become records of what fooled it; one text is answered at once."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text
from typer import Exit

from unfooled.attacks.records import AttackRecord
from unfooled.cli.tables import print_scores
from unfooled.commands.attack import attack, attack_text
from unfooled.errors import BadInput
from unfooled.evaluation.attack_summary import too_few_candidates
from unfooled.settings import assignments
from unfooled.text.document import read

ENDINGS = {
    "held": "held: no substitution that was tried changes the answer",
    "already wrong": "already wrong: the model does not answer with this label",
    "no candidates": "no candidates: no word of this text could be replaced",
    "budget": "budget: the attack was given up before all was tried",
    "error": "error: the attack could not be run",
}


def run(
    model: str,
    source: Mapping[str, Any],
    name: str,
    out: Path | None,
    changes: Sequence[str],
    how: Mapping[str, Any],
    allow_no_candidates: bool,
) -> None:
    """Attack, print the numbers, say where the records are; exit code 1 where they prove little."""
    if out is None:
        raise BadInput("give --out, the folder for the attack's records")
    data = {key: value for key, value in source.items() if value is not None}
    found = attack(model, data, name, out, **given(changes), **plain(how))
    print_scores(f"{name} on {model}", found.scores)
    for warning in found.warnings:
        print(f"warning: {warning}")
    print(f"\nrecords: {out}   every number with its definition: {out / 'summary.json'}")
    print(f"check:   unfooled verify {out}")
    if too_few_candidates(found.records) and not allow_no_candidates:
        raise Exit(1)


def run_text(
    model: str, text: str | None, label: str | None, name: str, changes: Sequence[str], how: Mapping[str, Any]
) -> None:
    """Attack one text and show what was changed; exit code 1 where the attack could not be run."""
    if text is None:
        raise BadInput('nothing to attack: give --data with --out, or one text with --text "…"')
    record, labels = attack_text(model, text, label, name, **given(changes), **plain(how))
    console = Console(highlight=False, soft_wrap=True)
    console.print(answer(labels, record.prediction, record.before), markup=False)
    if record.adversary is None:
        console.print(f"{ENDINGS[record.outcome]}{f' ({record.error})' if record.error else ''}", markup=False)
    else:
        console.print(marked(record))
        console.print(answer(labels, record.fooled_into, record.after), markup=False)
        for change in record.changes:
            console.print(f"  {change.old} → {change.new}", markup=False)
    console.print(f"{record.asked} texts asked about, {record.from_cache} of them from memory", markup=False)
    if record.note:
        console.print(record.note, markup=False)
    if record.outcome == "error":
        raise Exit(1)


def given(changes: Sequence[str]) -> dict[str, Any]:
    """The settings of --set: those of the attack and those of its limits."""
    values = assignments(changes)
    strange = [name for name in values if name not in ("attack", "limits") or not isinstance(values[name], dict)]
    if strange:
        raise BadInput(f"--set {strange[0]}… is no setting of an attack; use attack.name=value or limits.name=value")
    return {"settings": values.get("attack", {}), "limits": values.get("limits", {})}


def plain(how: Mapping[str, Any]) -> dict[str, Any]:
    """The options with a similarity of "none" read as None; a label may be called none."""
    return {name: None if (name, value) == ("similarity", "none") else value for name, value in how.items()}


def answer(labels: Sequence[str], number: int | None, row: Sequence[float]) -> str:
    """What the model says, and how sure it is."""
    return "no answer" if number is None else f"the model says {labels[number]} ({row[number]:.1%}):"


def marked(record: AttackRecord) -> Text:
    """The adversary with its changed words in colour; the other text of a pair is left as it is."""
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
