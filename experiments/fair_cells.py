"""Cells of the fair test: what a paper's table is made of, filled by one or two processes, the most telling first.

A cell is a row to be, in a file of rows. Who fills it holds its lock, or that of the training it shares with others, so
two processes never fill one twice and hardly ever wait for the other's training; a cell
whose needs are not there yet (a setting that is still searched for) is passed over until they are. A cell that breaks
is told of and does not stop the others.
"""

import hashlib
import json
import shutil
import time
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grid import Row, read
from worst_words_models import trained_in

import unfooled as uf
from unfooled.errors import BadInput, Stopped, Taken
from unfooled.files import held, turn, write_whole
from unfooled.methods import METHODS
from unfooled.scores.intervals import proportion

PAUSE = 20.0  # seconds until a process that has to wait for another looks again


@dataclass(frozen=True)
class Place:
    """Where rows and runs of a paper are: ``toy`` ones beside the real ones, never among them."""

    paper: str
    toy: bool = False
    root: Path = Path()
    file: Path | None = None  # of rows, where it has another name

    @property
    def rows(self) -> Path:
        """The file of rows."""
        if self.file is not None:
            return self.root / self.file
        name = f"fair-{self.paper}.jsonl"
        return self.root / ("runs/fair-toy" if self.toy else "docs/results") / name

    @property
    def runs(self) -> Path:
        """The folder of its trained models and what was measured of them."""
        return self.root / ("runs/fair-toy" if self.toy else "runs/fair") / self.paper

    @property
    def encoder(self) -> str:
        """The encoder that models begin from."""
        return "runs/fair-toy/encoder" if self.toy else "minilm"

    def found(self, **key: Any) -> list[Row]:
        """The rows that have these values."""
        return [row for row in read(self.rows) if all(row.get(name) == value for name, value in key.items())]


@dataclass(frozen=True)
class FairCell:
    """A row to be: its file, what names it, what finds its numbers, its tier, and rows it cannot do without."""

    place: Place
    key: Mapping[str, Any]
    find: Callable[[], Mapping[str, Any]]
    tier: int = 1  # 1: the first claim of its paper with its control
    needs: Sequence[Mapping[str, Any]] = field(default=())
    run: str = ""  # the training that it shares with other cells, which one process fills

    @property
    def done(self) -> bool:
        """Whether its row is there."""
        return bool(self.place.found(**self.key))

    @property
    def ready(self) -> bool:
        """Whether the rows it needs are there."""
        return all(self.place.found(**need) for need in self.needs)

    @property
    def lock(self) -> Path:
        """The lock of whoever fills it."""
        name = hashlib.sha256((self.run or json.dumps(dict(self.key), sort_keys=True)).encode()).hexdigest()[:24]
        folder = self.place.runs / "locks"
        folder.mkdir(parents=True, exist_ok=True)
        return folder / name

    def said(self) -> str:
        """Its name, for people."""
        return f"{self.place.paper}: " + ", ".join(f"{name} {value}" for name, value in self.key.items())


@dataclass
class Walk:
    """What a walk leaves: cells that are still empty, and those of them that broke."""

    left: list[FairCell] = field(default_factory=list)
    broken: list[FairCell] = field(default_factory=list)


def walk(cells: Sequence[FairCell], until: float | None = None, pause: float = PAUSE) -> Walk:
    """Fill the empty cells in order; begin none after ``until`` seconds."""
    began, broken = time.monotonic(), []
    while left := [cell for cell in cells if not cell.done]:
        if until is not None and time.monotonic() - began >= until:
            break
        open_cells = [cell for cell in left if cell not in broken and cell.ready]
        filled = next((cell for cell in open_cells if attempt(cell, broken)), None)
        if filled is None:
            if not open_cells or all(cell in broken for cell in open_cells):
                break  # nothing that can be done is left, here
            time.sleep(pause)  # all that is open is in another process's hands
    return Walk(left, broken)


def attempt(cell: FairCell, broken: list[FairCell]) -> bool:
    """Fill a cell; False where another process is at it. What goes wrong is told, and the cell set aside."""
    with ExitStack() as stack:
        try:
            stack.enter_context(held(cell.lock))
        except BadInput:
            return False
        if cell.done:
            return True
        start, processor = time.monotonic(), time.process_time()
        try:
            numbers = cell.find()
        except Stopped:  # somebody wants the walk to end
            raise
        except Taken:  # a training or a folder that it shares with a cell of another process
            return False
        except Exception:
            broken.append(cell)
            print(f"broke: {cell.said()}\n{traceback.format_exc()}", flush=True)
            return True
        took = {"seconds": round(time.monotonic() - start, 1), "processor": round(time.process_time() - processor, 1)}
        add(cell.place.rows, {**cell.key, "date": time.strftime("%Y-%m-%d"), **took, **numbers})
        print(f"filled in {took['seconds']:.0f} s: {cell.said()}", flush=True)
    return True


def add(rows: Path, row: Row) -> None:
    """One more row; two processes that add at once wait for each other."""
    rows.parent.mkdir(parents=True, exist_ok=True)
    lock = Path("runs/locks")
    lock.mkdir(parents=True, exist_ok=True)
    with turn(lock / f"{rows.stem}.lock"):
        write_whole(rows, "".join(json.dumps(each) + "\n" for each in [*read(rows), row]))


@dataclass(frozen=True)
class Run:
    """A training run: where it goes and everything it is made of."""

    out: Path
    data: Mapping[str, Any]
    model: Mapping[str, Any]
    method: str
    settings: Mapping[str, Any]
    plan: Mapping[str, Any]
    seed: int = 0
    task: str | None = None
    keep: bool = False  # its checkpoints


def trained(run: Run) -> Path:
    """The folder of a run, made or gone on with where it is not finished; who comes meanwhile waits."""
    out = run.out
    out.parent.mkdir(parents=True, exist_ok=True)
    clock = out.parent / f"{out.name}.seconds"
    with turn(out.parent / f".{out.name}.turn"):
        if not (out / "summary.json").is_file():
            began, before = time.process_time(), float(clock.read_text()) if clock.exists() else 0.0
            method = METHODS[run.method].model_validate(run.settings)
            try:
                uf.train(dict(run.data), out, dict(run.model), method, dict(run.plan), run.seed, True, run.task)
            finally:
                clock.write_text(f"{before + time.process_time() - began:.1f}")
            if not run.keep:
                shutil.rmtree(out / "checkpoints", ignore_errors=True)
    return out


def summary(out: Path) -> dict[str, Any]:
    """What a run says of itself, with the processor seconds and the precision of its training."""
    clock = out.parent / f"{out.name}.seconds"
    known = json.loads((out / "summary.json").read_text())
    return {**known, "training_processor": float(clock.read_text()), **trained_in(out)}


def share(right: Iterable[bool], definition: str) -> Row:
    """A share with its interval, and what became of each example, so that rows can be held against each other."""
    outcomes = [bool(one) for one in right]
    score = proportion(sum(outcomes), len(outcomes), definition)
    own = {"value": score.value, "low": score.low, "high": score.high, "n": score.n}
    return own | {"held": "".join(str(int(one)) for one in outcomes)}


def best(rows: Sequence[Row], lower: bool = False) -> Row:
    """The row with the best value; the first of equals."""
    return (min if lower else max)(rows, key=lambda row: row["value"])
