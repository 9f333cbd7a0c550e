"""What a person calls to compare ways of training: every method with every seed, measured on the same examples."""

import gc
import json
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from unfooled.commands.comparison import Comparison, Cost, Entry, keep, read_comparison
from unfooled.commands.evaluate import evaluate
from unfooled.commands.train import train_recipe
from unfooled.data.memory import data_values
from unfooled.errors import BadInput, either, option
from unfooled.files import LOCK, SUMMARY, alone, held, write_whole
from unfooled.methods.table import METHODS
from unfooled.parsing import json_file
from unfooled.progress import Part, overall
from unfooled.recipe.config import Recipe, recipe_from
from unfooled.results.folder import Results
from unfooled.training.jobs import settled
from unfooled.training.run_folder import RunFolder

COST = TypeAdapter(Cost)
MEASURING = Part("measure all models", "measure")
STATUS, PEAK = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def compare(
    data: Any,
    methods: Sequence[str],
    out: str | Path,
    model: str | Path | Mapping[str, Any] = "minilm",
    seeds: int = 3,
    plan: Mapping[str, Any] | None = None,
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    wait: bool = False,
    *,
    text: str | None = None,
    label: str | None = None,
    **trials: Any,
) -> Results:
    """Train every method with every seed and measure all models; a second call goes on where the first stopped.

    ``data`` is whatever ``train`` takes, and ``text`` and ``label`` name its columns. ``settings`` are those of
    a method, by its name; ``trials`` is what ``evaluate`` is told. What another process is training or measuring is
    waited for with ``wait``, else refused.
    """
    check(methods, seeds)
    folder, source = Path(out), data_values(data, text=text, label=label)
    raw = {
        "data": source,
        "model": dict(model) if isinstance(model, Mapping) else {"name": str(model)},
        "plan": dict(plan or {}),
    }
    recipes = {
        (method, seed): recipe_from(
            {**raw, "method": {"name": method, **(settings or {}).get(method, {})}, "seed": seed}
        )
        for seed in range(seeds)
        for method in methods
    }
    refuse_other(folder, methods, seeds)
    told = ("source", "text", "label", "subset", "held")
    measured_on = {name: source[name] for name in told if source.get(name) is not None}
    if source.get("test") is not None:
        measured_on["source"] = source["test"]
    with overall() as whole:
        parts = {(method, seed): Part(f"train {method}, seed {seed}", method) for method, seed in recipes}
        whole.foretell([*parts.values(), MEASURING])
        entries = []
        for (method, seed), recipe in recipes.items():  # seed by seed: a comparison that is stopped has all methods
            run = folder / "runs" / f"{method}-{seed}"
            whole.begin(parts[method, seed].label)
            entries.append(Entry(method, seed, str(run / "model"), trained(recipe, run, wait)))
        with held(folder / LOCK, wait=True):  # another process may have compared something else since this one looked
            refuse_other(folder, methods, seeds)
            keep(folder, Comparison(tuple(methods), tuple(range(seeds)), tuple(entries)))
        whole.begin(MEASURING.label)
        return evaluate([entry.model for entry in entries], measured_on, folder / "results", wait=wait, **trials)


def check(methods: Sequence[str], seeds: int, least: int = 2) -> None:
    """Refuse what cannot be compared, or searched."""
    if seeds < 1:
        raise BadInput(f"{option('seeds')} {seeds} trains nothing; give at least 1, better 5")
    for place, method in enumerate(methods):
        METHODS.check(method)
        if method in methods[:place]:
            raise BadInput(f"the method {method} is named twice; name each once")
    if len(methods) < least:
        raise BadInput(
            "a comparison needs two methods or more, as in "
            + either("--methods finetune,freelb", 'methods=["finetune", "freelb"]')
        )


def trained(recipe: Recipe, run: Path, wait: bool = False) -> Cost:
    """A training, made or gone on with unless it is finished; what it took in all."""
    with alone(run, wait):  # with what stands beside it, and until what it no longer needs is gone
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
        return read_cost(beside)
    with counted(beside):
        train_recipe(recipe, run, resume=True)
    shutil.rmtree(run / "checkpoints", ignore_errors=True)
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
        write_whole(path, json.dumps({"seconds": cost.seconds, "megabytes": cost.megabytes}) + "\n")


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


def refuse_other(folder: Path, methods: Sequence[str], seeds: int) -> None:
    """Refuse a folder with another comparison; one with fewer seeds or methods can be gone on with."""
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"{folder} is a file; choose another {option('out')}")
    known = read_comparison(folder)
    lost = [] if known is None else [method for method in known.methods if method not in methods]
    if known is not None and (lost or len(known.seeds) > seeds):
        what = f"methods {', '.join(lost)}" if lost else f"{len(known.seeds)} seeds"
        raise BadInput(f"{folder} holds a comparison with {what}, which would be lost; choose another {option('out')}")
