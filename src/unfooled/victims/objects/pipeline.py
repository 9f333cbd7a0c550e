"""A ``pipeline("text-classification")`` of transformers in hand.

Its own network and tokenizer are asked, so that batches are full and attacks may look inside. A pipeline of a class of
one's own may do more than that: it is called as it is.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from unfooled.errors import BadInput
from unfooled.types import Texts
from unfooled.victims.objects.hugging_face import of_network
from unfooled.victims.victim import Kind, Victim

TASK = "text-classification"


class CalledPipeline:
    """A pipeline of one's own, called with everything it has to say of each text."""

    def __init__(self, pipeline: Any, labels: tuple[str, ...]) -> None:
        self.pipeline, self.labels = pipeline, labels

    def __call__(self, texts: Sequence[Texts]) -> np.ndarray:
        """Probabilities in the order of the labels."""
        asked = [text[0] if len(text) == 1 else {"text": text[0], "text_pair": text[1]} for text in texts]
        said = [{str(one["label"]): float(one["score"]) for one in row} for row in self.pipeline(asked, top_k=None)]
        other = next((sorted(row) for row in said if set(row) != set(self.labels)), None)
        if other is not None:
            raise BadInput(f"the pipeline answers with {', '.join(other)}, not with {', '.join(self.labels)}")
        return np.array([[row[label] for label in self.labels] for row in said])


def takes(model: Any) -> bool:
    """Whether it is a pipeline, of whatever task."""
    return all(hasattr(model, name) for name in ("task", "model", "tokenizer", "preprocess", "postprocess"))


def opened(pipeline: Any, labels: tuple[str, ...]) -> Victim:
    """A pipeline that classifies texts; the length it cuts texts at is kept."""
    from transformers import TextClassificationPipeline

    if not isinstance(pipeline, TextClassificationPipeline):
        raise BadInput(f'this is a pipeline for {pipeline.task or type(pipeline).__name__}; give one for "{TASK}"')
    longest = getattr(pipeline, "_preprocess_params", {}).get("max_length")
    victim = of_network(pipeline.model, pipeline.tokenizer, labels, longest)
    if type(pipeline).__module__.split(".")[0] == "transformers":
        return victim
    own = tuple(str(label) for label in pipeline.model.config.id2label.values())
    return Victim(
        name=type(pipeline).__qualname__,
        call=CalledPipeline(pipeline, own),
        labels=own,
        lengths=victim.lengths,
        unknown=victim.unknown,
        takes_tuples=True,
    )


PIPELINE = Kind(takes, opened)
