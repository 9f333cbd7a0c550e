"""What the lower layers of a network make of words that stand alone, and what exchanging one would do, to first order.

At the table of word vectors a gradient is nearly blind (docs/papers/worst_words.md). A normalisation follows, and many
candidates have another number of pieces than their word, which the first layers have yet to put together. So
candidates are compared where that is done, behind some layer:

    gain = Σ_k G_k · (h(c) − h(w))

G_k is the gradient of the loss at the states of the word's tokens behind that layer, w what stands in the text, c a
candidate, and h the mean state, behind the same layer, of the pieces of a word that stands alone between the signs
that frame every text.

To read all candidates anew in every step would cost more than the step. So h comes from a copy of the lower layers,
which is renewed now and then, and what will be met again is read once for each copy. Words are read in packets of one
shape, so that what is found does not depend on which words were known already: a run that is resumed finds the same.
"""

import copy
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor, nn

from unfooled.errors import BadInput
from unfooled.models.encoders.classifier import Classifier, still
from unfooled.models.encoders.lora import unwrapped
from unfooled.substitution.gains import Exchange, spread_over, summed
from unfooled.substitution.reading import WordReader
from unfooled.types import Tokens

PACKET = 32  # words that are read at once
REMEMBERED = 1 << 17  # words whose states are kept
NEAR = 1e-4  # how far a copy may be off

Pieces = tuple[int, ...]


class WordsAlone(nn.Module):
    """A copy of a network's lowest layers that reads words by themselves, and remembers those that will come again."""

    def __init__(
        self, model: Classifier, layers: int, frame: tuple[Pieces, Pieces], longest: int | None = None
    ) -> None:
        super().__init__()
        self.layers = layers
        encoder = copy.deepcopy(encoder_of(model))
        alike = layers_of(encoder, model.depth)
        assert alike is not None, "asked of networks whose layers are known alone"
        del alike[layers:]
        self.encoder = encoder.requires_grad_(False).train(False)
        self.behind = [alike[-1]]  # in a list: not registered twice
        self.frame, self.longest = frame, longest  # of a word longer than a text may be the beginning is read
        self.known: dict[Pieces, Tensor] = {}
        self.register_load_state_dict_post_hook(lambda own, _: own.known.clear())

    def renew(self, model: Classifier) -> None:
        """Read with what the layers are now."""
        theirs = dict(encoder_of(model).named_parameters())
        with torch.no_grad():
            for name, own in self.encoder.named_parameters():
                own.copy_(theirs[name])
        self.known.clear()

    def train(self, mode: bool = True) -> "WordsAlone":
        """The copy is never trained: its dropout stays off."""
        return super().train(False)

    def gains(self, gradient: Tensor, ids: Tensor, exchanges: Sequence[Exchange]) -> list[np.ndarray]:
        """The gain (2a) of each candidate of each exchange, from the gradient [B, T, H] behind the layer, at tokens.

        What is not worth reading gains nothing.
        """
        if not exchanges:
            return []
        sums = summed(gradient, exchanges)  # Σ_k G_k of every word
        places = worth_reading(sums.norm(dim=-1).tolist(), exchanges)
        read, at = [exchanges[place] for place in places], sums[places]
        stands = [tuple(ids[one.row, slice(*one.span)].tolist()) for one in read]
        stays = (at * self.states(stands, [one.lasting for one in read])).sum(dim=-1)
        counts = torch.tensor([len(one.candidates) for one in read])
        owner = torch.repeat_interleave(torch.arange(len(read)), counts).to(at.device)
        candidates = [pieces for one in read for pieces in one.candidates]
        lasting = [one.lasting for one in read for _ in one.candidates]
        reached = (at[owner] * self.states(candidates, lasting)).sum(dim=-1)
        found = dict(zip(places, spread_over(reached - stays[owner], counts), strict=True))
        return [found.get(place, np.zeros(len(one.candidates))) for place, one in enumerate(exchanges)]

    def states(self, words: Sequence[Pieces], lasting: Sequence[bool]) -> Tensor:
        """The mean state of each word's pieces [words, H]; those of lasting words are remembered."""
        words = [word[: self.longest] for word in words]
        if len(self.known) > REMEMBERED:
            self.known.clear()
        fresh: dict[Pieces, Tensor] = {}
        for part in packets([word for word in dict.fromkeys(words) if word not in self.known]):
            fresh.update(zip(part, self.read(part), strict=False))
        found = torch.stack([self.known[word] if word in self.known else fresh[word] for word in words])
        new = {word for word, keep in zip(words, lasting, strict=True) if keep and word in fresh}
        self.known |= {word: fresh[word].clone() for word in new}  # not the packets they came in
        return found

    def read(self, words: Sequence[Pieces]) -> Tensor:
        """The mean states of words of the same number of pieces."""
        where = next(self.encoder.parameters()).device
        (before, after), seen = self.frame, []
        full = [*words, *[words[0]] * (PACKET - len(words))]
        ids = torch.tensor([[*before, *word, *after] for word in full], device=where)
        hook = self.behind[0].register_forward_hook(lambda _, given, output: seen.append(output))
        with hook, torch.no_grad():
            self.encoder(input_ids=ids, attention_mask=torch.ones_like(ids))
        states = seen[0] if isinstance(seen[0], Tensor) else seen[0][0]
        return states[:, len(before) : ids.shape[1] - len(after)].float().mean(dim=1)


