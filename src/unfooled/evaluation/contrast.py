"""Contrast sets: texts a small change of which changes the label, asked together with the change.

Gardner et al. (EMNLP 2020 Findings) count groups (an original with all its revisions), CLINE (ACL 2021, Table 3)
counts pairs (an original with one of them). Both are here, under their own names; where every original has one
revision they are the same number.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from unfooled.errors import BadInput
from unfooled.evaluation.asking import CHUNK, Answer, Texts, asked
from unfooled.evaluation.metrics import Score, clustered, proportion


@dataclass(frozen=True)
class Member:
    """One text of a contrast set: its group, whether it is the group's original, and its label."""

    group: str
    original: bool
    texts: Texts
    label: int


@dataclass(frozen=True)
class ContrastRecord:
    """A member of a contrast set and what the model says of it; ``confidence`` is the probability of its label."""

    index: int
    group: str
    original: bool
    texts: Texts
    label: int
    prediction: int
    confidence: float

    @property
    def right(self) -> bool:
        """Whether the label was predicted."""
        return self.prediction == self.label


def check_members(members: Sequence[Member]) -> None:
    """Refuse groups without an original, or with two, and sets without revisions."""
    originals = [member.group for member in members if member.original]
    twice = next((group for place, group in enumerate(originals) if group in originals[:place]), None)
    if twice is not None:
        raise BadInput(f"group {twice} of the contrast set has two originals; give each group one")
    known = set(originals)
    lost = next((member.group for member in members if member.group not in known), None)
    if lost is not None:
        raise BadInput(f"group {lost} of the contrast set has no original; mark one of its texts as the original")
    if len(originals) == len(members):
        raise BadInput("the contrast set holds originals alone; give it their revisions too")


def contrast(
    answer: Answer, members: Sequence[Member], done: Collection[int] = (), chunk: int = CHUNK
) -> Iterator[ContrastRecord]:
    """What the model says of each member; those whose place is in ``done`` are left out."""
    check_members(members)
    for index, rows in asked(answer, [(member.texts,) for member in members], done, chunk):
        member, row = members[index], rows[0]
        said = int(row.argmax()), float(row[member.label])
        yield ContrastRecord(index, member.group, member.original, member.texts, member.label, *said)


def groups(records: Sequence[ContrastRecord]) -> dict[str, tuple[ContrastRecord, list[ContrastRecord]]]:
    """Each group's original and its revisions, in the order of the originals."""
    found: dict[str, tuple[ContrastRecord, list[ContrastRecord]]] = {
        record.group: (record, []) for record in records if record.original
    }
    for record in records:
        if not record.original:
            found[record.group][1].append(record)
    return found


def pairs(records: Sequence[ContrastRecord]) -> list[tuple[ContrastRecord, ContrastRecord]]:
    """Every revision beside its original."""
    return [(original, revision) for original, revisions in groups(records).values() for revision in revisions]


def ori(records: Sequence[ContrastRecord]) -> Score:
    """How often the model is right on originals."""
    own = [record.right for record in records if record.original]
    return proportion(sum(own), len(own), "share of originals whose predicted class is their label")


def rev(records: Sequence[ContrastRecord]) -> Score:
    """How often the model is right on revisions."""
    own = [record for record in records if not record.original]
    definition = "share of revisions whose predicted class is their label"
    return clustered([record.right for record in own], [record.group for record in own], definition)


def con_pair(records: Sequence[ContrastRecord]) -> Score:
    """How often the model is right on an original and on its revision."""
    own = pairs(records)
    definition = "share of pairs of an original and one of its revisions of which both are answered rightly"
    return clustered([one.right and other.right for one, other in own], [one.group for one, _ in own], definition)


def con_group(records: Sequence[ContrastRecord]) -> Score:
    """How often the model is right on an original and on all of its revisions."""
    own = [one.right and all(other.right for other in others) for one, others in groups(records).values()]
    return proportion(sum(own), len(own), "share of originals that are answered rightly with all of their revisions")


def unmoved(records: Sequence[ContrastRecord]) -> Score:
    """How often the model answers a revision as it rightly answered the original, though the label is another."""
    own = [(one, other) for one, other in pairs(records) if one.right and one.label != other.label]
    definition = (
        "share of revisions with another label than their original, which was answered rightly, "
        "that are answered with the original's label"
    )
    return clustered([other.prediction == one.label for one, other in own], [one.group for one, _ in own], definition)


CONTRAST_METRICS: dict[str, Callable[[Sequence[ContrastRecord]], Score]] = {
    "ori": ori,
    "rev": rev,
    "con_pair": con_pair,
    "con_group": con_group,
    "unmoved": unmoved,
}


def contrast_scores(records: Sequence[ContrastRecord]) -> dict[str, Score]:
    """Every number the records of a contrast set give."""
    return {name: metric(records) for name, metric in CONTRAST_METRICS.items()}
