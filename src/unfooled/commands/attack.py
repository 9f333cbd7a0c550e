"""What a person calls to attack: ``attack``, an evaluation of one trial, and ``attack_text`` for one text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from unfooled.attacks.attack import Attack
from unfooled.attacks.engine import Limits
from unfooled.attacks.goals import UNTARGETED, Goal, targeted
from unfooled.attacks.records import AttackRecord
from unfooled.attacks.run import rounded, run_attack
from unfooled.attacks.table import ATTACKS, name_of
from unfooled.commands.attack_parts import PARTS_FOR, parts_for
from unfooled.commands.evaluate import Asked, data_settings, gathered, language_notes, learnt_from
from unfooled.commands.label_names import opened_by
from unfooled.data.sources import DataSettings
from unfooled.data.splits import Split
from unfooled.errors import BadInput, option
from unfooled.progress import Display
from unfooled.results.folder import Finished, Results, log_path
from unfooled.results.log import Header
from unfooled.results.records import few_in_memory, open_log
from unfooled.results.run import evaluate as run_trials
from unfooled.results.run import folder_name
from unfooled.results.shard import Share, share_of
from unfooled.scores.score import Score
from unfooled.settings import nones, settings_from
from unfooled.tasks import TASKS
from unfooled.tasks.readable import not_english
from unfooled.trials.inputs import Given, Inputs, hash_units
from unfooled.trials.trial import Trial, remembering
from unfooled.trials.words.words import class_of, trial_of
from unfooled.types import Texts
from unfooled.victims import Victim
from unfooled.workers.choice import computing


@dataclass(frozen=True)
class Attacked:
    """A finished attack: its records in the order of the examples, and the numbers they give.

    Many records are read from the folder's log when they are asked for; few, and all without a folder, are in memory.
    """

    header: Header
    records: Sequence[AttackRecord]
    scores: Mapping[str, Score]
    warnings: tuple[str, ...]
    folder: Path | None


def attack(
    model: Any,
    data: Any,
    attack: str | Attack = "pwws",
    out: str | Path | None = None,
    *,
    settings: Mapping[str, Any] | None = None,
    limit: int | None = None,
    split: str | None = None,
    column: int | None = None,
    target: str | None = None,
    labels: Sequence[str] | Mapping[str, str] = (),
    limits: Mapping[str, Any] | None = None,
    similarity: str | None = "minilm",
    seed: int = 0,
    wait: bool = False,
    text: str | None = None,
    label: str | None = None,
    workers: int | None = None,
    ray: str | None = None,
    shard: str | None = None,
) -> Attacked:
    """Attack a model on labelled texts; with ``out`` leave a results folder behind that a second call goes on with.

    ``model`` is a folder, a name, a file, an object, an address, or a callable from texts to probabilities (then
    ``labels`` names its classes): docs/victims.md. ``labels`` may also say what the data calls a model's labels:
    ``{"LABEL_0": "bad", "LABEL_1": "good"}``. ``data`` is whatever ``train`` takes, and ``text`` and ``label`` name its
    columns. ``attack`` takes a name, with ``settings``, or settings such as ``unfooled.PWWS(pos="any")``.
    ``similarity`` names the sentence encoder that judges adversaries; None leaves that out, where the attack can.
    A model that says sets of labels is right where it says the whole set, and has no ``target``. ``wait`` waits for
    another process that attacks into the same folder. ``workers`` processes, or actors of the Ray cluster at the
    address ``ray`` ("local" is one of this machine), compute the records, which are those of one process; of a
    ``shard`` such as "2/8" there are records and no scores, until ``uf.merge`` joins them: docs/scale.md.
    """
    chosen = chosen_attack(attack, settings)
    budget = settings_from(Limits, nones(limits or {}), "limits.")
    name, trial = name_of(chosen), trial_of(type(chosen))
    how = {"column": column, "target": target, "similarity": similarity, "attack": chosen}
    told = settings_from(trial.settings, {**how, "queries": budget.queries, "seconds": budget.seconds}, "")
    [victim] = opened_by([model], labels)
    part = share_of(shard)
    check_attackable(victim, trial, out, part)
    with Display(name, 1) as display, computing(workers, ray, [victim], PARTS_FOR) as compute:
        given = data if isinstance(data, Split) else data_settings(data, text=text, label=label)
        inputs, notes = attacked_inputs(given, victim, split, limit, seed, labels)
        language = language_notes([victim], inputs, {name: told})
        for note in (*notes, *learnt_from([victim], inputs), *language, *left_out(inputs, target)):
            display.say(note)
        with TemporaryDirectory() as nowhere:
            results = run_trials(
                [victim], inputs, Path(nowhere if out is None else out), {name: told}, forms={name: trial},
                parts=remembering(parts_for), batch_size=budget.batch_size, in_flight=budget.in_flight, seed=seed,
                show=display.over, wait=wait, compute=compute, shard=part,
            )  # fmt: skip
            results = results if out is not None else in_memory(results)
    if out is not None and part is not None:
        return shard_of(Path(out), victim, name, results.warnings)
    # By the folder, not by the name: a log keeps the spelling of the path it was begun with.
    own = next(one for one in results.trials if (one.slug, one.trial) == (folder_name(victim.name), name))
    return attacked_of(own, results.warnings, None if out is None else Path(out))


def check_attackable(victim: Victim, trial: Trial, out: str | Path | None, part: Share | None) -> None:
    """Refuse a model of another task, one without a second label, and a shard that would be left nowhere."""
    if victim.task not in trial.tasks:
        able = " or ".join(TASKS[task].said for task in trial.tasks)
        raise BadInput(f"{victim.name} is {TASKS[victim.task].said}; attacks are for {able}")
    if len(victim.labels) == 1:
        raise BadInput(f"{victim.name} has 1 label; an attack needs a classifier of at least two")
    if part is not None and out is None:
        raise BadInput(f"a shard is nothing without its folder; give {option('out')}")


def shard_of(out: Path, victim: Victim, name: str, warnings: tuple[str, ...]) -> Attacked:
    """A shard of an attack: its records, which have no scores before they are joined with the others."""
    log = open_log(log_path(out, folder_name(victim.name), name))
    assert log is not None, "it was just finished"
    return Attacked(log[0], few_in_memory(log[1]), {}, warnings, out)


def in_memory(results: Results) -> Results:
    """Results that need their logs no more."""
    return replace(results, trials=tuple(replace(one, records=tuple(one.records)) for one in results.trials))


def attacked_of(own: Finished, warnings: Sequence[str], folder: Path | None) -> Attacked:
    """A finished trial as what an attack returns."""
    begins = f"{own.model}, {own.trial}: "
    said = tuple(warning.removeprefix(begins) for warning in warnings if warning.startswith(begins))
    return Attacked(own.header, few_in_memory(own.records), {row.metric: row.score for row in own.rows}, said, folder)


def attacked_inputs(
    data: DataSettings | Split, victim: Victim, split: str | None, limit: int | None, seed: int, labels: Any
) -> tuple[Inputs, list[str]]:
    """The examples to attack, read or given, and notes on them."""
    if not isinstance(data, Split):
        if not victim.labels:
            raise BadInput("a callable does not name its classes; give labels=(…) in the order of its columns")
        return gathered(Asked(data, split, limit, seed, labels=labels), victim, {})
    examples = data if limit is None else data.take(range(min(limit, len(data))))
    given = Inputs(examples.texts, examples.labels, {}, victim.labels, task=victim.task)
    if not given.texts:
        raise BadInput("there is no example to attack; give texts with labels, and with others than the target's")
    mark = hash_units(Inputs(data.texts, data.labels, {}).examples)
    return Inputs(given.texts, given.labels, {"data": Given("given", mark)}, victim.labels, task=victim.task), []


def left_out(inputs: Inputs, target: str | None) -> list[str]:
    """A note on examples that have the target's label already."""
    if target not in inputs.names:
        return []
    gone = sum(label == inputs.names.index(target) for label in inputs.labels)
    return [f"{gone} examples have the target's label and are left out"] if gone else []


