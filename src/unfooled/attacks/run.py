"""Attack examples and make one record of each; no files."""

from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from unfooled.attacks.attack import Attack, Parts
from unfooled.attacks.attempt import Ask, Attempt, Compare, Question, Search, SearchEnd
from unfooled.attacks.engine import Effort, Flight, Landing, Limits, SearchEngine, said
from unfooled.attacks.goals import UNTARGETED, Goal
from unfooled.attacks.records import AttackRecord, Change, Outcome, Sets
from unfooled.attacks.table import ATTACKS
from unfooled.errors import BadInput
from unfooled.text.document import Document, changed, read
from unfooled.text.protected import around, mentions, speakers, words_in
from unfooled.types import Texts
from unfooled.victims import Victim, open_victim
from unfooled.victims.calibration import temperature_of
from unfooled.victims.label_sets import RIGHT, LabelSets

Judge = Callable[[np.ndarray], np.ndarray]
LIMITS = Limits()
PARTS = Parts()


def run_attack(
    attack: Attack,
    victim: Any,
    texts: Sequence[str | Texts],
    labels: Sequence[int] | Sequence[tuple[int, ...]],
    *,
    goal: Goal = UNTARGETED,
    column: int | None = None,
    parts: Parts = PARTS,
    limits: Limits = LIMITS,
    seed: int = 0,
    done: Collection[int] = (),
    work: Effort | None = None,
    temperature: float | None = None,
    places: Sequence[int] | None = None,
    sample: Texts | None = None,
) -> Iterator[AttackRecord]:
    """A record of each example as its attack ends; those whose place is in ``done`` are left out.

    ``victim`` is a callable from a list of texts (strings; tuples of two for pairs) to probabilities [n, classes],
    or to logits, which it says by ``logits = True``. Logits are divided by ``temperature``, fitted to all
    texts unless it is given, to the done ones too: an attack that goes on must be given the one it began with.
    ``column`` says which text of a pair is attacked: the last, unless told. ``work`` is kept up to date with what the
    run takes. A victim with ``sets`` says any number of labels: its ``labels`` are tuples of numbers, the first text is
    attacked unless told, and the words of the other text and speakers' names stay as they are. Where the texts are a
    part of others, ``places`` say which, for what is drawn, and ``sample`` is a text that the victim answers.

    >>> from unfooled.attacks.random_words import RandomWords
    >>> def victim(texts):
    ...     return [[0.1, 0.9] if "good" in text else [0.9, 0.1] for text in texts]
    >>> known = Parts(lambda document: [("fine",) if word == "good" else () for word in document.words])
    >>> [record] = run_attack(RandomWords(), victim, ["A good film."], [1], parts=known)
    >>> record.outcome, record.adversary, record.asked
    ('fooled', ('A fine film.',), 2)
    """
    whole = [(text,) if isinstance(text, str) else tuple(text) for text in texts]
    check_pairs(whole, labels)
    if not whole:
        return
    opened, known = open_victim(victim), whole[0] if sample is None else sample
    attacked = attacked_column(whole, column, opened.sets is not None)
    able = opened.tried(known)
    check_victim(attack, able)
    check_labels(labels, able, goal)
    able = able.calibrated(temperature or temperature_of(able, whole, labels, limits.batch_size))
    search, keys = attack.search(parts), range(len(whole)) if places is None else places
    flights = (
        Flight(index, text, attacked, steps(text, attacked, label, search, able, goal, parts, (seed, key)), judge)
        for index, (key, text, (label, judge)) in enumerate(zip(keys, whole, judged(labels, able), strict=True))
        if index not in done
    )
    engine = SearchEngine(able, limits, parts.similarity, known, work or Effort())
    for landing in engine.run(flights):
        engine.work.examples += 1
        yield record_of(landing, labels[landing.flight.key], able)


def check_pairs(texts: Sequence[Texts], labels: Sequence[Any]) -> None:
    """Refuse texts that have not one label each."""
    if len(texts) != len(labels):
        raise BadInput(f"{len(texts)} texts have {len(labels)} labels; give one label for each text")


def judged(labels: Sequence[Any], victim: Victim) -> Iterator[tuple[int, Judge]]:
    """The class that each example should be answered with, and how answers to it become probabilities of classes."""
    for label in labels:
        if victim.sets is None:
            yield int(label), lambda rows: rows
        else:
            yield RIGHT, partial(victim.sets.judged, gold=label)


def attacked_column(texts: Sequence[Texts], column: int | None, sets: bool = False) -> int:
    """Which text of each example is attacked, unless told: the last, but the first where it has a set of labels."""
    width = len(texts[0])
    odd = next((place for place, text in enumerate(texts) if len(text) != width or not 1 <= width <= 2), None)
    if odd is not None:
        raise BadInput(f"example {odd} is no text or pair like the first; give strings, or tuples of two strings")
    if column is not None and not 0 <= column < width:
        raise BadInput(f"column {column} cannot be attacked: the examples have {width} text column(s), counted from 0")
    usual = 0 if sets else width - 1
    return usual if column is None else column


def check_victim(attack: Attack, victim: Victim) -> None:
    """Refuse a victim that an attack cannot look into, or that does not say what the attack goes by."""
    reason = unsuited(type(attack), victim)
    if reason is not None:
        raise BadInput(reason)


