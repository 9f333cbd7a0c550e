"""A network of transformers or of ours as a victim."""

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from unfooled.device import device
from unfooled.heads import head_of, says_something
from unfooled.losses.margins import margins
from unfooled.substitution.gains import Exchange, Span, gains
from unfooled.substitution.reading import Documents, WordReader, standing
from unfooled.types import Texts, Tokens
from unfooled.victims.label_sets import LabelSets
from unfooled.victims.reader import TextReader
from unfooled.victims.victim import UNKNOWN, Kind, Victim

if TYPE_CHECKING:
    from torch import Tensor


class Network(TextReader):
    """A classifier as a callable: evaluation mode, no gradients, packed where its network can be.

    It answers with logits: whoever asks makes probabilities of them, of classes or of labels one by one.
    """

    def __init__(self, model: Any) -> None:
        super().__init__(model.tokenizer, model.max_length)
        self.classifier = model.classifier
        self.words: WordReader | None = None  # made where somebody asks for slopes

    @cached_property
    def quick(self) -> "Callable[[Tokens], Tensor]":
        """The packed pass, tried on its probe when the network is first asked; who asks nothing waits for nothing."""
        from unfooled.models.encoders.packed import pass_of

        return pass_of(self.classifier)

    def __call__(self, texts: Sequence[Texts]) -> np.ndarray:
        """Logits [n, classes]."""
        import torch

        from unfooled.models.encoders.classifier import still

        where = next(self.classifier.parameters()).device
        encoded, which = self.batch(texts)
        with still(self.classifier), torch.inference_mode():
            logits = self.quick(encoded.pad(range(len(encoded))).to(where))
        return logits.float().cpu().double().numpy()[which]

    def slopes(
        self,
        row: Documents,
        column: int,
        options: Sequence[tuple[str, ...]] | None,
        wrong: int,
        wanted: int | None,
        temperature: float = 1.0,
    ) -> np.ndarray:
        """What each option for each word of one text would do to first order: to the margin of a class.

        Without options, the size of the gradient at each word. Of words behind what is read there is no number.
        """
        self.words = self.words or WordReader(self.tokenizer, self.max_length)
        located = self.words.located([row])
        tokens = located.tokens.to(next(self.classifier.parameters()).device)
        gradient, spans = self.gradient(tokens, wrong, wanted, temperature), located.places[0][column]
        unread = first_unread(spans, tokens.ids.shape[1] >= self.max_length)
        if options is None:
            parts = [gradient[0, first:last] for first, last in spans]
            sizes = np.array([float(part.mean(dim=0).abs().sum()) if len(part) else 0.0 for part in parts])
            sizes[unread:] = np.nan
            return sizes
        flat = np.zeros(sum(map(len, options)))
        exchanges, numbers, first = [], [], 0
        for place, own in enumerate(options):
            if own and spans[place][1] > spans[place][0]:
                pieces = self.words.pieces(own, standing(row[column], place))
                exchanges.append(Exchange(0, spans[place], [one for one in pieces if one]))
                numbers += [first + number for number, one in enumerate(pieces) if one]
            first += len(own)
        if exchanges:
            flat[numbers] = np.concatenate(gains(gradient, tokens.ids, self.classifier.table, exchanges))
        flat[sum(map(len, options[:unread])) :] = np.nan
        return flat

    def gradient(self, tokens: Tokens, wrong: int, wanted: int | None, temperature: float) -> "Tensor":
        """The gradient [1, T, d] of the margin of a class, against it or, where it is wanted, for it.

        A margin does not saturate, so that a network that is sure of itself hides nothing; logits are divided by the
        temperature of the attack.
        """
        import torch

        from unfooled.models.encoders.classifier import still

        where = tokens.ids.device
        delta = torch.zeros(*tokens.ids.shape, self.classifier.width, device=where, requires_grad=True)
        with still(self.classifier):
            logits = self.classifier(tokens, delta).logits.double() / temperature
            label = torch.tensor([wrong if wanted is None else wanted], device=where)
            rise = margins(logits, label).sum() * (-1 if wanted is None else 1)
            (found,) = torch.autograd.grad(rise, delta)
        return found


def first_unread(spans: Sequence[Span], full: bool) -> int:
    """From which word on nothing is read, where the tokens are all that a network takes.

    The word behind the last whole one may be read in part.

    >>> first_unread([(1, 2), (2, 4), (0, 0), (0, 0), (0, 0)], True), first_unread([(1, 2), (0, 0)], False)
    (3, 2)
    """
    whole = [place for place, (first, last) in enumerate(spans) if last > first]
    return min(max(whole, default=-1) + 2, len(spans)) if full else len(spans)


def takes(model: Any) -> bool:
    """Whether it is a model of this package, or a name or path of one."""
    return isinstance(model, str | Path) or (hasattr(model, "classifier") and hasattr(model, "tokenizer"))


def opened(model: Any, labels: tuple[str, ...]) -> Victim:
    """A model, or the one in a folder or of a name, on the device there is."""
    from unfooled.models.encoders.pretrained import load

    if isinstance(model, str | Path):
        model = load(str(model), None)
    return of_model(model.to(device()))


def of_model(model: Any) -> Victim:
    """A text model as a victim; those that say no classes are asked by their task."""
    config = model.classifier.network.config
    sets = LabelSets(model.labels, says_something(config)) if head_of(config).sets else None
    network = Network(model)
    return Victim(
        name=model.name,
        call=network,
        hash=model.fingerprint(),
        rules=model.rules(),
        labels=model.labels,
        task=model.task,
        max_length=model.max_length,
        lengths=network.lengths,
        unknown=network.unknown or UNKNOWN,
        takes_tuples=True,
        logits=True,
        sets=sets,
        network=model,
        slopes=network.slopes if sets is None else None,
        trained_on=model.trained_on,
        learnt_nothing=model.learnt_nothing,
    )


NETWORK = Kind(takes, opened)