def attack_text(
    model: Any,
    text: str | Texts,
    label: str | None = None,
    attack: str | Attack = "pwws",
    *,
    settings: Mapping[str, Any] | None = None,
    column: int | None = None,
    target: str | None = None,
    labels: Sequence[str] | Mapping[str, str] = (),
    limits: Mapping[str, Any] | None = None,
    similarity: str | None = "minilm",
    seed: int = 0,
) -> tuple[AttackRecord, tuple[str, ...]]:
    """Attack one text, by its label or else by what the model answers; the record and the names of the classes.

    One text says little of how far its model can be believed, so ``before`` and ``after`` are the model's own
    probabilities.
    """
    chosen = chosen_attack(attack, settings)
    [victim] = opened_by([model], labels)
    if victim.sets is not None:
        raise BadInput(
            f"{victim.name} says sets of labels; attack it on texts whose sets are known ({option('data')}), not on one"
        )
    whole = (text,) if isinstance(text, str) else tuple(text)
    able = victim.tried(whole)
    names = victim.labels or tuple(map(str, range(able.classes)))
    gold = predicted(able, whole) if label is None else class_of(label, names)
    budget = settings_from(Limits, nones(limits or {}), "limits.")
    goal: Goal = UNTARGETED if target is None else targeted(class_of(target, names))
    [record] = run_attack(
        chosen, able, [whole], [gold], goal=goal, column=column, parts=parts_for(chosen, similarity), limits=budget,
        seed=seed,
    )  # fmt: skip
    plain = told_plainly(record, able)
    doubts = [plain.note, *(not_english([whole]) if chosen.in_english else ())]
    return replace(plain, note="; ".join(doubt for doubt in doubts if doubt) or None), names


def predicted(able: Victim, text: Texts) -> int:
    """The class a model answers with; of logits the largest, however little larger it is."""
    row = able.answer([text])[0]
    return int(row.argmax()) if able.logits else able.yardstick.predicted(row)


def told_plainly(record: AttackRecord, able: Victim) -> AttackRecord:
    """The record with the model's own probabilities, not those of the temperature that the attack used."""
    if not able.logits or not record.before:
        return record
    before = able.answer([record.texts])[0]
    after = None if record.adversary is None else able.answer([record.adversary])[0]
    return replace(record, before=rounded(before), after=rounded(after))


def chosen_attack(attack: str | Attack, settings: Mapping[str, Any] | None) -> Attack:
    """The attack, from its name and settings, or as it is given."""
    if not isinstance(attack, Attack):
        return settings_from(ATTACKS.find(attack), nones(settings or {}), "attack.")
    if settings:
        raise BadInput(f"{type(attack).__name__}(…) has its settings already; leave settings out, or name the attack")
    return attack
