"""``unfooled play``: a page on this machine on which models are asked and fooled."""

from pathlib import Path
from typing import Annotated

import typer


def play(
    models: Annotated[
        list[str] | None, typer.Argument(help="One model or two, or a results folder; the demo's models without any.")
    ] = None,
    host: Annotated[str, typer.Option(help="Where the page is served; this machine alone unless told.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port; the next free one where it is taken.")] = 8021,
    allow_remote: Annotated[
        bool, typer.Option("--allow-remote", help="Let other machines in, with a --host that they can reach.")
    ] = False,
    open_: Annotated[bool, typer.Option("--open/--no-open", help="Start a browser.")] = True,
    demo: Annotated[Path, typer.Option(help="Where the demo's models are, or are to be trained.")] = Path("demo"),
) -> None:
    """Open a page: type a sentence, fool the model, turn its meaning round, and watch."""
    from unfooled.cli.demo import demo_models
    from unfooled.play.serve import serve

    serve(models or demo_models(demo), host, port, allow_remote, open_)
