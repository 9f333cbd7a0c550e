"""``unfooled gate``: requirements on results, for continuous integration."""

from pathlib import Path
from typing import Annotated

import typer

from unfooled.cli.options import Json, print_json
from unfooled.terminal import say


def gate(
    folder: Annotated[Path, typer.Argument(help="Results of evaluate, attack or compare.")],
    require: Annotated[list[str] | None, typer.Option(help='As in "accuracy_under_attack.pwws >= 0.4".')] = None,
    model: Annotated[str | None, typer.Option(help="One model of the folder; all without it.")] = None,
    junit: Annotated[Path | None, typer.Option(help="Where JUnit XML goes; gate.xml in the folder else.")] = None,
    json: Json = False,
) -> None:
    """Hold results to requirements by their confidence bounds; exit code 1 if one does not hold."""
    from unfooled.commands.gate import gate as hold
    from unfooled.commands.gate import write_junit

    rulings = hold(folder, require or [], model)
    if json:
        print_json([{"passed": ruling.passed, "says": ruling.says()} for ruling in rulings])
    for ruling in rulings if not json else ():
        say(f"{'ok    ' if ruling.passed else 'FAILED'} {ruling.says()}")
    write_junit(junit or folder / "gate.xml", rulings)
    if not all(ruling.passed for ruling in rulings):
        raise typer.Exit(1)
