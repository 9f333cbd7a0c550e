"""``unfooled push``: a trained model goes to the Hugging Face hub, with its card."""

from pathlib import Path
from typing import Annotated

import typer

from unfooled.terminal import say


def push(
    run: Annotated[Path, typer.Argument(help="The folder of a finished run.")],
    name: Annotated[str, typer.Argument(help="What it is to be called there: OWNER/NAME.")],
    results: Annotated[
        Path | None, typer.Option(help="Results of this model, whose numbers and picture go into its card.")
    ] = None,
    private: Annotated[bool, typer.Option("--private", help="Let nobody else see it.")] = False,
    licence: Annotated[
        str | None, typer.Option("--license", help="What you put it under, as apache-2.0; none is named without it.")
    ] = None,
) -> None:
    """Send a trained model and its card to the Hugging Face hub."""
    from unfooled.commands.push import push as send

    pushed = send(run, name, results, private, licence)
    say(*(f"sent: {file}" for file in pushed.files))
    say("", f"model: {pushed.url}")
