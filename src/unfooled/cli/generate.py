"""``unfooled generate``: a run's reconstructor makes texts that fool a victim."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from unfooled.calls.adversaries import generate


def run(run_folder: str, source: Mapping[str, Any], out: Path, victim: str | None, how: Mapping[str, Any]) -> None:
    """Make them, say how many came how far, and where they are."""
    data = {name: value for name, value in source.items() if value is not None}
    given = {name: value for name, value in how.items() if value is not None}
    made = generate(run_folder, data, out, victim, **given)
    counts = made.counts
    print(
        f"{counts['examples']:,} texts, {counts['right_before']:,} right before, {counts['changed']:,} changed, "
        f"{counts['kept']:,} fool the victim"
    )
    print(f"\nadversaries: {made.file}   every number with its definition: {made.summary}")
