"""A Hugging Face masked-language model whose vocabulary head runs at the masked places only.

The network's own head runs unchanged, but is handed the states of the masked tokens alone; and its last layer, the
decoder [V, d], is left to a loss that walks over it in pieces. So no logits [B, T, V] ever exist.
"""

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from transformers import PreTrainedModel

from unfooled.errors import BadInput
from unfooled.models.checks import check_finite, check_masked, check_padding, check_tokenizer, check_weights
from unfooled.models.encoders.classifier import Door, added, still
from unfooled.models.encoders.dropout import set_dropout
from unfooled.models.encoders.pretrained import REPORTED, ModelSettings, longest, weights_hash, write_folder
from unfooled.models.locate import Place, locate
from unfooled.models.opening import config_of, network_of, opening, tokenizer_of
from unfooled.seeds import isolated
from unfooled.types import Tokens


@dataclass(frozen=True)
class TokenStates:
    """Token states [B, T, H], their pooled text [B, H] where the encoder pools, and n masked places as the decoder
    reads them [n, d]."""

    states: Tensor
    pooled: Tensor | None
    masked: Tensor | None = None

    @property
    def text(self) -> Tensor:
        """The pooled text [B, H], or the first token's state where the encoder does not pool."""
        return self.states[:, 0] if self.pooled is None else self.pooled

    def detached(self) -> "TokenStates":
        """The same states, through which no gradient goes back; what the decoder reads is left out."""
        return TokenStates(self.states.detach(), None if self.pooled is None else self.pooled.detach())


