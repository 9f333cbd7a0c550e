"""Every combination of an attack's substitutes, on texts that the attack itself did not fool.

An attack in words is greedy: what it does not find may be there all the same. Where a text can be written in few
enough ways all of them are asked about, the fewest changed words first, up to the first that fools. What is between
the two accuracies is what the greedy attack overlooked; a model trained against one search only shows a wide gap.

The first ``most`` small enough texts are drawn by the seed before any model is asked, and those of them that the greedy
attack did not fool are searched: so all models answer the same texts, and both accuracies are of all of these.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from pydantic import Field, JsonValue

from unfooled.attacks.attack import Attack, Parts
from unfooled.attacks.every_combination import EveryCombination
from unfooled.attacks.records import SAFE, AttackRecord
from unfooled.attacks.table import ATTACKS
from unfooled.errors import BadInput
from unfooled.scores.intervals import proportion
from unfooled.scores.score import Score
from unfooled.seeds import digest
from unfooled.settings import Settings
from unfooled.substitution.substitutes import Substitutes
from unfooled.text.document import Document, read
from unfooled.trials.columns import kind_of
from unfooled.trials.inputs import Example, Inputs
from unfooled.trials.places import Places
from unfooled.trials.trial import Answers, AskedAgain, Metric, Question, Trial, TrialRun, rows_of
from unfooled.trials.words.attack_numbers import saturation
from unfooled.trials.words.words import calibrate
from unfooled.trials.words.words_again import asked_again
from unfooled.victims.victim import Victim

NOT_FOOLED = ("held", "budget")  # outcomes after which the greedy attack has not said its last word
TOO_MANY, NONE, ENOUGH = "too many combinations", "no word that could be replaced", "enough texts without it"


class ExhaustiveSettings(Settings):
    """Whose substitutes (the name of an attack), how many ways of writing a text at most, how many texts, which column.

    The product of (substitutes + 1) over the words of a text is the number of its ways.
    """

    greedy: str = "pwws"
    combinations: int = Field(default=5000, ge=2)
    most: int = Field(default=50, ge=1)
    column: int | None = Field(default=None, ge=0, le=1)


@dataclass(frozen=True)
class Choice:
    """A word by its place among all words of its text, and what may stand for it."""

    place: int
    words: tuple[str, ...]


@dataclass(frozen=True)
class ExhaustiveRecord:
    """An example: its substitutes, how the greedy attack ended, and the search, where that attack did not fool.

    ``left_out`` says why neither was run.
    """

    index: int
    column: int
    left_out: str = ""
    choices: tuple[Choice, ...] = ()
    greedy: AttackRecord | None = None
    search: AttackRecord | None = None

    @property
    def last(self) -> AttackRecord | None:
        """What became of the example in the end."""
        return self.search or self.greedy


def units(inputs: Inputs, settings: ExhaustiveSettings, seed: int) -> list[Example]:
    """All examples; refuses an attack that does not choose from lists."""
    attack = ATTACKS.find(settings.greedy)()
    if attack.choices(Parts()) is None:
        able = ", ".join(name for name in ATTACKS if ATTACKS[name]().choices(Parts()) is not None)
        raise BadInput(f"{settings.greedy} has no lists that all combinations could be tried of; {able} have")
    return inputs.examples


def run(trial: TrialRun, done: Collection[int]) -> Iterator[ExhaustiveRecord]:
    """What is left out, then the greedy attack on the others, then the search where it did not fool."""
    attack = ATTACKS.find(trial.settings.greedy)()
    parts = trial.parts(attack, None)
    substitutes = attack.choices(parts)
    assert substitutes is not None  # else ``units`` has refused
    chosen = considered(trial, substitutes)
    yield from (one for index, one in chosen.items() if one.left_out and index not in done)
    held: dict[int, AttackRecord] = {}
    wanted = {index for index, one in chosen.items() if not one.left_out and index not in done}
    for record in attacked(trial, attack, parts, wanted):
        if record.outcome in NOT_FOOLED:
            held[record.index] = record
        else:
            yield ended(chosen[record.index], record)
    for record in attacked(trial, EveryCombination(), Parts(substitutes), held):
        yield ended(chosen[record.index], held[record.index], record)


def ended(one: ExhaustiveRecord, greedy: AttackRecord, search: AttackRecord | None = None) -> ExhaustiveRecord:
    """The record of an example that was tried."""
    return ExhaustiveRecord(one.index, one.column, "", one.choices, greedy, search)


def attacked(trial: TrialRun, attack: Attack, parts: Parts, wanted: Collection[int]) -> Iterator[AttackRecord]:
    """The records of an attack on some of the examples."""
    from unfooled.attacks.engine import Limits
    from unfooled.attacks.run import run_attack

    if not wanted:
        return
    limits = Limits(queries=None, batch_size=trial.batch_size, in_flight=trial.in_flight)
    others = Places(len(trial.units), wanted).others()
    yield from run_attack(
        attack, trial.victim, trial.texts, trial.labels, column=trial.settings.column, parts=parts, limits=limits,
        seed=trial.seed, done=others, temperature=trial.temperature,
    )  # fmt: skip


def considered(trial: TrialRun, substitutes: Substitutes) -> dict[int, ExhaustiveRecord]:
    """Every example with its substitutes or with why it is left out; no model is asked, so it is so for all."""
    from unfooled.attacks.run import attacked_column, document_of

    texts, settings = trial.texts, trial.settings
    column = attacked_column(texts, settings.column, trial.victim.sets is not None)
    found: dict[int, ExhaustiveRecord] = {}
    taken = 0
    for index in sorted(range(len(texts)), key=lambda row: digest(trial.seed, "some", row)):
        if taken == settings.most:
            found[index] = ExhaustiveRecord(index, column, ENOUGH)
            continue
        document = document_of(texts[index], column, trial.victim)
        choices = choices_of(document, substitutes(document))
        reason = NONE if not choices else TOO_MANY if more_than(settings.combinations, choices) else ""
        found[index] = ExhaustiveRecord(index, column, reason, () if reason else choices)
        taken += not reason
    return found


def choices_of(document: Document, lists: Sequence[tuple[str, ...]]) -> tuple[Choice, ...]:
    """The words that may be replaced, by their places among all words of the text."""
    places = {span: place for place, span in enumerate(read(document.text).spans)}
    return tuple(Choice(places[span], words) for span, words in zip(document.spans, lists, strict=True) if words)


def more_than(most: int, choices: Sequence[Choice]) -> bool:
    """Whether a text can be written in more ways than so many.

    >>> more_than(5, [Choice(0, ("a",)), Choice(3, ("b", "c"))]), more_than(6, [Choice(0, ("a",) * 5)])
    (True, False)
    """
    ways = 1
    for choice in choices:
        ways *= len(choice.words) + 1
        if ways > most:
            return True
    return False


def tried(records: Sequence[ExhaustiveRecord]) -> list[tuple[ExhaustiveRecord, AttackRecord, AttackRecord]]:
    """The examples that were tried without an error, with how the greedy attack ended and what came in the end."""
    known = [(one, one.greedy, one.last) for one in records]
    return [
        (one, greedy, last)
        for one, greedy, last in known
        if greedy is not None and last is not None and "error" not in (greedy.outcome, last.outcome)
    ]


def accuracy_under_greedy(records: Sequence[ExhaustiveRecord]) -> Score:
    """How often the model is right and the greedy attack does not fool it."""
    own = tried(records)
    safe = sum(greedy.outcome in (*SAFE, *NOT_FOOLED) for _, greedy, _ in own)
    return proportion(safe, len(own), "share of the texts tried that are answered rightly and not fooled greedily")


def accuracy_under_exhaustive(records: Sequence[ExhaustiveRecord]) -> Score:
    """How often the model is right and no combination fools it."""
    own = tried(records)
    safe = sum(last.outcome in SAFE for _, _, last in own)
    return proportion(safe, len(own), "share of the texts tried that are answered rightly whatever the combination")


def flipped(records: Sequence[ExhaustiveRecord]) -> Score:
    """How often the greedy attack overlooked what fools."""
    own = [one.search for one, _, _ in tried(records) if one.search is not None]
    found = sum(search.outcome == "fooled" for search in own)
    return proportion(found, len(own), "share of the texts tried and not fooled greedily that some combination fools")


def share_tried(records: Sequence[ExhaustiveRecord]) -> Score:
    """How many examples could be tried."""
    return proportion(len(tried(records)), len(records), "share of all examples that were small enough, and tried")


METRICS = {
    "accuracy_under_greedy": Metric(accuracy_under_greedy, "accuracy under the greedy attack"),
    "accuracy_under_exhaustive": Metric(accuracy_under_exhaustive, "accuracy under every combination"),
    "flipped": Metric(flipped, "fooled by a combination that was overlooked", better="less"),
    "share_tried": Metric(share_tried, "small enough, and tried", better="", detail=True),
}


def questions(records: Sequence[ExhaustiveRecord]) -> dict[Question, Answers]:
    """Whether each text tried is answered rightly whatever the combination."""
    answers = {one.index: last.outcome in SAFE for one, _, last in tried(records)}
    title = METRICS["accuracy_under_exhaustive"].title
    return {Question("accuracy_under_exhaustive", title=title): answers} if answers else {}


def left_out(records: Sequence[ExhaustiveRecord]) -> dict[str, int]:
    """How many examples were not tried, by why."""
    reasons = [one.left_out for one in records if one.left_out]
    return {reason: reasons.count(reason) for reason in (TOO_MANY, NONE, ENOUGH) if reason in reasons}


def warnings(records: Sequence[ExhaustiveRecord]) -> list[str]:
    """How many texts the numbers are of, and what kept the others out."""
    failed = [one for one in records if one.last is not None and one.last.outcome == "error"]
    said = [f"{len(failed)} of {len(records)} examples ended in an error"] if failed else []
    gone = left_out(records)
    if gone:
        why = ", ".join(f"{count} for {reason}" for reason, count in gone.items())
        said.append(f"{len(tried(records))} of {len(records)} examples were tried; left out were {why}")
    return said


def contradictions(records: Sequence[ExhaustiveRecord], others: Sequence[Any], places: np.ndarray | None) -> list[str]:
    """Examples that another attack fooled by a combination of these very substitutes, though none is said to fool."""
    held = {last.texts: one for one, _, last in tried(records) if last.outcome in SAFE}
    return [
        f"example {one.index} is said to hold whatever the combination, but {' | '.join(other.adversary)!r} fools it"
        for other in (others if held and kind_of(others) is AttackRecord else ())
        if other.outcome == "fooled" and other.adversary is not None
        if (one := held.get(other.texts)) is not None and within(other, one)
    ]


def within(other: AttackRecord, one: ExhaustiveRecord) -> bool:
    """Whether an adversary is one of the combinations of an example's substitutes."""
    assert other.adversary is not None
    pairs = enumerate(zip(other.texts, other.adversary, strict=True))
    known = {choice.place: choice.words for choice in one.choices}
    changed = [column for column, (old, new) in pairs if old != new]
    return changed == [one.column] and all(change.new in known.get(change.place, ()) for change in other.changes)


