"""The job of every task whose models answer text by text: rows a method adds, batches, looks, scores."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from unfooled.data.batches.examples import ExampleBatches as ExampleBatches
from unfooled.data.examples import Dataset
from unfooled.data.splits import Split
from unfooled.errors import BadInput
from unfooled.files import SUMMARY
from unfooled.methods.objective import LabelName, Method, Objective, TrainingRows
from unfooled.models.encoders.packed_training import pack
from unfooled.models.encoders.pretrained import TEMPERATURE, TextModel, build, save
from unfooled.parsing import object_in
from unfooled.recipe.config import Recipe
from unfooled.scores.score import Score
from unfooled.substitution.near import near_list
from unfooled.substitution.reading import WordReader
from unfooled.tasks import Task
from unfooled.tasks.readable import unread
from unfooled.tasks.task import Taught
from unfooled.training.engine import Processes
from unfooled.training.jobs.job import Job, addressed, check_processes, choice, objective_of
from unfooled.training.jobs.worst_look import ROBUST, WorstLook, chosen_by_words
from unfooled.training.run_folder import State
from unfooled.training.temperature import Calibration, calibrate, fitted
from unfooled.training.validate import validate
from unfooled.types import Evaluation, Texts

LOOKED_AT_ONCE = 64  # texts


@dataclass(frozen=True)
class Enlarged:
    """A training split with the rows its method adds; what to say of them and what a resumed run must find again."""

    train: Split
    notes: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    stands_on: Mapping[str, str] = field(default_factory=dict)


def enlarged(
    recipe: Recipe, split: Split, names: Sequence[str] = (), free: Sequence[int] | None = None, pair_stays: bool = False
) -> Enlarged:
    """The training split and, after it, what the recipe's method adds."""
    return with_additions(recipe.method, recipe.seed, split, names, free, pair_stays)


def with_additions(
    method: Method,
    seed: int,
    split: Split,
    names: Sequence[str] = (),
    free: Sequence[int] | None = None,
    pair_stays: bool = False,
) -> Enlarged:
    """The training split and, after it, what a method adds, each text with the label of the row it was made of."""
    called = [label_name(label, names) for label in split.labels] if names else []
    columns = range(len(split.texts[0])) if free is None else free
    more = method.more_rows(TrainingRows(split.texts, called, tuple(columns), seed, pair_stays))
    notes = (more.note,) if more.note else ()
    if not more.texts:
        return Enlarged(split, notes, more.facts)
    mark = hashlib.sha256(repr([*zip(more.rows, more.texts, strict=True)]).encode()).hexdigest()
    train = Split([*split.texts, *more.texts], [*split.labels, *(split.labels[row] for row in more.rows)])
    return Enlarged(train, notes, {"added_rows": len(more.texts), **more.facts}, {"added_rows_hash": mark})


def label_name(label: int | Sequence[int], names: Sequence[str]) -> LabelName:
    """A class by its name, or a set of them by theirs."""
    return names[label] if isinstance(label, int) else frozenset(names[each] for each in label)


@dataclass(frozen=True)
class HeldOut:
    """Validation and test of a dataset as a task judges a model on them; each split is read once."""

    task: Task
    dataset: Dataset
    model: TextModel
    processes: Processes
    chosen: str
    validation: Any  # as the network reads it
    worst: WorstLook | None = None  # where weights are chosen by what they withstand too

    def doubts(self, method: Method) -> tuple[str, ...]:
        """What words there are not for the choice of weights, unless the method says that by itself."""
        return () if self.worst is None or method.exchanges_words else self.worst.usable[1]

    def lists(self, method: Method) -> dict[str, str]:
        """The lists of words that the training stands on."""
        return {"near_words": near_list()} if method.exchanges_words or self.worst is not None else {}

    def look(self) -> Evaluation:
        """At validation, while training."""
        if self.worst is not None:
            return self.worst.beside(self.look_at_classes())
        if self.task.confusion:
            return self.look_at_classes()
        scores = {name: score.value for name, score in self.scored(self.validation, self.dataset.validation).items()}
        return Evaluation(scores, None, self.chosen, self.chosen in self.task.lower_is_better)

    def look_at_classes(self) -> Evaluation:
        """The same of classes, with their confusion and their loss."""
        names = self.model.labels
        labels = self.dataset.validation.labels
        evaluation = validate(self.model.classifier, self.validation, labels, len(names), self.processes)
        assert evaluation.confusion is not None
        pairs = [
            ((true,), (said,))
            for true, row in zip(names, evaluation.confusion.tolist(), strict=True)
            for said, count in zip(names, row, strict=True)
            for _ in range(count)
        ]
        right, said = zip(*pairs, strict=True)
        value = self.task.scores(right, said, None, names)[self.chosen].value
        return replace(evaluation, scores={**evaluation.scores, self.chosen: value}, best_by=self.chosen)

    def calibrate(self, fold: bool) -> Calibration:
        """Find what makes the chances that the weights chosen give classes likely ones, by validation; or do it."""
        split = self.validation, self.dataset.validation.labels, self.processes
        if fold:
            calibration = calibrate(self.model, *split)
            kept = 1.0 if calibration.temperature is not None else None
        else:
            kept = fitted(self.model, *split)
            calibration = Calibration(kept, "")
        config = self.model.classifier.network.config
        vars(config).pop(TEMPERATURE, None)  # what an earlier training left
        if kept is not None:
            config.update({TEMPERATURE: kept})
        return calibration

    def scores(self, state: State) -> dict[str, Score]:
        """Every score of the weights chosen, on validation (which chose them) and, once, on test."""
        by_split = {"validation": self.scored(self.validation, self.dataset.validation)}
        test = self.dataset.test
        if test is not None:
            by_split["test"] = self.scored(self.task.encoded(self.model, test.texts), test)
        return {f"{split} {name}": score for split, some in by_split.items() for name, score in some.items()}

    def scored(self, read: Any, split: Split) -> Mapping[str, Score]:
        """The scores of a split as the network reads it."""
        names = self.model.labels
        said = self.task.answers(self.model, read, split.texts, LOOKED_AT_ONCE, self.processes)
        return self.task.scores([self.task.right(label, names) for label in split.labels], said, None, names)