class MaskedModel(Door):
    """Tokens, perhaps perturbed, become states, and guesses of what is behind the masks."""

    def __init__(self, network: PreTrainedModel, new_head: bool = False) -> None:
        super().__init__(network, network.get_input_embeddings())
        self.new_head = new_head  # the checkpoint had none
        self.encoder_frozen = False  # while the head learns alone

    @property
    def encoder(self) -> nn.Module:
        """The network without its vocabulary head."""
        return self.network.base_model

    @property
    def decoder(self) -> nn.Linear:
        """The last layer of the head, which scores every word."""
        return self.network.get_output_embeddings()

    @property
    def state_width(self) -> int:
        """The number of entries H of a token's state."""
        return int(self.network.config.hidden_size)

    @property
    def word_scores(self) -> tuple[Tensor, Tensor]:
        """Weights [V, d] and bias [V] of the decoder; weights that are the frozen encoder's own have no gradient."""
        weight, bias = self.decoder.weight, self.decoder.bias
        tied = weight is self.network.get_input_embeddings().weight
        return weight.detach() if self.encoder_frozen and tied else weight, (
            weight.new_zeros(len(weight)) if bias is None else bias
        )

    def train_pooler(self, wanted: bool) -> None:
        """Let the encoder's pooler learn, or leave it as it is: where no loss reads it, it is kept for fine-tuning."""
        pooler = pooling(self.encoder)
        if pooler is not None:
            pooler.requires_grad_(wanted)

    def freeze_layers(self, count: int) -> None:
        """Leave the words' vectors and so many of the lowest layers as they are; 0 freezes nothing."""
        if not count:
            return
        stacks = [part for part in self.encoder.modules() if isinstance(part, nn.ModuleList)]
        layers = max(stacks, key=len, default=nn.ModuleList())
        embeddings = getattr(self.encoder, "embeddings", None)
        if embeddings is None or count > len(layers):
            raise BadInput(f"{count} layers to be frozen, where the encoder has {len(layers)}; lower frozen_layers")
        for part in (embeddings, *layers[:count]):
            part.requires_grad_(False)

    def forward(self, tokens: Tokens, masked: Tensor | None = None, delta: Tensor | None = None) -> TokenStates:
        """States and pooled text; with ``masked`` [B, T] also what the decoder reads there.

        ``delta`` [B, T, d] is added to the looked-up vectors.
        """
        with added(self._lookup[0], delta), self.precision(tokens.ids.device):
            if masked is None:
                reading = encoded(self.encoder, tokens)
                return reading.detached() if self.encoder_frozen else reading
            with self._only(masked) as kept:
                self.network(**inputs(self.encoder, tokens))
            return TokenStates(*kept)

    def logits(self, masked: Tensor) -> Tensor:
        """A logit for every word [n, V] of what the decoder reads; for training, ``losses.tokens.reconstruction``."""
        exact = torch.promote_types(masked.dtype, self.decoder.weight.dtype)
        return F.linear(masked.to(exact), self.decoder.weight, self.decoder.bias)

    @contextmanager
    def _only(self, masked: Tensor) -> Iterator[list[Any]]:
        """While open, the head sees the masked places alone and the decoder sees nothing; both are noted down."""
        kept: list[Any] = []

        def pick(_: nn.Module, given: Any, output: Any) -> Any:
            reading = TokenStates(output[0], output.get("pooler_output"))
            reading = reading.detached() if self.encoder_frozen else reading
            kept.extend([reading.states, reading.pooled])
            output["last_hidden_state"] = reading.states[masked][None]
            return output

        def skip(_: nn.Module, given: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
            kept.append(given[0][0])
            return (given[0][:, :0],)

        with self.encoder.register_forward_hook(pick), self.decoder.register_forward_pre_hook(skip):
            yield kept


def inputs(encoder: nn.Module, tokens: Tokens) -> dict[str, Tensor]:
    """What an encoder is called with."""
    given = {"input_ids": tokens.ids, "attention_mask": tokens.mask.long()}
    if tokens.segments is not None and "token_type_ids" in inspect.signature(encoder.forward).parameters:
        given["token_type_ids"] = tokens.segments
    return given


def encoded(encoder: nn.Module, tokens: Tokens) -> TokenStates:
    """States and pooled text of tokens, by an encoder alone: the model's own, or its teacher's."""
    output = encoder(**inputs(encoder, tokens))
    return TokenStates(output[0], output.get("pooler_output"))


POOLING = ("pooler", "pooler_activation")  # the layers that pool, by the names encoders have for them


def pooling(encoder: nn.Module) -> nn.Module | None:
    """The layers that pool an encoder's first state, if any."""
    parts = [getattr(encoder, name, None) for name in POOLING]
    return next((part for part in parts if isinstance(part, nn.Module)), None)


@dataclass(frozen=True)
class MaskedTextModel:
    """A masked-language model with what it needs to read texts."""

    model: MaskedModel
    tokenizer: Any
    max_length: int
    name: str
    notes: tuple[str, ...] = ()

    def fingerprint(self) -> str:
        """The SHA-256 of all weights by name."""
        return weights_hash(self.model.network)

    def to(self, where: torch.device | str) -> "MaskedTextModel":
        """The same model on another device."""
        return replace(self, model=self.model.to(where))


def build_masked(settings: ModelSettings, seed: int) -> MaskedTextModel:
    """A pretrained encoder under its masked-language-model head, or a new one where the checkpoint has none."""
    if settings.name == "textcnn":
        raise BadInput("textcnn has no masked-language model; use an encoder such as BERT, or minilm")
    place = locate(settings.name)
    with isolated(seed, "initial weights"), opening(place):
        tokenizer, config = tokenizer_of(place), config_of(place)
        check_masked(config, place.name)
        set_dropout(config, settings.dropout)
        network, info = network_of(place, "AutoModelForMaskedLM", config=config, **REPORTED)
        check_weights(network, info, place.name)
        give_pooler(network, place, config)
    check_tokenizer(tokenizer, place.name)
    check_padding(tokenizer, place.name)
    check_finite(network, place.name)
    model = MaskedModel(network, new_head=bool(info["missing_keys"]))
    check_head(model, tokenizer.mask_token_id, place.name)
    limit, notes = longest(settings, network, place)
    if info["missing_keys"]:
        notes += (f"{place.name} has no masked-language-model head: a new one is trained from scratch",)
    return MaskedTextModel(model, tokenizer, limit, settings.name, notes)


def give_pooler(network: PreTrainedModel, place: Place, config: Any) -> None:
    """Keep the encoder's pooler, which masked-language models leave out: fine-tuning goes on from it."""
    if pooling(network.base_model) is not None or not hasattr(network.base_model, "pooler"):
        return
    encoder = network_of(place, config=config)
    for name in POOLING if pooling(encoder) is not None else ():  # ALBERT's has a part of its own for the tanh
        if hasattr(network.base_model, name):
            setattr(network.base_model, name, getattr(encoder, name))


def save_masked(model: MaskedTextModel, folder: Path, card: str) -> None:
    """Write a Hugging Face folder that AutoModel, AutoModelForMaskedLM and fine-tuning open."""
    model.tokenizer.model_max_length = model.max_length
    write_folder(model.model.network, model.tokenizer, folder, card)


def check_head(model: MaskedModel, token: int, name: str) -> None:
    """Refuse networks whose head, run at chosen places, gives other logits than the whole network there."""
    tokens = Tokens(torch.full((1, 4), token), torch.ones(1, 4, dtype=torch.bool))
    chosen = torch.tensor([[False, True, False, True]])
    try:
        with torch.no_grad(), still(model):
            whole = model.network(**inputs(model.encoder, tokens)).logits[chosen]
            ours = model.logits(model(tokens, chosen).masked)
            right = torch.allclose(whole, ours, rtol=1e-3, atol=1e-3)
    except (AttributeError, IndexError, TypeError, RuntimeError):
        right = False
    if not right:
        kind = type(model.network).__name__
        raise BadInput(f"{name} ({kind}) has a vocabulary head that unfooled cannot run in part; use BERT or RoBERTa")
