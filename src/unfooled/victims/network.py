"""A network of transformers or of ours as a victim."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from unfooled.heads import head_of, says_something
from unfooled.types import Texts
from unfooled.victims.label_sets import LabelSets
from unfooled.victims.reader import TextReader
from unfooled.victims.victim import UNKNOWN, Kind, Victim


class Network(TextReader):
    """A classifier as a callable: evaluation mode, no gradients, each batch as wide as its longest text.

    One that says sets of labels gives each label its own probability.
    """

    def __init__(self, model: Any, sets: LabelSets | None) -> None:
        super().__init__(model.tokenizer, model.max_length)
        self.classifier, self.sets = model.classifier, sets

    def __call__(self, texts: Sequence[Texts]) -> np.ndarray:
        """Probabilities [n, classes]."""
        import torch

        from unfooled.models.encoders.classifier import still

        where = next(self.classifier.parameters()).device
        tokens = self.batch(texts).pad(range(len(texts))).to(where)
        with still(self.classifier), torch.inference_mode():
            logits = self.classifier(tokens).logits.float().cpu().double()
        return (logits.softmax(dim=-1) if self.sets is None else logits.sigmoid()).numpy()


def takes(model: Any) -> bool:
    """Whether it is a model of this package, or a name or path of one."""
    return isinstance(model, str | Path) or hasattr(model, "classifier")


def opened(model: Any, labels: tuple[str, ...]) -> Victim:
    """A model, or the one in a folder or of a name, on the device there is."""
    import torch

    from unfooled.models.encoders.pretrained import load

    if isinstance(model, str | Path):
        model = load(str(model), None)
    return of_model(model.to("cuda" if torch.cuda.is_available() else "cpu"))


def of_model(model: Any) -> Victim:
    """A text model as a victim; those that say no classes are asked by their task."""
    config = model.classifier.network.config
    sets = LabelSets(model.labels, says_something(config)) if head_of(config).sets else None
    network = Network(model, sets)
    return Victim(
        name=model.name,
        call=network,
        hash=model.fingerprint(),
        labels=model.labels,
        task=model.task,
        max_length=model.max_length,
        lengths=network.lengths,
        unknown=network.unknown or UNKNOWN,
        takes_tuples=True,
        sets=sets,
        network=model,
        trained_on=model.trained_on,
        learnt_nothing=model.learnt_nothing,
    )


NETWORK = Kind(takes, opened)
