"""Heads: what a network may be asked, by the name of the task. Nothing here needs torch.

Each is a standard Hugging Face head, so that what is saved opens with plain transformers.
"""

import re
from dataclasses import asdict, dataclass
from typing import Any

from unfooled.errors import BadInput, nearest

SEQUENCES = "AutoModelForSequenceClassification"
OPENERS = re.compile(r"AutoModel(For[A-Za-z]+)?")


@dataclass(frozen=True)
class Head:
    """The head of a task's models: the class that opens it, and what its configuration calls the problem."""

    task: str
    said: str  # what such a model is
    problem_type: str | None
    opens_with: str = SEQUENCES
    sets: bool = False  # whether any number of labels may be said


# Those that a configuration tells apart by itself.
HEADS = {
    head.task: head
    for head in (
        Head("classification", "a classifier", "single_label_classification"),
        Head("regression", "a model of numbers", "regression"),
        Head("multilabel", "a model of sets of labels", "multi_label_classification", sets=True),
        Head("span", "a model that answers questions", None, "AutoModelForQuestionAnswering"),
    )
}
OWN_HEAD = "unfooled_head"  # in the configuration of a model with another head
AT_LEAST_ONE = "unfooled_at_least_one"  # in the configuration of a model of sets


def says_something(config: Any) -> bool:
    """Whether a model of sets says at least its likeliest label, as one does that saw no text without a label."""
    return bool(config.to_dict().get(AT_LEAST_ONE))


def written(head: Head) -> dict[str, Any]:
    """What a configuration says of a head."""
    own = {} if head in HEADS.values() else {OWN_HEAD: asdict(head)}
    return {"problem_type": head.problem_type, **own}


def head_of(config: Any) -> Head:
    """The head that a saved configuration is of; a classifier's where it does not say."""
    values = config.to_dict()
    if values.get(OWN_HEAD):
        return own_head(values[OWN_HEAD])
    kinds = " ".join(values.get("architectures") or ())
    if kinds.endswith("ForQuestionAnswering"):
        return HEADS["span"]
    named = {head.problem_type: head for head in HEADS.values() if head.problem_type}
    # A lone logit is a number to transformers, whatever the configuration leaves out.
    lone = len(values.get("id2label") or {}) == 1 and kinds.endswith("ForSequenceClassification")
    return named.get(values.get("problem_type")) or HEADS["regression" if lone else "classification"]


def own_head(values: Any) -> Head:
    """A head as a configuration describes it; it may be opened with one of transformers' own classes alone."""
    try:
        head = Head(**values)
        if not OPENERS.fullmatch(head.opens_with) or not isinstance(head.task + head.said, str):
            raise ValueError
    except (TypeError, ValueError):
        raise BadInput(f"the configuration describes a head ({OWN_HEAD}) that is none; restore config.json") from None
    return head


def check_head(config: Any, task: str | None, name: str) -> Head:
    """The head of a saved model, refused where it is for another task than this one; None asks for any."""
    head = head_of(config)
    if task is not None and task not in (*HEADS, head.task):
        raise BadInput(f"unknown kind of model {task}; {nearest(task, HEADS)}")
    if task is not None and head.task != task:
        raise BadInput(f"{name} is {head.said}, not {HEADS[task].said}; name a model that is")
    return head
