"""From somebody's network and training set to a method's objective over them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from unfooled.data.splits import Split
from unfooled.errors import BadInput, nearest
from unfooled.heads import HEADS
from unfooled.methods.objective import Method, Objective, TrainingTask
from unfooled.methods.table import METHODS
from unfooled.models.checks import check_padding, labels_of
from unfooled.models.encoders.classifier import Classifier
from unfooled.models.encoders.lora import unwrapped
from unfooled.models.encoders.pretrained import positions
from unfooled.substitution.reading import WordReader
from unfooled.tasks import TASKS
from unfooled.tasks.task import Task
from unfooled.training.jobs.text import confusion_of, with_additions
from unfooled.types import Texts

OTHER_HEAD = re.compile(r"For(?!SequenceClassification)[A-Z]\w*$")  # as in BertForTokenClassification


@dataclass(frozen=True)
class TrainingSet:
    """Labels as the loss takes them, one a row, and texts where the method asks for them; its own rows come last."""

    labels: Tensor
    originals: int  # rows that are not the method's own
    texts: Sequence[Texts] = ()
    notes: tuple[str, ...] = ()


def task_of(network: Any) -> Task:
    """What a network is asked for each text, by its head."""
    kind, config = type(unwrapped(network)).__name__, network.config
    if OTHER_HEAD.search(kind):
        raise BadInput(f"{kind} answers no text with a label; methods train an AutoModelForSequenceClassification")
    by_problem = {head.problem_type: name for name, head in HEADS.items() if head.problem_type}
    lone = "regression" if config.num_labels == 1 else "classification"  # as transformers takes it
    return TASKS[by_problem.get(str(getattr(config, "problem_type", None)), lone)]


def names_of(network: Any) -> tuple[str, ...]:
    """The names of a network's labels."""
    return labels_of(network.config, name_of(network))


def name_of(network: Any) -> str:
    """What a sentence calls a network."""
    return str(getattr(network.config, "_name_or_path", "") or type(network).__name__)


def chosen_method(method: str | Method, task: Task) -> Method:
    """A method by its name or as it is, refused where it is for other tasks."""
    chosen = method if isinstance(method, Method) else METHODS.find(method)()
    if task.name not in chosen.tasks and task.kind not in chosen.tasks:
        able = [name for name in METHODS if {task.name, task.kind} & set(METHODS[name].tasks)]
        raise BadInput(
            f"{METHODS.name_of(type(chosen)) or type(chosen).__name__} is a method for {', '.join(chosen.tasks)}, and "
            f"the model is {task.said}; choose one of {', '.join(able)}"
        )
    return chosen


def wants_texts(method: Method) -> bool:
    """Whether a method changes words of the training texts, or adds texts to them."""
    return method.exchanges_words or type(method).more_rows is not Method.more_rows


def label_tensor(values: Sequence[Any], task: Task, names: Sequence[str]) -> Tensor:
    """Labels as the loss of a task takes them; classes may be given by their names."""
    if task.confusion:
        known = {name: number for number, name in enumerate(names)}
        found = torch.tensor([class_number(value, known) for value in values], dtype=torch.long)
        wrong = [place for place, number in enumerate(found.tolist()) if not 0 <= number < len(names)]
        if wrong:
            raise BadInput(
                f"row {wrong[0]} has the label {values[wrong[0]]}, and the model has {len(names)} labels "
                f"({', '.join(names)}); number them from 0, or open the model with num_labels"
            )
        return found
    shape = (len(values), len(names)) if task.head is not None and task.head.sets else (len(values),)
    try:
        return torch.tensor([plain(value) for value in values], dtype=torch.float32).reshape(shape)
    except (TypeError, ValueError, RuntimeError):
        wanted = f"a 0 or 1 for each of {len(names)} labels" if len(shape) == 2 else "a number"
        raise BadInput(f"the model is {task.said}, and not every row's label is {wanted}; mend the labels") from None


def plain(value: Any) -> Any:
    """A label of any library as Python's own."""
    return value.tolist() if hasattr(value, "tolist") else value


def class_number(value: Any, known: dict[str, int]) -> int:
    """The number of a class that is given by its name or number."""
    own = plain(value)
    if isinstance(own, str):
        if own not in known:
            raise BadInput(f"the model has no label {own}; {nearest(own, known)}")
        return known[own]
    if isinstance(own, bool | int):
        return int(own)
    raise BadInput(
        f"a label is {str(own)[:40]}, and the model is of one class a text; give whole numbers, or set the model's "
        'config.problem_type ("regression", "multi_label_classification")'
    )


def training_set(
    method: Method, task: Task, names: Sequence[str], labels: Sequence[Any], texts: Sequence[Texts], seed: int
) -> TrainingSet:
    """A training set with the rows that the method adds to it."""
    tensor = label_tensor(labels, task, names)
    if not texts:
        return TrainingSet(tensor, len(tensor))
    if len(texts) != len(tensor):
        raise BadInput(f"{len(texts):,} texts have {len(tensor):,} labels; give one label for each text")
    called = () if task.labels else tuple(names)
    sets = task.head is not None and task.head.sets
    rows: list[Any] = [tuple(row.nonzero().flatten().tolist()) for row in tensor] if sets else tensor.tolist()
    more = with_additions(method, seed, Split(list(texts), rows), called, task.rewritten, task.pair_stays)
    added = more.train.labels[len(texts) :]
    if sets:
        added = [[float(number in own) for number in range(len(names))] for own in added]
    whole = torch.cat([tensor, torch.tensor(added, dtype=tensor.dtype)]) if added else tensor
    return TrainingSet(whole, len(texts), more.train.texts, more.notes)


def longest(tokenizer: Any, network: Any, wanted: int | None) -> int:
    """How many tokens of a text are read: as told, or as many as tokenizer and network take."""
    return int(min(wanted or tokenizer.model_max_length, positions(unwrapped(network))))


def objective_over(
    network: Any, method: Method, known: TrainingSet, steps: int, seed: int, tokenizer: Any, max_length: int | None
) -> Objective:
    """The method's objective over a network, where that is."""
    task, names = task_of(network), names_of(network)
    told: dict[str, Any] = {"classes": len(names), "labels": known.labels, "names": names}
    if tokenizer is not None:
        check_padding(tokenizer, name_of(network), network.config)
    if method.exchanges_words:
        reader = WordReader(tokenizer, longest(tokenizer, network, max_length))
        told |= {"texts": known.texts, "reader": reader}
    if task.confusion:
        told |= {"confusion": confusion_of(method.baseline_run(), names)}
    where = next(network.parameters()).device
    return method.build(Classifier(network), TrainingTask(steps=steps, seed=seed, **told)).to(where)
