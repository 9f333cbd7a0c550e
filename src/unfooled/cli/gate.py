"""``unfooled gate``: requirements on results, for continuous integration."""

from collections.abc import Sequence
from pathlib import Path

from typer import Exit

from unfooled.commands.gate import gate, write_junit


def run(folder: Path, requirements: Sequence[str], model: str | None, junit: Path | None) -> None:
    """Say which requirements hold, write JUnit XML; exit code 1 if one does not."""
    found = gate(folder, requirements, model)
    for ruling in found:
        print(f"{'ok    ' if ruling.passed else 'FAILED'} {ruling.says()}")
    write_junit(junit or folder / "gate.xml", found)
    if not all(ruling.passed for ruling in found):
        raise Exit(1)
