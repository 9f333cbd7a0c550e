"""What all tasks over texts share: rows a method adds, batches, the answers on a split, and the job itself."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch import Tensor

from unfooled import models
from unfooled.data.datasets import Dataset
from unfooled.data.loader import Loader
from unfooled.data.splits import Split
from unfooled.evaluation.metrics import Score
from unfooled.methods import Objective, Task
from unfooled.methods.objective import LabelName, TrainingRows
from unfooled.models import still
from unfooled.models.encoders.pretrained import TextModel
from unfooled.recipe.config import Recipe
from unfooled.tasks.task import Job, check_processes
from unfooled.tokens import Encoded, by_length
from unfooled.training import Processes
from unfooled.training.run_folder import State
from unfooled.types import Evaluation

Read = TypeVar("Read")  # a split as the network reads it


@dataclass(frozen=True)
class Enlarged:
    """A training split with the rows its method adds; what to say of them and what a resumed run must find again."""

    train: Split
    notes: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    stands_on: Mapping[str, str] = field(default_factory=dict)


def enlarged(
    recipe: Recipe,
    split: Split,
    names: Sequence[str] = (),
    free: Sequence[int] | None = None,
    pair_stays: bool = False,
) -> Enlarged:
    """The training split and, after it, what the method adds, each text with the label of the row it was made of."""
    called = [label_name(label, names) for label in split.labels] if names else []
    columns = range(len(split.texts[0])) if free is None else free
    more = recipe.method.more_rows(TrainingRows(split.texts, called, tuple(columns), recipe.seed, pair_stays))
    notes = (more.note,) if more.note else ()
    if not more.texts:
        return Enlarged(split, notes, more.facts)
    mark = hashlib.sha256(repr([*zip(more.rows, more.texts, strict=True)]).encode()).hexdigest()
    train = Split([*split.texts, *more.texts], [*split.labels, *(split.labels[row] for row in more.rows)])
    return Enlarged(train, notes, {"added_rows": len(more.texts), **more.facts}, {"added_rows_hash": mark})


def label_name(label: int | Sequence[int], names: Sequence[str]) -> LabelName:
    """A class by its name, or a set of them by theirs."""
    return names[label] if isinstance(label, int) else frozenset(names[each] for each in label)


def loader_of(
    recipe: Recipe, encoded: Encoded, labels: Sequence[int] | Tensor, processes: Processes, kind: str = "class"
) -> Loader:
    """The batches of a tokenised training split."""
    check_processes(recipe.plan, len(encoded), processes)
    return Loader(
        encoded,
        labels,
        batch_size=recipe.plan.batch_size,
        seed=recipe.seed,
        accumulation=recipe.plan.accumulation,
        rank=processes.rank,
        processes=processes.count,
        kind=kind,
    )


def cut_note(encoded: Encoded, model: TextModel) -> tuple[str, ...]:
    """A note where texts are cut at the model's longest input."""
    cut = int((encoded.lengths >= model.max_length).sum())
    note = f"{cut:,} of {len(encoded):,} train texts reach {model.max_length} tokens and are cut there"
    return (note,) if cut else ()


def answers_on(
    model: TextModel, encoded: Encoded, width: int, processes: Processes, batch_size: int = 64,
    read: Callable[[Tensor, Sequence[int]], Tensor] = lambda logits, rows: logits,
) -> Tensor:  # fmt: skip
    """What ``read`` makes of the logits of each text [N, width], shared out over the processes, dropout off."""
    found = torch.zeros(len(encoded), width, dtype=torch.float64)
    with still(model.classifier), torch.no_grad():
        for turn, rows in enumerate(by_length(encoded, batch_size)):
            if turn % processes.count == processes.rank:
                logits = model.classifier(encoded.pad(rows).to(processes.device)).logits
                found[torch.from_numpy(rows)] = read(logits.float().cpu(), rows.tolist()).double()
    return processes.add_up(found.to(processes.device)).cpu()


def judges(
    dataset: Dataset,
    read: Callable[[Split], Read],
    scored: Callable[[Read, Split], Mapping[str, Score]],
    chosen: str,
    lower_is_better: bool = False,
) -> tuple[Callable[[], Evaluation], Callable[[State], Mapping[str, Score]]]:
    """How validation is looked at while training, and how the weights chosen are scored; each split is read once."""
    validation = read(dataset.validation)

    def look() -> Evaluation:
        found = scored(validation, dataset.validation)
        return Evaluation({name: score.value for name, score in found.items()}, None, chosen, lower_is_better)

    return look, partial(final_scores, dataset, validation, read, scored)


def final_scores(
    dataset: Dataset,
    validation: Read,
    read: Callable[[Split], Read],
    scored: Callable[[Read, Split], Mapping[str, Score]],
    state: State,
) -> dict[str, Score]:
    """Every score of the weights chosen, on validation (which chose them) and, once, on test."""
    found = {"validation": scored(validation, dataset.validation)}
    if dataset.test is not None:
        found["test"] = scored(read(dataset.test), dataset.test)
    return {f"{split} {name}": score for split, some in found.items() for name, score in some.items()}


def text_job(
    recipe: Recipe,
    processes: Processes,
    dataset: Dataset,
    model: TextModel,
    loader: Loader,
    task: Callable[[], Task],
    look: Callable[[], Evaluation],
    scores: Callable[[State], Mapping[str, Score]],
    more: Enlarged,
    facts: Mapping[str, Any],
    notes: Sequence[str] = (),
) -> Job:
    """The job of a text model: built by the method, saved as a Hugging Face folder."""

    def build() -> Objective:
        return recipe.method.build(model.classifier, task()).to(processes.device)

    def save(folder: Path, card: str) -> None:
        model.classifier.network.config.update({"unfooled_trained_on": dataset.train_fingerprint})
        models.save(model, folder, card)

    return Job(
        data=dataset.name,
        data_hash=dataset.fingerprint,
        model_hash=model.fingerprint,
        build=build,
        loader=loader,
        look=look,
        scores=scores,
        save=save,
        facts={"labels": list(model.labels), "max_length": model.max_length, **facts, **more.facts},
        notes=(*dataset.notes, *model.notes, *more.notes, *notes),
        stands_on=more.stands_on,
    )
