"""Contrast sets: texts a small change of which changes the label, asked together with the change.

Gardner et al. (EMNLP 2020 Findings) count groups (an original with all its revisions), CLINE (ACL 2021, Table 3)
counts pairs (an original with one of them). Both are here, under their own names; where every original has one
revision they are the same number.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from unfooled.data.contrast_sets import Member, check_members
from unfooled.errors import BadInput, option
from unfooled.scores.intervals import clustered, proportion
from unfooled.scores.score import Score
from unfooled.trials.inputs import Inputs
from unfooled.trials.trial import Answers, Metric, OfUnits, Question, Trial, TrialRun, VerdictPart, over_all, rows_of
from unfooled.types import Texts
from unfooled.victims.asking import answering, asked, chunks


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


def units(inputs: Inputs, settings: Any, seed: int) -> Sequence[Member]:
    """The members of the contrast set."""
    if inputs.contrast is None:
        raise BadInput(
            f"the contrast trial needs a contrast set with pair or group ids; name one with {option('contrast')}"
        )
    check_members(inputs.contrast)
    return inputs.contrast


def run(trial: TrialRun, done: Collection[int]) -> Iterator[ContrastRecord]:
    """What the model says of each member."""
    for index, rows in asked(answering(trial.victim, trial.batch_size), questioned(trial), done):
        member, row = trial.units[index], rows[0]
        said = int(row.argmax()), float(row[member.label])
        yield ContrastRecord(index, member.group, member.original, member.texts, member.label, *said)


def questioned(trial: TrialRun) -> Sequence[tuple[Texts]]:
    """What the model is asked about each member."""
    return OfUnits(trial.units, lambda one: (one.texts,))


def groups(records: Sequence[ContrastRecord]) -> dict[str, tuple[ContrastRecord, list[ContrastRecord]]]:
    """Each group's original and its revisions, in the order of the originals."""
    by_group: dict[str, tuple[ContrastRecord, list[ContrastRecord]]] = {
        record.group: (record, []) for record in records if record.original
    }
    for record in records:
        if not record.original:
            by_group[record.group][1].append(record)
    return by_group


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


METRICS = {
    "ori": Metric(ori, "right on originals (Ori)"),
    "rev": Metric(rev, "right on revisions (Rev)"),
    "con_pair": Metric(con_pair, "right on both of a pair (Con)"),
    "con_group": Metric(con_group, "right on a whole group (Con)"),
    "unmoved": Metric(unmoved, "unmoved by another meaning", better="less"),
}
scores = partial(rows_of, METRICS)


def questions(records: Sequence[ContrastRecord]) -> dict[Question, Answers]:
    """Whether a revision was answered rightly, alone and together with its original."""
    revisions = {one.index: one.right for one in records if not one.original}
    both = {other.index: one.right and other.right for one, other in pairs(records)}
    return {
        Question("rev", title="right on revisions", tested=False): revisions,
        Question("con_pair", title="right on both of a pair"): both,
    }


def families(records: Sequence[ContrastRecord]) -> dict[int, str]:
    """The members of one group belong together."""
    return {one.index: one.group for one in records}


CONTRAST = Trial(
    ContrastRecord,
    units,
    run,
    scores,
    unit="text of a contrast set",
    source="contrast",
    together=lambda trial: list(chunks(questioned(trial))),
    good=lambda record: record.right,
    brief=("index", "group", "original", "label", "prediction", "right"),
    questions=questions,
    families=families,
    verdict=(VerdictPart("obstinacy", "contrast set", over_all(unmoved)),),
    says=(
        "asks about texts (originals) and about small changes of them that change the right answer (revisions); "
        "contrast consistency, Con, is how often both are answered rightly"
    ),
)
