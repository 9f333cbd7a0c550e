"""Two processes on machines that would decide differently on a precision."""

from pathlib import Path

from unfooled.data.sources import DataSettings
from unfooled.recipe.config import Recipe
from unfooled.recipe.plan import Plan
from unfooled.training import Processes, RunFolder, precision
from unfooled.training.precision import with_precision


def in_two(folder: Path) -> None:
    """What each of them comes to: the second one has no bf16."""
    processes = Processes()
    precision.has_half = lambda device: processes.first
    precision.times_as_fast = lambda device: 2.0
    undecided = Recipe(data=DataSettings(source="anything"), plan=Plan(precision="auto"))
    recipe, _ = with_precision(undecided, RunFolder(folder / "run"), processes.device, processes.first)
    (folder / str(processes.rank)).write_text(recipe.plan.precision)
    processes.close()
