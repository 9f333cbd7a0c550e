"""What a person calls to attack: ``attack`` for labelled data, ``attack_text`` for one text."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unfooled.attacks.attack import Attack, Parts
from unfooled.attacks.engine import Limits, Work
from unfooled.attacks.goals import UNTARGETED, Goal, targeted
from unfooled.attacks.label_sets import ANSWERS
from unfooled.attacks.records import AttackRecord
from unfooled.attacks.run import attacked_column, run_attack
from unfooled.attacks.table import attack_named, name_of
from unfooled.attacks.victim import Victim, checked
from unfooled.commands.attack_parts import parts_for
from unfooled.commands.sessions import session
from unfooled.commands.victims import Opened, open_victim
from unfooled.data.datasets import DataSettings, load_split
from unfooled.data.one_split import load_one_split
from unfooled.data.splits import Split
from unfooled.errors import BadInput, nearest
from unfooled.evaluation.attack_log import LOG, AttackHeader, resume
from unfooled.evaluation.attack_summary import attack_scores, attack_warnings, write_attack_summary
from unfooled.evaluation.log import append
from unfooled.evaluation.metrics import Score
from unfooled.evaluation.suite import hash_examples
from unfooled.files import owned, synchronise
from unfooled.models import TextModel
from unfooled.progress import Display
from unfooled.settings import nones, settings_from
from unfooled.types import Texts

Model = str | Path | TextModel | Callable[..., Any]


@dataclass(frozen=True)
class Attacked:
    """A finished attack: its records in the order of the examples, and the numbers they give."""

    header: AttackHeader
    records: tuple[AttackRecord, ...]
    scores: Mapping[str, Score]
    warnings: tuple[str, ...]
    folder: Path | None


def attack(
    model: Model,
    data: str | Mapping[str, Any] | Split,
    attack: str | Attack = "pwws",
    out: str | Path | None = None,
    *,
    settings: Mapping[str, Any] | None = None,
    limit: int | None = None,
    split: str | None = None,
    column: int | None = None,
    target: str | None = None,
    labels: Sequence[str] = (),
    limits: Mapping[str, Any] | None = None,
    similarity: str | None = "minilm",
    seed: int = 0,
) -> Attacked:
    """Attack a model on labelled texts; with ``out`` leave a folder behind that a second call goes on with.

    ``model`` is a folder, a name, an ONNX file, or a callable from texts to probabilities (then ``labels`` names its
    classes). ``attack`` takes a name, with ``settings``, or settings such as ``unfooled.PWWS(pos="any")``.
    ``similarity`` names the sentence encoder that judges adversaries; None leaves that out, where the attack can.
    A model that says sets of labels is right where it says the whole set, and has no ``target``.
    """
    chosen = chosen_attack(attack, settings)
    budget = settings_from(Limits, nones(limits or {}), "limits.")
    victim = open_victim(model, labels)
    goal = goal_of(target, victim.labels, victim.sets is not None)
    examples, source = examples_of(data, victim, split, limit, seed, goal)
    number = attacked_column(examples.texts, column, victim.sets is not None)
    able = checked(victim.call, examples.texts[0])
    check_names(victim, able)
    parts = parts_for(chosen, similarity)
    header = describe(chosen, target, number, budget, parts, victim, examples, source, seed)
    work = Work()

    def found(done: Collection[int]) -> Iterator[AttackRecord]:
        return run_attack(
            chosen, able, examples.texts, examples.labels,
            goal=goal, column=number, parts=parts, limits=budget, seed=seed, done=done, work=work,
        )  # fmt: skip

    folder = None if out is None else Path(out)
    records = shown(found(()), [], header) if folder is None else logged(folder, header, found, work)
    records.sort(key=lambda record: record.index)
    warnings = (*attack_warnings(records), *remarks(records, work))
    return Attacked(header, tuple(records), attack_scores(records), warnings, folder)


def logged(
    folder: Path, header: AttackHeader, found: Callable[[Collection[int]], Iterator[AttackRecord]], work: Work
) -> list[AttackRecord]:
    """The records of an attack that leaves a folder behind, those of earlier sessions first."""
    path = folder / LOG
    with owned(folder):
        records = resume(path, header)
        try:
            with session(folder, work):
                before = {record.index for record in records}
                records += shown(append(path, found(before)), records, header)
        finally:
            synchronise(path)
        write_attack_summary(folder, header, sorted(records, key=lambda record: record.index))
        synchronise(folder)
    return records


def remarks(records: Sequence[AttackRecord], work: Work) -> list[str]:
    """What a person should know of how the numbers came about, though it makes none of them wrong."""
    notes = [record.note for record in records if record.note]
    found = [f"notes: {len(notes)} of {len(records)} records lack something ({notes[0]})"] if notes else []
    if work.halved:
        found.append(f"batches: the victim failed on {work.halved}, which were asked again in halves ({work.reason})")
    return found


def attack_text(
    model: Model,
    text: str | Texts,
    label: str | None = None,
    attack: str | Attack = "pwws",
    *,
    settings: Mapping[str, Any] | None = None,
    column: int | None = None,
    target: str | None = None,
    labels: Sequence[str] = (),
    limits: Mapping[str, Any] | None = None,
    similarity: str | None = "minilm",
    seed: int = 0,
) -> tuple[AttackRecord, tuple[str, ...]]:
    """Attack one text, by its label or else by what the model answers; the record and the names of the classes."""
    chosen = chosen_attack(attack, settings)
    victim = open_victim(model, labels)
    if victim.sets is not None:
        raise BadInput(
            f"{victim.name} says sets of labels; attack it on texts whose sets are known (--data), not on one"
        )
    whole = (text,) if isinstance(text, str) else tuple(text)
    able = checked(victim.call, whole)
    check_names(victim, able)
    names = victim.labels or tuple(map(str, range(able.classes)))
    if label is None:
        gold = able.yardstick.predicted(able.answer([whole])[0])
    else:
        gold = class_of(label, names)
    budget = settings_from(Limits, nones(limits or {}), "limits.")
    goal, parts = goal_of(target, names), parts_for(chosen, similarity)
    [record] = run_attack(
        chosen, able, [whole], [gold], goal=goal, column=column, parts=parts, limits=budget, seed=seed
    )
    return record, names


def chosen_attack(attack: str | Attack, settings: Mapping[str, Any] | None) -> Attack:
    """The attack, from its name and settings, or as it is given."""
    if not isinstance(attack, Attack):
        return settings_from(attack_named(attack), nones(settings or {}), "attack.")
    if settings:
        raise BadInput(f"{type(attack).__name__}(…) has its settings already; leave settings out, or name the attack")
    return attack


def check_names(victim: Opened, able: Victim) -> None:
    """Refuse names that are not those of the victim's classes, one for one."""
    if victim.labels and len(set(victim.labels)) != able.classes:
        raise BadInput(
            f"{victim.name} answers with {able.classes} classes but has {len(set(victim.labels))} names for them "
            f"({', '.join(victim.labels)}); give labels=(…) in the order of its columns"
        )


