"""What a person calls to compare ways of training: every method with every seed, measured on the same examples."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from unfooled.commands.cells import Cell, Cells, least_bytes, refuse_in_memory
from unfooled.commands.comparison import Comparison, Entry, keep, read_comparison
from unfooled.commands.evaluate import evaluate
from unfooled.data.memory import data_values
from unfooled.data.sources import DataSettings, source_of
from unfooled.errors import BadInput, either, option
from unfooled.files import LOCK, held
from unfooled.methods.table import METHODS
from unfooled.progress import Part, overall
from unfooled.recipe.config import recipe_from
from unfooled.recipe.plan import AUTO
from unfooled.results.folder import Results
from unfooled.workers.choice import alone, do_all, staffed

MEASURING = Part("measure all models", "measure")


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
    workers: int | None = None,
    ray: str | None = None,
    **trials: Any,
) -> Results:
    """Train every method with every seed and measure all models; a second call goes on where the first stopped.

    ``data`` is whatever ``train`` takes, and ``text`` and ``label`` name its columns. ``settings`` are those of
    a method, by its name; ``trials`` is what ``evaluate`` is told. Calls at the same time share the trainings; what
    another one is training when all else is done, or measuring, is waited for with ``wait``, else refused. ``workers``
    processes, or actors of the Ray cluster at the address ``ray``, train and measure: docs/scale.md.
    """
    check(methods, seeds, plan or {})
    folder, source = Path(out), data_values(data, text=text, label=label)
    raw = {
        "data": source,
        "model": dict(model) if isinstance(model, Mapping) else {"name": str(model)},
        "plan": dict(plan or {}),
    }
    cells = Cells(planned_cells(folder, raw, methods, seeds, settings or {}))
    recipes = [cell.recipe for cell in cells.cells]
    refuse_other(folder, methods, seeds)
    by_others = not alone(workers, ray)
    if by_others:
        refuse_in_memory(recipes)
    refuse_seen(recipes[0].data)
    least = least_bytes(recipes, (folder / "runs").glob("*.cost.json")) if by_others else 0
    with overall() as whole, staffed(workers, ray, least) as staff:
        together = f"train {cells.total} models"
        parts = [Part(cell.label, cell.method) for cell in cells.cells]
        whole.foretell([*([Part(together, "train", cells.total)] if staff and staff.most else parts), MEASURING])
        do_all(staff, cells, together, whole, wait)
        entries = [Entry(one.method, one.seed, str(one.run / "model"), cells.costs[one.run]) for one in cells.cells]
        with held(folder / LOCK, wait=True):  # another process may have compared something else since this one looked
            refuse_other(folder, methods, seeds)
            keep(folder, Comparison(tuple(methods), tuple(range(seeds)), tuple(entries)))
        whole.begin(MEASURING.label)
        return evaluate(
            [entry.model for entry in entries], measured_on(source), folder / "results", wait=wait, workers=workers,
            ray=ray, **trials,
        )  # fmt: skip


def planned_cells(
    folder: Path, raw: Mapping[str, Any], methods: Sequence[str], seeds: int, settings: Mapping[str, Mapping[str, Any]]
) -> list[Cell]:
    """All trainings, seed by seed: a comparison that is stopped has all methods."""
    return [
        Cell(
            method,
            seed,
            recipe_from({**raw, "method": {"name": method, **settings.get(method, {})}, "seed": seed}),
            folder / "runs" / f"{method}-{seed}",
        )
        for seed in range(seeds)
        for method in methods
    ]


def measured_on(source: Mapping[str, Any]) -> dict[str, Any]:
    """The data to measure on: what the source says of itself, and its test file where it has one."""
    told = ("source", "text", "label", "subset", "held")
    own = {name: source[name] for name in told if source.get(name) is not None}
    return {**own, "source": source["test"]} if source.get("test") is not None else own


def refuse_seen(data: DataSettings) -> None:
    """Refuse data without a split to measure on: what was learnt by heart says nothing of a method."""
    source = source_of(data)
    if not {"validation", "test"} & set(source.splits):
        raise BadInput(
            f"{source.name} has no test split, so that models would be measured on the texts they learn from; give "
            + either("others with --test", 'others, as in data={"source": "reviews.csv", "test": "unseen.csv"}')
        )


def check(methods: Sequence[str], seeds: int, plan: Mapping[str, Any], least: int = 2) -> None:
    """Refuse what cannot be compared, or searched."""
    if plan.get("precision") == AUTO:  # measured by each training alone, perhaps on another machine
        raise BadInput("trainings that are compared have one precision; say which: plan.precision is fp32 or bf16")
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


def refuse_other(folder: Path, methods: Sequence[str], seeds: int) -> None:
    """Refuse a folder with another comparison; one with fewer seeds or methods can be gone on with."""
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"{folder} is a file; choose another {option('out')}")
    known = read_comparison(folder)
    lost = [] if known is None else [method for method in known.methods if method not in methods]
    if known is not None and (lost or len(known.seeds) > seeds):
        what = f"methods {', '.join(lost)}" if lost else f"{len(known.seeds)} seeds"
        raise BadInput(f"{folder} holds a comparison with {what}, which would be lost; choose another {option('out')}")
