"""Runs of a tiny language model and a tiny translator; the gradients that two processes come to."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from safetensors.torch import save_file
from two_processes import gradients

from sequences import save_pairs, save_text
from unfooled.methods import METHODS, Method
from unfooled.recipe.config import Recipe
from unfooled.training import Engine, Plan, Processes, Run, RunFolder
from unfooled.training.jobs import prepare

SIZES = {"layers": 1, "width": 16, "heads": 2, "inner_width": 20, "head_width": 6, "vocabulary_size": 300}
TASKS: dict[str, dict[str, Any]] = {
    "lm": {
        "model": {"name": "tensorized", "max_length": 8, "sizes": {**SIZES, "cutoffs": ()}},
        "plan": {"batch_size": 8},
    },
    "lm, adaptive": {
        "model": {"name": "tensorized", "max_length": 8, "sizes": {**SIZES, "cutoffs": (5, 11)}},
        "plan": {"batch_size": 8},
    },
    "translation": {
        "model": {"name": "transformer", "max_length": 48, "sizes": SIZES},
        "plan": {"batch_tokens": 400, "label_smoothing": 0.1},
    },
}
# (task, method): every method of the table that says it can train the task; ATCL also with its options.
CASES = [(task, name) for task in TASKS for name, kind in METHODS.items() if task.split(",")[0] in kind.tasks]
OPTIONS: dict[str, dict[str, Any]] = {
    "atcl, other sentences": {"negatives_from": "other_sentences", "include_positive": True},
    "atcl, sentences": {"contrast": "sentence"},
    "atcl, adversaries alone": {"beta": 0.0},
}
CASES += [(task, name) for task in ("lm", "translation") for name in OPTIONS]


def method_of(name: str) -> Method:
    """A method of the table, or one of ATCL's variants; a radius that shows."""
    if name.startswith("atcl"):
        return METHODS["atcl"].model_validate({"radius": 0.3, "negatives": 4, **OPTIONS.get(name, {})})
    return METHODS[name]()


def prepared(
    task: str, method: Method, folder: Path, dropout: float = 0.0, plan: Mapping[str, Any] | None = None
) -> Run:
    """A run of some twenty segments or pairs, ready to go."""
    processes, kind = Processes(), task.split(",")[0]
    if processes.first:
        (save_text if kind == "lm" else save_pairs)(folder / "data", 20)
    processes.wait()
    parts = TASKS[task]
    recipe = Recipe(
        data={"source": str(folder / "data"), **({"text": "en", "label": "de"} if kind == "translation" else {})},
        model={**parts["model"], "dropout": dropout},
        method=method,
        plan={"learning_rate": 5e-5, **parts["plan"], **(plan or {})},
        task=kind,
    )
    job = prepare(recipe, processes)
    runs = RunFolder(folder)
    runs.checkpoints.mkdir(parents=True, exist_ok=True)
    objective = job.build()
    return Run(objective, Engine(objective, Plan.model_validate(recipe.plan), processes), job.loader, runs, job.look)


def main(out: Path) -> None:
    """What each of two processes does, the first writing."""
    for number, (task, name) in enumerate(CASES):
        run = prepared(task, method_of(name), out / str(number))
        found = gradients(run, updates=2)
        if run.engine.processes.first:
            save_file(found, out / f"{number}.safetensors")
    Processes().close()
