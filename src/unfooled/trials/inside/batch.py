"""Examples in batches as a trial that looks into the network sees them."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from unfooled.errors import BadInput
from unfooled.models.encoders.classifier import Classifier
from unfooled.models.encoders.pretrained import TextModel
from unfooled.tokens import by_length, encode
from unfooled.types import Output, Texts, Tokens


@dataclass(frozen=True)
class VictimBatch:
    """A batch as an attack sees it: the network, its input, gold labels [B] and the examples' places [B].

    ``key`` are their places in the whole [B], by which is drawn, where those that were given are a part of it.
    """

    classifier: Classifier
    tokens: Tokens
    label: Tensor
    index: Tensor
    key: Tensor

    def losses(self, output: Output) -> Tensor:
        """The cross-entropy of each example's label [B], in double precision; refuses what is not finite."""
        losses = F.cross_entropy(output.logits.double(), self.label, reduction="none")
        if not bool(torch.isfinite(losses).all() & torch.isfinite(output.features).all()):
            place = int(self.key[(~torch.isfinite(losses)).int().argmax()])
            raise BadInput(f"the model's answer to example {place} or one near it is not finite; restore the model")
        return losses

    def answers(self, output: Output) -> tuple[list[int], list[float]]:
        """The predicted class of each example, and the probability of its label."""
        own = output.logits.double().softmax(dim=-1).gather(1, self.label[:, None])[:, 0]
        return output.logits.argmax(dim=-1).tolist(), own.tolist()


def batches(
    model: TextModel,
    texts: Sequence[Texts],
    labels: Sequence[int],
    batch_size: int,
    done: Collection[int],
    places: Sequence[int] | None = None,
) -> Iterator[VictimBatch]:
    """The texts in batches of similar length, without the batches that are done.

    A batch of which a part is done comes whole, so that a resumed trial computes what an unbroken one does.
    """
    where = next(model.classifier.parameters()).device
    encoded = encode(model.tokenizer, texts, model.max_length)
    for rows in by_length(encoded, batch_size):
        index = rows.tolist()
        if any(row not in done for row in index):
            gold = torch.tensor([int(labels[row]) for row in index], device=where)
            key = torch.tensor(index if places is None else [places[row] for row in index])
            yield VictimBatch(model.classifier, encoded.pad(rows).to(where), gold, torch.tensor(index), key)


def together(model: TextModel, texts: Sequence[Texts], batch_size: int) -> list[list[int]]:
    """The places of the texts of each batch."""
    return [rows.tolist() for rows in by_length(encode(model.tokenizer, texts, model.max_length), batch_size)]


@contextmanager
def frozen(module: nn.Module) -> Iterator[None]:
    """While open, no parameter can receive a gradient."""
    learning = [parameter for parameter in module.parameters() if parameter.requires_grad]
    for parameter in learning:
        parameter.requires_grad_(False)
    try:
        yield
    finally:
        for parameter in learning:
            parameter.requires_grad_(True)
