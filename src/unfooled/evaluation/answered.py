"""What models say whose answer is no class: a number, a set of labels, a piece of the text; and how that is scored.

Texts as they are and their versions are scored apart. Beside the score of versions stands that of their originals, each
counted as often as it has versions: a change that only some texts allow is compared with those texts, not with all.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from unfooled.evaluation.answers import answer_scores
from unfooled.evaluation.metrics import Score
from unfooled.evaluation.task_scores import Groups, indicators, number_scores, set_scores

Change = Literal["synonyms", "typos", "contractions", "names", "places", "numbers", "punctuation"]
SYNONYMS: Change = "synonyms"
CHECKLIST: tuple[Change, ...] = ("typos", "contractions", "names", "places", "numbers", "punctuation")
CHANGES: tuple[Change, ...] = (SYNONYMS, *CHECKLIST)


@dataclass(frozen=True)
class Answered:
    """One text, or a version of one: what is right and what the model says of it.

    ``original`` tells which texts are versions of one another; ``change`` is how this one was made, None where it is
    the text as it is. Right are a number, the names of a set of labels, or all right answers; said are a number, names,
    or one answer.
    """

    index: int
    original: int
    change: str | None
    texts: tuple[str, ...]
    right: float | tuple[str, ...]
    said: float | str | tuple[str, ...]


@dataclass(frozen=True)
class Part:
    """Records that are scored together: None is the name of all there are; ``of`` says which, in a definition."""

    name: str | None
    records: Sequence[Answered]
    of: str = ""
    detail: bool = False


def parts(records: Sequence[Answered]) -> list[Part]:
    """Originals, versions in synonyms and by CheckList's changes, each of these beside their originals; by change."""
    originals = {record.original: record for record in records if record.change is None}
    if len(originals) == len(records):
        return [Part(None, records)]
    found = [Part("original", list(originals.values()), "the texts as they are")]
    for name, changes in ((SYNONYMS, (SYNONYMS,)), ("checklist", CHECKLIST), *((one, (one,)) for one in CHECKLIST)):
        own = [record for record in records if record.change in changes]
        if own:
            said, alone = ", ".join(dict.fromkeys(str(record.change) for record in own)), name in CHECKLIST
            before = [originals[record.original] for record in own]
            found.append(Part(name, own, f"versions by {said}", alone))
            found.append(Part(f"before {name}", before, f"the originals of the versions by {said}", alone))
    return found


def scored(problem: str, part: Part) -> dict[str, Score]:
    """The task's own scores of a part; metric names are words joined by underscores."""
    groups = [record.original for record in part.records]
    found = SCORES[problem](part.records, groups)
    told = f"; of {part.of}" if part.of else ""
    return {
        name.replace(" ", "_"): replace(score, definition=f"{score.definition}{told}") for name, score in found.items()
    }


def of_numbers(records: Sequence[Any], groups: Groups) -> dict[str, Score]:
    """Pearson's and Spearman's correlation and the squared error."""
    return number_scores([record.right for record in records], [record.said for record in records], groups)


def of_sets(records: Sequence[Any], groups: Groups) -> dict[str, Score]:
    """Micro F1 and exact match."""
    names = sorted({name for record in records for name in (*record.right, *record.said)})
    right, said = (indicators([getattr(record, side) for record in records], names) for side in ("right", "said"))
    return set_scores(right, said, names, groups)


def of_spans(records: Sequence[Any], groups: Groups) -> dict[str, Score]:
    """F1 and exact match as SQuAD has them."""
    return answer_scores([record.said for record in records], [record.right for record in records], groups)


SCORES: dict[str, Callable[[Sequence[Any], Groups], dict[str, Score]]] = {
    "number": of_numbers,
    "set": of_sets,
    "span": of_spans,
}
