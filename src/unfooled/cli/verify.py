"""``unfooled verify``: an attack's claims, asked again."""

from collections.abc import Sequence
from pathlib import Path

from typer import Exit

from unfooled.calls.verifying import verify


def run(folder: Path, model: str | None) -> None:
    """Say how many adversaries fool the model as claimed; exit code 1 if one does not, or a number is not so."""
    found = verify(folder, model)
    if found.missing:
        print(f"unfinished: {found.missing} examples have no record yet; the same attack into {folder} goes on")
    if not found.checked:
        print(f"{folder} claims no adversary")
    else:
        agreeing = found.checked - len(found.disagreeing)
        print(f"{agreeing} of {found.checked} claimed adversaries fool the model as the log says")
    if found.disagreeing:
        print(f"not so: examples {some(found.disagreeing)}")
    if found.otherwise:
        print(f"fooled, but with another class or probability than logged: examples {some(found.otherwise)}")
    if found.summary:
        print(f"summary.json is not what the records give: {', '.join(found.summary)}")
    if not found.holds:
        raise Exit(1)


def some(numbers: Sequence[int]) -> str:
    """The first of many numbers."""
    return ", ".join(map(str, numbers[:10])) + (", …" if len(numbers) > 10 else "")