def facts(records: Sequence[ExhaustiveRecord], labels: Sequence[str]) -> dict[str, JsonValue]:
    """How many texts were tried, searched through and found to be fooled by what was overlooked."""
    searched = [one.search for one, _, _ in tried(records) if one.search is not None]
    found = sum(search.outcome == "fooled" for search in searched)
    counts: dict[str, JsonValue] = {"tried": len(tried(records)), "searched": len(searched), "flipped": found}
    return {"texts": {**counts, "left_out": {**left_out(records)}}}


def claims_again(records: Sequence[ExhaustiveRecord], settings: Mapping[str, Any], victim: Victim) -> AskedAgain:
    """The adversaries of the attack and of the search, asked again."""
    return asked_again([one.last for one in records if one.last is not None], settings, victim)


def uncalibrated(records: Sequence[ExhaustiveRecord]) -> list[str]:
    """What is doubtful of records of a model that gave probabilities only."""
    return saturation([one.greedy for one in records if one.greedy is not None])


EXHAUSTIVE = Trial(
    ExhaustiveRecord,
    units,
    run,
    partial(rows_of, METRICS),
    ExhaustiveSettings,
    tasks=("classification", "multilabel"),
    warnings=warnings,
    calibrate=calibrate,
    uncalibrated=uncalibrated,
    questions=questions,
    contradictions=contradictions,
    among_all=True,  # which texts are tried is settled by those before them
    again=claims_again,
    facts=facts,
    says="tries every combination of an attack's substitutes on small texts that the attack itself did not fool",
)
