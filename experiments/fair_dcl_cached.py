"""DCL on the top layer of an encoder whose lower layers are remembered: 54 runs for the price of a few.

The states below the top layer are computed once, dropout off, for some batches of views; a run goes over these
batches in an order of its own. Loss, heads, normalisation and target are those of ``methods/dcl.py``. Frozen, the top
layer and the pooler stay as they are too, as in the released code, and projector and predictor learn alone.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn

from unfooled.data.batches.kept import Wanted, kept_blocks
from unfooled.data.batches.views import Reader, ViewBatches, ViewSettings
from unfooled.data.corpus import open_corpus
from unfooled.data.sources import DataSettings
from unfooled.losses.contrastive import mean_cosines, uniformity
from unfooled.methods import DCL
from unfooled.methods.dcl import Align
from unfooled.models.encoders.classifier import still
from unfooled.models.encoders.masked import MaskedModel, build_masked
from unfooled.models.encoders.pretrained import ModelSettings
from unfooled.seeds import generator
from unfooled.types import Batch, Progress, Tokens

LENGTH, BATCH = 64, 16
LOOK = ViewSettings(synonym=True, plain=True, room=0.25, versions=DCL().views().versions)


@dataclass
class Memory:
    """States below the top layer [texts, tokens, width], in half precision; copies of a network share it."""

    states: list[Tensor]

    def __deepcopy__(self, memo: dict[int, Any]) -> "Memory":
        return self


class Remembered(nn.Module):
    """In place of embeddings: ids are numbers of remembered texts, and what is looked up are their states."""

    def __init__(self, memory: Memory, words: nn.Module) -> None:
        super().__init__()
        self.memory, self.word_embeddings = memory, words  # the decoder is tied to the words

    def forward(self, input_ids: Tensor, **_: Any) -> Tensor:
        """The states [B, T, H] of texts whose number fills their row."""
        width = input_ids.shape[1]
        return torch.stack([self.memory.states[number][:width] for number in input_ids[:, 0].tolist()]).float()


@dataclass(frozen=True)
class Cached:
    """Batches whose tokens are numbers of remembered texts, for training and for looks."""

    memory: Memory
    train: tuple[Batch, ...]
    looks: tuple[Batch, ...]


def remembered(start: str, batches: int) -> Cached:
    """The lower layers' states of some batches of WikiText-2, computed once."""
    model = build_masked(ModelSettings(name=start, max_length=LENGTH), 0)
    text = open_corpus(DataSettings(source="wikitext2_raw"))
    length = round(LENGTH * 0.75)
    blocks = kept_blocks(Wanted(text, model.tokenizer, length, length)).blocks
    reader, memory = Reader.of(model.tokenizer, LENGTH), Memory([])
    train = ViewBatches(blocks["train"], reader, DCL().views(), BATCH, 0)
    looks = ViewBatches(blocks["validation"], reader, LOOK, BATCH, 0)
    own = tuple(numbered(model.model, memory, batch) for batch in first(train, batches))
    seen = tuple(numbered(model.model, memory, batch) for batch in first(looks, 8))
    return Cached(memory, own, seen)


def first(loader: ViewBatches, count: int) -> Iterator[Batch]:
    """The first batches of the first epoch."""
    for number, update in enumerate(loader.updates(0)):
        if number == count:
            return
        yield from update


def numbered(model: MaskedModel, memory: Memory, batch: Batch) -> Batch:
    """A batch whose views are numbers of texts that are remembered from now on."""
    views = {}
    for name, tokens in batch.views.items():
        with torch.no_grad(), still(model):
            states = below_top(model, tokens)
        numbers = torch.arange(len(memory.states), len(memory.states) + len(states))
        memory.states.extend(row.half() for row in states)
        views[name] = Tokens(numbers[:, None].expand_as(tokens.ids).contiguous(), tokens.mask)
    return replace(batch, views=views)


def below_top(model: MaskedModel, tokens: Tokens) -> Tensor:
    """The states that the top layer reads."""
    return model.encoder(
        input_ids=tokens.ids, attention_mask=tokens.mask.long(), output_hidden_states=True
    ).hidden_states[-2]


def top_of(start: str, memory: Memory) -> MaskedModel:
    """The network with its top layer alone, over what is remembered; the words stay as they are."""
    model = build_masked(ModelSettings(name=start, max_length=LENGTH), 0).model
    encoder = model.encoder
    words = model.network.get_input_embeddings()
    encoder.encoder.layer = encoder.encoder.layer[-1:]
    encoder.embeddings = Remembered(memory, words)
    words.requires_grad_(False)
    return MaskedModel(model.network)


def studied(start: str, cached: Cached, norm: str, frozen: bool, rate: float, seed: int, steps: int) -> dict[str, Any]:
    """How alike texts are before and after so many steps."""
    torch.manual_seed(seed)
    model = top_of(start, cached.memory)
    objective = Align(model, DCL.model_validate({"norm": norm}), max(round(steps / 10), 1))
    if frozen:
        model.requires_grad_(False)
    learning = [one for one in objective.parameters() if one.requires_grad]
    optimiser = torch.optim.AdamW(learning, lr=rate)
    before = looked(objective, cached)
    for step in range(steps):
        epoch, place = divmod(step, len(cached.train))
        order = torch.randperm(len(cached.train), generator=generator(seed, epoch, "order"))
        batch = cached.train[int(order[place])]
        for group in optimiser.param_groups:
            group["lr"] = rate * min((step + 1) / (0.1 * steps), (steps - step) / (0.9 * steps))
        terms = objective(batch).terms.values()
        loss = sum(term.weight * term.sum / term.count for term in terms)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(learning, 1.0)
        optimiser.step()
        objective.after_step(Progress(step + 1, steps, epoch))
    return {"before": before, "after": looked(objective, cached)}


def looked(objective: Align, cached: Cached) -> dict[str, float]:
    """Cosines of positive and random pairs, and uniformity, of states and of projections; dropout off."""
    rows: dict[str, list[Tensor]] = {}
    with still(objective), torch.no_grad():
        for batch in cached.looks:
            for view in ("plain", "synonym"):
                for name, vectors in objective.represent(objective.model(batch.views[view])).items():
                    rows.setdefault(f"{name} {view}", []).append(vectors.float())
    every = {name: torch.cat(some) for name, some in rows.items()}
    found = {}
    for name in ("text", "projection"):
        positive, random = mean_cosines(every[f"{name} plain"], every[f"{name} synonym"])
        found |= {f"{name} positive": float(positive), f"{name} random": float(random)}
        found[f"{name} uniformity"] = float(uniformity(every[f"{name} plain"]))
    return found
