"""What the Hugging Face hub reads at the head of a model card: base, data, licence, and every number (``model-index``).

It is written by the hub's own classes, so what stands there is what they read. Only what is known is said: a folder on
this machine is no base model of the hub, a file no data set of it, and a licence is what a person says it is.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unfooled.hub import parted

PINNED = re.compile(r"([\w.-]+/)?[\w.-]+@[0-9a-f]{40}", re.ASCII)  # what was taken from the hub, with its revision
ON_THE_HUB = {"minilm": "sentence-transformers/all-MiniLM-L6-v2"}  # what comes along, as the hub calls it
TABLE = re.compile(r"\.(csv|tsv|jsonl?|parquet|txt|xlsx|gz)$", re.IGNORECASE)  # how names of files of texts end
SPLITS = ("validation", "test")


@dataclass(frozen=True)
class CardNumber:
    """A number for the hub: which metric of what data, its 95 % interval, and what was counted."""

    metric: str
    title: str
    value: float
    low: float
    high: float
    n: int
    definition: str
    data: str
    split: str | None = None

    @property
    def interval(self) -> str:
        """The ends of the interval, empty where there is none.

        >>> CardNumber("accuracy", "accuracy", 0.5, 0.25, 0.75, 12, "", "reviews.csv").interval
        '0.2500 to 0.7500'
        """
        return f"{self.low:.4f} to {self.high:.4f}" if math.isfinite(self.low + self.high) else ""


def of_run(facts: Mapping[str, Any]) -> list[CardNumber]:
    """The scores of a run's summary, by split."""
    return [measured(name, score, facts["data"]) for name, score in facts["scores"].items()]


def measured(name: str, score: Mapping[str, Any], data: str) -> CardNumber:
    """A score of a run, called after its split and its metric.

    >>> one = measured("test exact match", {"value": 1, "low": 0.5, "high": 1, "n": 3, "definition": ""}, "a.csv")
    >>> one.metric, one.split
    ('exact_match', 'test')
    """
    first, _, rest = name.partition(" ")
    split, own = (first, rest) if first in SPLITS else (None, name)
    kept = {key: score[key] for key in ("value", "low", "high", "n")}
    return CardNumber(slug(own), own, **kept, definition=score.get("definition", ""), data=data, split=split)


def slug(name: str) -> str:
    """A name as the hub spells metrics."""
    return re.sub(r"\W+", "_", name.lower()).strip("_")


def hub_name(name: str) -> str | None:
    """What the hub calls a model or data set that was taken from it; None for what is on this machine alone.

    >>> hub_name("owner/data@" + "0" * 40), hub_name("runs/encoder")
    ('owner/data', None)
    """
    return parted(name)[0] if PINNED.fullmatch(name) else None


def metadata(
    facts: Mapping[str, Any],
    tag: str,
    library: str,
    measurements: Sequence[CardNumber],
    name: str,
    licence: str | None = None,
) -> str:
    """The head of a card as YAML, without its dashes."""
    from huggingface_hub import ModelCardData

    results = [result(one, tag) for one in measurements if math.isfinite(one.value)]
    data = hub_name(facts["data"])
    head = ModelCardData(
        library_name=library,
        pipeline_tag=tag,
        base_model=ON_THE_HUB.get(facts["base"]) or hub_name(facts["base"]),
        datasets=[data] if data else None,
        license=licence,
        tags=["unfooled", "robustness", facts["method"]],
        model_name=name if results else None,
        eval_results=results or None,
    )
    return str(head.to_yaml(original_order=["library_name", "pipeline_tag", "base_model", "license", "datasets"]))


def result(one: CardNumber, tag: str) -> Any:
    """A number as the hub's own classes hold it; its interval is in its name, where people read it, and apart."""
    from huggingface_hub import EvalResult

    ends = {key: float(getattr(one, key)) for key in ("low", "high") if math.isfinite(getattr(one, key))}
    revision = parted(one.data)[1] if PINNED.fullmatch(one.data) else None
    return EvalResult(
        task_type=tag,
        dataset_type=hub_name(one.data) or one.data,
        dataset_name=parted(one.data)[0] if revision else one.data,
        dataset_split=one.split,
        dataset_revision=revision,
        metric_type=one.metric,
        metric_name=f"{one.title} ({f'95 % interval {one.interval}, ' if one.interval else ''}n = {one.n})",
        metric_value=float(one.value),
        metric_args={**ends, "n": one.n, "definition": one.definition},
    )


def without_folders(values: Any) -> Any:
    """Settings in which files and folders are named without the folders they lie in: nobody else has those.

    >>> without_folders({"data": {"source": "/home/me/reviews.csv", "text": "none"}, "seed": 0})
    {'data': {'source': 'reviews.csv', 'text': 'none'}, 'seed': 0}
    """
    if isinstance(values, Mapping):
        return {name: without_folders(value) for name, value in values.items()}
    return bare(values) if isinstance(values, str) else values


def bare(name: str) -> str:
    """A path without its folders; other texts, and names of the hub, as they are.

    >>> bare("data/reviews.csv"), bare("owner/data"), bare("../runs/plain/model")
    ('reviews.csv', 'owner/data', 'model')
    """
    rooted = name.startswith(("/", "~", ".")) or "\\" in name or name.count("/") > 1
    on_disk = rooted or TABLE.search(name) is not None or Path(name).exists()
    return re.split(r"[/\\]", name.rstrip("/\\"))[-1] if on_disk and not PINNED.fullmatch(name) else name
