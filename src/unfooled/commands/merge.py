"""What a person calls to join the shards of an evaluation: ``merge``."""

from collections.abc import Sequence
from pathlib import Path

from unfooled.results.folder import Results
from unfooled.results.merge import merge as joined


def merge(shards: Sequence[str | Path], out: str | Path) -> Results:
    """Join the folders of all shards of one evaluation or attack into what one process would have written.

    Shards are made by ``attack`` and ``evaluate`` with ``shard="1/8"``, ``"2/8"`` and so on: docs/scale.md.
    """
    return joined([Path(shard) for shard in shards], Path(out))