def unsuited(attack: type[Attack], victim: Victim) -> str | None:
    """Why an attack can do nothing with a victim, if it cannot."""
    if attack.looks_inside and victim.slopes is None:
        return f"{victim.name} is no network of classes whose gradient can be asked; choose another attack"
    if attack.needs_scores and victim.labels_only:
        others = ", ".join(name for name, kind in ATTACKS.items() if not kind.needs_scores)
        return f"{victim.name} says labels and not how sure it is, which this attack goes by; choose one of {others}"
    return None


def check_labels(labels: Sequence[Any], victim: Victim, goal: Goal) -> None:
    """Refuse labels that the victim cannot answer, and a target that is already there."""
    if victim.sets is not None:
        check_sets(labels, victim.classes, goal)
        return
    wrong = next((place for place, label in enumerate(labels) if not 0 <= label < victim.classes), None)
    if wrong is not None:
        raise BadInput(f"example {wrong} has label {labels[wrong]}, but the victim knows {victim.classes} classes")
    if goal.target is not None and not 0 <= goal.target < victim.classes:
        raise BadInput(f"the target is class {goal.target}, but the victim knows {victim.classes} classes")
    same = next((place for place, label in enumerate(labels) if label == goal.target), None)
    if same is not None:
        raise BadInput(f"example {same} has the label that is the target; leave such examples out")


def check_sets(labels: Sequence[Any], classes: int, goal: Goal) -> None:
    """Refuse what is no set of the victim's labels, and a target, which a set has not."""
    if goal.target is not None:
        raise BadInput("a set of labels can only be fooled into another set; leave the target out")
    for place, label in enumerate(labels):
        if not isinstance(label, tuple) or not all(0 <= number < classes for number in label):
            raise BadInput(
                f"example {place} has {label}, which is no set of the numbers of the victim's {classes} labels"
            )


def document_of(texts: Texts, column: int, victim: Victim) -> Document:
    """The text under attack with the words that may be replaced."""
    text = texts[column]
    if victim.sets is None:
        return read(text)
    others = (*texts[:column], *texts[column + 1 :])
    return around(text, [*mentions(text, words_in(*others)), *speakers(text)])


def steps(
    texts: Texts,
    column: int,
    label: int,
    search: Search,
    victim: Victim,
    goal: Goal,
    parts: Parts,
    key: tuple[int, int],
) -> Generator[Question, np.ndarray, SearchEnd | None]:
    """The attack of one example: nothing where the victim is already wrong."""
    text, document, yardstick = texts[column], document_of(texts, column, victim), victim.yardstick
    clean = (yield Ask([text]))[0]
    if yardstick.predicted(clean) != label:
        return None
    ending = yield from search(Attempt(document, label, clean, goal, yardstick, victim.unknown, key))
    if not ending.fooled or parts.similarity is None:
        return ending
    try:
        cosine = (yield Compare(text, [str(ending.document)]))[0]
    except Exception as error:  # the victim is fooled whether or not anybody can say by how like a text
        return replace(ending, note=f"no similarity ({said(error)})")
    return replace(ending, similarity=float(cosine))


def record_of(landing: Landing, label: Any, victim: Victim) -> AttackRecord:
    """What a landing means."""
    flight, ending = landing.flight, landing.result
    text = flight.texts[flight.column]
    fooled = isinstance(ending, SearchEnd) and ending.fooled
    answers = flight.known.get(text), flight.known[str(ending.document)] if fooled else None
    before, after = (None if row is None else flight.judge(row[None])[0] for row in answers)
    return AttackRecord(
        index=flight.key,
        label=int(label) if victim.sets is None else RIGHT,
        texts=flight.texts,
        outcome=outcome_of(landing),
        prediction=None if before is None else victim.yardstick.predicted(before),
        before=rounded(before),
        adversary=flight.whole(str(ending.document)) if fooled else None,
        fooled_into=None if after is None else victim.yardstick.predicted(after),
        after=rounded(after),
        changes=changes_of(document_of(flight.texts, flight.column, victim), ending) if fooled else (),
        words=len(read(text)),
        candidates=ending.candidates if isinstance(ending, SearchEnd) else None,
        asked=flight.asked,
        from_cache=flight.from_cache,
        similarity=None if not fooled or ending.similarity is None else round(ending.similarity, 6),
        error=landing.error,
        note=ending.note if fooled else None,
        sets=None if victim.sets is None else sets_of(victim.sets, label, *answers),
    )


def sets_of(known: LabelSets, label: tuple[int, ...], before: np.ndarray | None, after: np.ndarray | None) -> Sets:
    """What is right and what is said, by name."""
    said = (None if row is None else known.named(known.said(row)) for row in (before, after))
    return Sets(known.named(label), *said)


def outcome_of(landing: Landing) -> Outcome:
    """The name of how an attack ended."""
    if landing.ending != "returned":
        return landing.ending
    if landing.result is None:
        return "already wrong"
    if landing.result.fooled:
        return "fooled"
    return "held" if landing.result.candidates else "no candidates"


def changes_of(before: Document, ending: SearchEnd) -> tuple[Change, ...]:
    """The words that differ, by their places among all words of the text."""
    place_at = {span: place for place, span in enumerate(read(before.text).spans)}
    return tuple(
        Change(place_at[before.spans[own]], before.words[own], ending.document.words[own])
        for own in changed(before, ending.document)
    )


def rounded(row: np.ndarray | None) -> tuple[float, ...]:
    """Probabilities as a log holds them."""
    return () if row is None else tuple(round(float(value), 6) for value in row)
