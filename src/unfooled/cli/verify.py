"""``unfooled verify``: the claims of attacks, asked again."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unfooled.cli.options import Device, Json, Quiet, print_json
from unfooled.terminal import say

if TYPE_CHECKING:
    from unfooled.commands.verify import Verified


def verify(
    folder: Annotated[Path, typer.Argument(help="What attack, evaluate or compare has written.")],
    model: Annotated[str | None, typer.Option(help="Where the attacked model is now; as logged without one.")] = None,
    device: Device = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Ask the model again about every adversary an attack claims; exit code 1 if one does not fool it."""
    from unfooled.commands.verify import verify as ask_again

    verified = ask_again(folder, model)
    if json:
        print_json({"holds": verified.holds, **asdict(verified)})
        raise typer.Exit(not verified.holds)
    if verified.missing:
        say(f"unfinished: {verified.missing} examples have no record yet; the same command into {folder} goes on")
    if verified.trials:
        for name, one in verified.trials.items():
            of_attack(one, f"{name}: ", f"{name} claims no adversary")
    else:
        of_attack(verified, "", f"{folder} claims no adversary")
    if verified.summary:
        say(f"summary.json is not what the records give: {', '.join(verified.summary)}")
    if not verified.holds:
        raise typer.Exit(1)


def of_attack(verified: "Verified", before: str, none: str) -> None:
    """What became of the claims of one attack."""
    if not verified.checked:
        say(none)
    else:
        agreeing = verified.checked - len(verified.disagreeing)
        say(f"{before}{agreeing} of {verified.checked} claimed adversaries fool the model as the log says")
    if verified.disagreeing:
        say(f"{before}not so: examples {some(verified.disagreeing)}")
    if verified.otherwise:
        say(f"{before}another class or probability than logged: examples {some(verified.otherwise)}")


def some(numbers: Sequence[int]) -> str:
    """The first of many numbers."""
    return ", ".join(map(str, numbers[:10])) + (", …" if len(numbers) > 10 else "")