def text_job(recipe: Recipe, task: Task, processes: Processes) -> Job:
    """A text model under the task's head: built by the method, saved as a Hugging Face folder."""
    chosen = ROBUST if chosen_by_words(recipe.plan, task) else choice(recipe.plan, task.chosen_by)
    dataset: Dataset = task.reads(recipe.data, recipe.seed)
    names = task.labels or dataset.labels
    model = to_be_trained(recipe, task, names, dataset.train.texts).to(processes.device)
    more = enlarged(recipe, dataset.train, () if task.labels else names, task.rewritten, task.pair_stays)
    taught = task.taught(model, more.train)
    loader = loader_of(recipe, taught, task.loss, processes)
    judged = held_out(task, dataset, model, processes, chosen, recipe)

    def objective() -> Objective:
        lengths = torch.from_numpy(taught.encoded.lengths)
        known = {"classes": len(names), "labels": taught.labels, "names": names, "lengths": lengths}
        if recipe.method.exchanges_words:
            known |= {"texts": more.train.texts, "reader": WordReader(model.tokenizer, model.max_length)}
        confusion = confusion_of(recipe.method.baseline_run(), names)
        return objective_of(recipe, model.classifier, loader, processes, confusion=confusion, **known)

    def keep(folder: Path, card: str) -> None:
        model.classifier.network.config.update({"unfooled_trained_on": dataset.train_fingerprint})
        save(model, folder, card)

    doubts, lists = unread(model.tokenizer, dataset.train.texts, model.name), judged.lists(recipe.method)
    told = {"labels": list(names), "max_length": model.max_length, "chosen_by": chosen, **lists}
    return Job(
        data=dataset.name,
        data_hash=dataset.fingerprint,
        model_hash=model.fingerprint,
        build=objective,
        loader=loader,
        look=judged.look,
        scores=judged.scores,
        save=keep,
        facts={**told, **taught.facts, **more.facts},
        notes=(*dataset.notes, *doubts, *judged.doubts(recipe.method), *model.notes, *more.notes, *taught.notes),
        stands_on={**more.stands_on, **lists},
        calibrate=judged.calibrate if task.confusion else None,
        from_nothing=recipe.model.name == "textcnn",
    )


def to_be_trained(recipe: Recipe, task: Task, names: Sequence[str], texts: Sequence[Texts]) -> TextModel:
    """The model under the task's head; without padding where the plan says so and the method does not read it all."""
    assert task.head is not None
    model = recipe.method.prepared(build(recipe.model, names, recipe.seed, task.head), texts)
    if recipe.plan.packed:
        if recipe.method.reads_states():
            raise BadInput(f"{type(recipe.method).__name__} reads every token's last state; leave plan.packed out")
        pack(model.classifier)
    return model


def held_out(
    task: Task, dataset: Dataset, model: TextModel, processes: Processes, chosen: str, recipe: Recipe
) -> HeldOut:
    """Validation and test, and how weights are chosen by them: of pairs by the words that the method exchanges."""
    validation = task.encoded(model, dataset.validation.texts)
    if chosen != ROBUST:
        return HeldOut(task, dataset, model, processes, chosen, validation)
    last_alone = getattr(recipe.method, "of_pairs", "both") == "last"
    worst = WorstLook(model, dataset.validation, validation, recipe.seed, processes, last_alone=last_alone)
    return HeldOut(task, dataset, model, processes, task.chosen_by[0], validation, worst)


def loader_of(recipe: Recipe, taught: Taught, loss: str, processes: Processes) -> ExampleBatches:
    """The batches of a training split."""
    check_processes(recipe.plan, len(taught.encoded), processes)
    size = recipe.plan.batch_size
    return ExampleBatches(taught.encoded, taught.labels, batch_size=size, kind=loss, **addressed(recipe, processes))


def confusion_of(run: str | None, labels: Sequence[str]) -> Tensor | None:
    """The validation confusion that an earlier run left in its summary."""
    if run is None:
        return None
    path = Path(run) / SUMMARY
    if not path.is_file():
        raise BadInput(f"there is no finished run in {run}, whose confusion the method asks for; train it first")
    summary = object_in(path, "train that run again")
    if summary.get("labels") != list(labels):
        raise BadInput(f"the run in {run} has other labels than the data; name a run on the same data")
    try:
        confusion = torch.tensor(summary["validation_confusion"], dtype=torch.long).view(len(labels), len(labels))
    except (KeyError, TypeError, ValueError, RuntimeError):
        raise BadInput(f"{path} has no confusion of {len(labels)} labels; train that run again") from None
    return confusion