def goal_of(target: str | None, labels: Sequence[str], sets: bool = False) -> Goal:
    """The goal: any other answer, or the named one, which a model that says sets has not."""
    if sets and target is not None:
        raise BadInput("a model that says sets of labels is fooled into any other set; leave the target out")
    return UNTARGETED if target is None else targeted(class_of(target, labels))


def class_of(label: str, labels: Sequence[str]) -> int:
    """The number of a class, by its name."""
    if not labels:
        raise BadInput(
            f"a callable does not name its classes, so none is called {label}; give labels=(…) in their order"
        )
    if label not in labels:
        raise BadInput(f"the model knows no label called {label}; {nearest(label, labels)}")
    return list(labels).index(label)


@dataclass(frozen=True)
class Source:
    """The data by name and hash."""

    name: str
    hash: str


def examples_of(
    data: str | Mapping[str, Any] | Split, victim: Opened, split: str | None, limit: int | None, seed: int, goal: Goal
) -> tuple[Split, Source]:
    """The examples to attack, and what a log calls them; those that have the target's label are left out."""
    display = Display("", 0)
    if isinstance(data, Split):
        examples, source = data, Source("given", hash_examples(data.texts, data.labels))
        if limit is not None:
            examples = examples.take(range(min(limit, len(examples))))
    else:
        if not victim.labels:
            raise BadInput("a callable does not name its classes; give labels=(…) in the order of its columns")
        asked = settings_from(DataSettings, {"source": data} if isinstance(data, str) else data, "data.")
        if victim.sets is None:
            examples, fingerprint, notes = load_split(asked, victim.labels, split, limit, seed)
        else:
            examples, fingerprint, notes = load_one_split(asked, "set", victim.labels, split, limit, seed)
        source = Source(asked.source, fingerprint)
        for note in notes:
            display.say(note)
        if victim.trained_on == fingerprint:
            display.say(f"warning: these are the texts {victim.name} learnt from; give others to measure what it knows")
    rows = [row for row, label in enumerate(examples.labels) if label != goal.target]
    if len(rows) < len(examples):
        display.say(f"{len(examples) - len(rows)} examples have the target's label and are left out")
    if not rows:
        raise BadInput("there is no example to attack; give texts with labels, and with others than the target's")
    return examples.take(rows), source


def describe(
    attack: Attack,
    target: str | None,
    column: int,
    limits: Limits,
    parts: Parts,
    victim: Opened,
    examples: Split,
    source: Source,
    seed: int,
) -> AttackHeader:
    """What the log of this attack says of itself."""
    plain = limits.model_dump(mode="json")
    return AttackHeader(
        attack=name_of(attack),
        settings=attack.model_dump(mode="json"),
        target=target,
        column=column,
        budget={name: plain[name] for name in ("queries", "seconds")},
        parts=dict(parts.notes),
        model=victim.name,
        model_hash=victim.hash,
        labels=victim.labels if victim.sets is None else ANSWERS,
        set_labels=() if victim.sets is None else victim.sets.names,
        max_length=victim.max_length,
        data=source.name,
        data_hash=source.hash,
        examples=len(examples),
        examples_hash=hash_examples(examples.texts, examples.labels),
        seed=seed,
        batches={name: plain[name] for name in ("in_flight", "batch_size")},
    )


def shown(found: Iterable[AttackRecord], before: Sequence[AttackRecord], header: AttackHeader) -> list[AttackRecord]:
    """The records, with a bar that says how many examples are left and how many the victim still gets right."""
    records: list[AttackRecord] = []
    safe = sum(record.outcome in ("held", "no candidates") for record in before)
    with Display(header.attack, header.examples, len(before)) as display:
        for record in found:
            records.append(record)
            safe += record.outcome in ("held", "no candidates")
            done = len(before) + len(records)
            display.at(done, f"accuracy under attack {safe / done:.3f}")
    return records
