"""What a network may be asked: one class, a number, a set of classes, or where an answer stands in a text.

Each is a standard Hugging Face head, so that what is saved opens with plain transformers.
"""

from dataclasses import dataclass
from typing import Any

from transformers import AutoModelForQuestionAnswering, AutoModelForSequenceClassification

from unfooled.errors import BadInput, nearest


@dataclass(frozen=True)
class Problem:
    """A kind of head: the class that opens it, and what its configuration calls the problem."""

    name: str
    opens_with: Any
    problem_type: str | None
    said: str  # what such a model is, in a sentence


PROBLEMS = {
    problem.name: problem
    for problem in (
        Problem("class", AutoModelForSequenceClassification, "single_label_classification", "a classifier"),
        Problem("number", AutoModelForSequenceClassification, "regression", "a model of numbers"),
        Problem("set", AutoModelForSequenceClassification, "multi_label_classification", "a model of sets of labels"),
        Problem("span", AutoModelForQuestionAnswering, None, "a model that answers questions"),
    )
}


AT_LEAST_ONE = "unfooled_at_least_one"  # in the configuration of a model of sets


def says_something(config: Any) -> bool:
    """Whether a model of sets says at least its likeliest label, as one does that saw no text without a label."""
    return bool(config.to_dict().get(AT_LEAST_ONE))


def problem_of(config: Any) -> Problem:
    """The problem that a saved configuration is for; a classifier's where it does not say."""
    found = config.to_dict()
    kinds = " ".join(found.get("architectures") or ())
    if kinds.endswith("ForQuestionAnswering"):
        return PROBLEMS["span"]
    named = {problem.problem_type: problem for problem in PROBLEMS.values() if problem.problem_type}
    # A lone logit is a number to transformers, whatever the configuration leaves out.
    lone = len(found.get("id2label") or {}) == 1 and kinds.endswith("ForSequenceClassification")
    return named.get(found.get("problem_type")) or PROBLEMS["number" if lone else "class"]


def check_problem(config: Any, wanted: str | None, name: str) -> Problem:
    """The problem asked for, refused where the saved model was trained for another; None asks for any."""
    if wanted is not None and wanted not in PROBLEMS:
        raise BadInput(f"unknown kind of model {wanted}; {nearest(wanted, PROBLEMS)}")
    found = problem_of(config)
    if wanted is not None and found.name != wanted:
        raise BadInput(f"{name} is {found.said}, not {PROBLEMS[wanted].said}; name a model that is")
    return found
