"""``unfooled merge``: the shards of one evaluation become a results folder."""

from pathlib import Path
from typing import Annotated

import typer

from unfooled.cli.options import Json, print_json


def merge(
    shards: Annotated[list[Path], typer.Argument(help="The folders of all shards.")],
    out: Annotated[Path, typer.Option(help="The results folder that they become.")],
    json: Json = False,
) -> None:
    """Join shards (evaluate or attack with --shard) into what one process would have written."""
    from unfooled.cli.evaluate import tell
    from unfooled.commands.merge import merge as join
    from unfooled.results.folder import read_summary

    results = join(shards, out)
    if json:
        print_json(read_summary(out))
    else:
        tell(results, out)
