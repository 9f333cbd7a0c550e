"""``unfooled verify``: the claims of attacks, asked again."""

from collections.abc import Sequence
from pathlib import Path

from typer import Exit

from unfooled.commands.verify import Verified, verify


def run(folder: Path, model: str | None) -> None:
    """Say how many adversaries fool the model as claimed; exit code 1 if one does not, or a number is not so."""
    found = verify(folder, model)
    if found.missing:
        print(f"unfinished: {found.missing} examples have no record yet; the same command into {folder} goes on")
    if found.trials:
        for name, one in found.trials.items():
            say(one, f"{name}: ", f"{name} claims no adversary")
    else:
        say(found, "", f"{folder} claims no adversary")
    if found.summary:
        print(f"summary.json is not what the records give: {', '.join(found.summary)}")
    if not found.holds:
        raise Exit(1)


def say(found: Verified, before: str, none: str) -> None:
    """What became of the claims of one attack."""
    if not found.checked:
        print(none)
    else:
        agreeing = found.checked - len(found.disagreeing)
        print(f"{before}{agreeing} of {found.checked} claimed adversaries fool the model as the log says")
    if found.disagreeing:
        print(f"{before}not so: examples {some(found.disagreeing)}")
    if found.otherwise:
        print(f"{before}another class or probability than logged: examples {some(found.otherwise)}")


def some(numbers: Sequence[int]) -> str:
    """The first of many numbers."""
    return ", ".join(map(str, numbers[:10])) + (", …" if len(numbers) > 10 else "")