def worth_reading(sizes: Sequence[float], exchanges: Sequence[Exchange]) -> list[int]:
    """The exchanges whose candidates will be met again and, of the others of a row, the half of the largest gradients.

    Misspellings are drawn anew each time: to read those of all words would cost as much as a pass.
    """
    drawn: dict[int, list[int]] = {}
    for place, one in enumerate(exchanges):
        if not one.lasting:
            drawn.setdefault(one.row, []).append(place)
    most = [
        place for own in drawn.values() for place in sorted(own, key=lambda place: -sizes[place])[: (len(own) + 1) // 2]
    ]
    return sorted([place for place, one in enumerate(exchanges) if one.lasting] + most)


def packets(words: Sequence[Pieces]) -> Iterator[list[Pieces]]:
    """Words of the same number of pieces together, a packet at a time.

    >>> [len(part) for part in packets([(1,)] * 40 + [(1, 2)])]
    [32, 8, 1]
    """
    by_count: dict[int, list[Pieces]] = {}
    for word in words:
        by_count.setdefault(len(word), []).append(word)
    for own in by_count.values():
        yield from (own[first : first + PACKET] for first in range(0, len(own), PACKET))


def encoder_of(model: Classifier) -> Any:
    """What reads the tokens, below the head."""
    return unwrapped(model.network).base_model


def layers_of(encoder: nn.Module, depth: int) -> nn.ModuleList | None:
    """The list of an encoder's layers, where they are as many alike modules as the network is deep."""
    for module in encoder.modules():
        if isinstance(module, nn.ModuleList) and len(module) == depth and len({type(one) for one in module}) == 1:
            return module
    return None


def words_alone(model: Classifier, layers: int | Literal["auto"], reader: WordReader) -> WordsAlone | None:
    """What compares candidates behind so many layers, or a third of them (``auto``); None: the table is searched.

    ``auto`` gives None for networks that read onward, are no encoder with a head, have fewer than three layers, or none
    whose states this code knows how to have; a number is refused there.
    """
    apart = not model.is_one_piece and not model.reads_onward
    depth = model.depth if apart and layers_of(encoder_of(model), model.depth) is not None else 0
    wanted = depth // 3 if layers == "auto" else layers
    if not wanted:
        return None
    longest = reader.max_length - sum(map(len, reader.frame))
    alone = WordsAlone(model, wanted, reader.frame, longest) if wanted < depth else None
    if alone is not None and agrees(alone, model, reader):
        return alone
    if layers == "auto":
        return None
    most = f"behind {depth - 1} layers at most" if alone is None and depth > 1 else "at its table alone"
    raise BadInput(
        f"method.layer is {layers}, but in this network candidates can be compared {most}; say method.layer=auto"
    )


def agrees(alone: WordsAlone, model: Classifier, reader: WordReader) -> bool:
    """Whether the copy reads a word as the network does, and what the network gives out there has a gradient."""
    [word], (before, after) = reader.pieces(["the"]), alone.frame
    ids = torch.tensor([[*before, *word, *after]], device=next(model.parameters()).device)
    tokens = Tokens(ids, torch.ones_like(ids, dtype=torch.bool))
    delta = torch.zeros(*ids.shape, model.width, device=ids.device, requires_grad=True)
    try:
        with still(model), torch.enable_grad():
            output = model(tokens, delta.to(model.table), layers=(alone.layers - 1,))
            states = output.layers[0]
            (gradient,) = torch.autograd.grad(output.logits.sum(), states, allow_unused=True)
        own = states[0, len(before) : ids.shape[1] - len(after)].detach().float().mean(dim=0)
        off = float((own - alone.states([word], [False])[0]).abs().max())
    except (RuntimeError, IndexError, TypeError):  # a network that is made otherwise
        return False
    return gradient is not None and off < NEAR * max(1.0, float(own.abs().max()))
