"""The trainings of a comparison, each a cell of methods and seeds: made by whoever takes it, and what each cost."""

import gc
import json
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from unfooled.commands.comparison import Cost
from unfooled.commands.train import train_recipe
from unfooled.errors import BadInput, Taken, either, option
from unfooled.files import SUMMARY, alone, in_other_hands, write_whole
from unfooled.models.locate import on_disk
from unfooled.parsing import json_file
from unfooled.recipe.config import Recipe, recipe_from
from unfooled.training.jobs import settled
from unfooled.training.run_folder import RunFolder
from unfooled.workers.chores import Chore
from unfooled.workers.memory import own_bytes

COST = TypeAdapter(Cost)
STATUS, PEAK = Path("/proc/self/status"), Path("/proc/self/clear_refs")
COPIES = 4  # of its weights that a training holds: themselves, their gradient and two moments


@dataclass(frozen=True)
class Cell:
    """One training of a comparison."""

    method: str
    seed: int
    recipe: Recipe
    run: Path

    @property
    def label(self) -> str:
        """What a bar calls it."""
        return f"train {self.method}, seed {self.seed}"


class Cells:
    """Cells as chores; several processes, of this call or of others, share them by the lock beside each folder."""

    def __init__(self, cells: Iterable[Cell]) -> None:
        self.cells = list(cells)
        self.costs: dict[Path, Cost] = {}
        self.mine: dict[Chore, Cell] = {}

    @property
    def total(self) -> int:
        """How many trainings there are."""
        return len(self.cells)

    @property
    def done(self) -> int:
        """How many of them are finished."""
        return len(self.costs)

    @property
    def left(self) -> list[Cell]:
        """Those that are neither finished nor in hands of ours."""
        ours = [cell.run for cell in self.mine.values()]
        return [cell for cell in self.cells if cell.run not in self.costs and cell.run not in ours]

    def take(self) -> Chore | None:
        """The first that nobody is at; those that are finished are only looked at."""
        for cell in self.left:
            if in_other_hands(cell.run):
                continue
            if not (cell.run / SUMMARY).is_file():
                values = {"recipe": cell.recipe.to_mapping(), "run": str(cell.run)}
                chore = Chore(cell.label, "unfooled.commands.cells:train_cell", values, partial(made, cell))
                self.mine[chore] = cell
                return chore
            try:
                self.costs[cell.run] = trained(cell.recipe, cell.run)
            except Taken:  # just now
                continue
        return None

    def give_back(self, chore: Chore) -> None:
        """Another process is at it, or whoever was at it is lost."""
        del self.mine[chore]

    def finish(self, chore: Chore, answer: Any) -> None:
        """It is trained; what it cost is known."""
        self.costs[self.mine.pop(chore).run] = COST.validate_python(answer)

    def elsewhere(self) -> str:
        """The folders that other processes are training."""
        return ", ".join(str(cell.run) for cell in self.left)


def made(cell: Cell) -> dict[str, Any]:
    """A cell trained in this process; what it cost, in plain values."""
    return plain_cost(trained(cell.recipe, cell.run))


def train_cell(recipe: Mapping[str, Any], run: str) -> dict[str, Any]:
    """A cell as a worker is told of it: a recipe and a folder."""
    return plain_cost(trained(recipe_from(recipe), Path(run)))


def refuse_in_memory(recipes: Iterable[Recipe]) -> None:
    """Refuse data that no worker can read."""
    if any(recipe.data.held for recipe in recipes):
        raise BadInput(
            "the data is in the memory of this process, where no worker finds it; save it to a file, or "
            + either("leave --workers and --ray out", "leave workers= and ray= out")
        )


def least_bytes(recipes: Iterable[Recipe], costs: Iterable[Path] = ()) -> int:
    """What a worker will hold at least: what this process does and copies of the weights; more if more is known."""
    folders = [on_disk(name) for name in {recipe.model.name for recipe in recipes}]
    weights = [sum(file.stat().st_size for file in folder.glob("*.safetensors")) for folder in folders if folder]
    known = [int((read_cost(path).megabytes or 0) * 2**20) for path in costs]
    return max((own_bytes() or 0) + COPIES * max(weights, default=0), *known, 0)


def trained(recipe: Recipe, run: Path) -> Cost:
    """A training, made or gone on with unless it is finished; what it took in all."""
    with alone(run):  # with what stands beside it, and until what it no longer needs is gone
        return trained_alone(recipe, run)


def trained_alone(recipe: Recipe, run: Path) -> Cost:
    """A training that no other process is at."""
    beside = run.with_name(f"{run.name}.cost.json")
    if (run / SUMMARY).is_file():
        differing = RunFolder(run).other_settings(settled(recipe)[0].to_mapping())
        if differing:
            raise BadInput(
                f"{run} was trained with other settings ({'; '.join(differing)}); choose another {option('out')}"
            )
    else:
        with counted(beside):
            train_recipe(recipe, run, resume=True)
    shutil.rmtree(run / "checkpoints", ignore_errors=True)  # a kill may have come before they were gone
    return read_cost(beside)


@contextmanager
def counted(path: Path) -> Iterator[None]:
    """Add the seconds of a block to those of earlier ones, and keep the higher peak of memory."""
    before, began = read_cost(path), time.monotonic()
    gc.collect()
    forget_peak()
    try:
        yield
    finally:
        peaks = [peak for peak in (before.megabytes, peak_megabytes()) if peak is not None]
        cost = Cost(round(before.seconds + time.monotonic() - began, 1), max(peaks, default=None))
        write_whole(path, json.dumps(plain_cost(cost)) + "\n")


def plain_cost(cost: Cost) -> dict[str, Any]:
    """A cost in plain values."""
    return {"seconds": cost.seconds, "megabytes": cost.megabytes}


def read_cost(path: Path) -> Cost:
    """What is known of a training's cost."""
    try:
        return COST.validate_python(json_file(path))
    except (FileNotFoundError, ValueError):
        return Cost()


def forget_peak() -> None:
    """Have Linux count the highest memory of this process from now on; elsewhere nothing can be done."""
    try:
        PEAK.write_text("5")
    except OSError:
        return


def peak_megabytes() -> float | None:
    """The most memory this process has held since it was last forgotten."""
    try:
        lines = STATUS.read_text().splitlines()
    except OSError:
        return None
    kilobytes = [int(line.split()[1]) for line in lines if line.startswith("VmHWM")]
    return round(kilobytes[0] / 1024, 1) if kilobytes else None
