"""A Hugging Face text classifier, or span finder, with a door at its embedding lookup.

A perturbation is added to the *output of the lookup*, by a hook, so that the network's own scaling, positions,
LayerNorm and dropout run unchanged (``inputs_embeds`` skips some of them in some architectures).
"""

import inspect
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from unfooled.errors import BadInput
from unfooled.models.checks import lookup_of, reads_onward
from unfooled.models.encoders.decoders import at_last, positions_of
from unfooled.models.encoders.lora import unwrapped
from unfooled.types import Output, Tokens

REPLACED = "original_module"  # what an adapter calls a module of which it trains a copy


class Door(nn.Module):
    """A Hugging Face network whose looked-up token vectors can be moved, in a precision that can be reduced."""

    def __init__(self, network: PreTrainedModel, lookup: nn.Module) -> None:
        super().__init__()
        self.network = network
        self.autocast: torch.dtype | None = None  # reduced precision of the passes; losses stay in single
        self._lookup: list[nn.Module] = [lookup]  # in a list: not registered twice

    @property
    def lookup(self) -> nn.Module:
        """What looks token vectors up."""
        return self._lookup[0]

    @property
    def width(self) -> int:
        """The number of entries of one looked-up token vector."""
        return int(self._lookup[0].weight.shape[1])

    @property
    def lookup_scale(self) -> float:
        """By what the lookup itself multiplies the vectors of its table, as some of √d do."""
        return float(getattr(self._lookup[0], "embed_scale", 1.0))

    @property
    def later_scale(self) -> float:
        """By what the network multiplies what it has looked up, before anything else: √d, where the lookup does not."""
        owners = [module for module in self.network.modules() if self._lookup[0] in module.children()]
        return next((float(module.embed_scale) for module in owners if hasattr(module, "embed_scale")), 1.0)

    @property
    def table(self) -> Tensor:
        """The token vectors that are looked up [words, width], as constants."""
        return self._lookup[0].weight.detach()

    def precision(self, where: torch.device) -> torch.autocast:
        """The reduced precision of passes on a device, while open."""
        return torch.autocast(where.type, dtype=self.autocast, enabled=self.autocast is not None)


class Passed(NamedTuple):
    """What a pass through the network itself gives: logits, and the token states [B, T, H] of the layers wanted."""

    logits: Tensor
    layers: tuple[Tensor, ...]


Pass = Callable[[Tokens, Tensor | None, Collection[int]], Passed]  # of tokens, a perturbation and the layers wanted


class Classifier(Door):
    """Tokens, perhaps perturbed, become logits and the features the last layer reads.

    A network that answers questions gives two logits per token, [B, T, 2]: that the answer begins or ends there.
    """

    def __init__(self, network: PreTrainedModel) -> None:
        super().__init__(network, lookup_of(network))
        known = inspect.signature(unwrapped(network).forward).parameters
        self.takes_segments = "token_type_ids" in known
        self.reads_onward = reads_onward(network.config)
        self.unpadded: Pass | None = None  # by ``packed_training``
        self._last: list[nn.Linear] = [last_linear(network)]
        inside = inner_modules(network)
        self._dropouts = [each for each in network.modules() if isinstance(each, nn.Dropout) and each not in inside]

    @property
    def feature_width(self) -> int:
        """The number of features of a text that the last layer reads."""
        return int(self._last[0].in_features)

    @property
    def classes(self) -> int:
        """The number of logits."""
        return int(self._last[0].out_features)

    @property
    def depth(self) -> int:
        """The number of layers whose token states can be had."""
        return int(unwrapped(self.network).config.num_hidden_layers)

    @property
    def is_one_piece(self) -> bool:
        """Whether the network has no encoder apart from its head, and so no states of tokens."""
        return unwrapped(self.network).base_model is unwrapped(self.network)

    def encoder_parameters(self) -> list[nn.Parameter]:
        """What is trained below the layers that make the logits."""
        last, below = set(self._last[0].parameters()), unwrapped(self.network).base_model
        return [parameter for parameter in below.parameters() if parameter.requires_grad and parameter not in last]

    def forward(
        self, tokens: Tokens, delta: Tensor | None = None, states: bool = False, layers: Collection[int] = ()
    ) -> Output:
        """Logits [B, C] and features [B, H], as vector before dropout; ``delta`` [B, T, d] moves looked-up vectors.

        With ``states`` also the encoder's last hidden state of every token [B, T, H], and those behind each of the
        ``layers`` that are named by their numbers.
        """
        features: list[Tensor] = []
        hidden: list[Tensor] = []
        dropped: list[tuple[Tensor, Tensor]] = []  # what each dropout outside the encoder was given, and what it gave
        with ExitStack() as hooks:
            for dropout in self._dropouts:
                hook = dropout.register_forward_hook(lambda _, given, output: dropped.append((given[0], output)))
                hooks.enter_context(hook)
            hooks.enter_context(self._last[0].register_forward_pre_hook(lambda _, given: features.append(given[0])))
            if states:
                encoder = self._encoder()
                hooks.enter_context(encoder.register_forward_hook(lambda _, given, output: hidden.append(output[0])))
            every: list[Tensor] = []
            hooks.enter_context(self._last[0].register_forward_hook(lambda _, given, output: every.append(output)))
            way: Pass = self.padded
            if self.unpadded is not None and not states and bool(tokens.mask[:, 0].all()):  # each text has a token
                way = self.unpadded
            logits, inner = way(tokens, delta, layers)
        vector = next((given for given, output in dropped if output is features[0]), features[0])
        if self.reads_onward:  # its head reads every token; the text is known at the last real one
            logits, features[0], vector = (at_last(one, tokens.mask) for one in (every[0], features[0], vector))
        last = hidden[0] if hidden else None
        return Output(logits=logits, features=features[0], states=last, vector=vector, layers=inner)

    def padded(self, tokens: Tokens, delta: Tensor | None, layers: Collection[int]) -> Passed:
        """The pass that the network itself makes."""
        inputs = {"input_ids": tokens.ids, "attention_mask": tokens.mask.long()}
        if self.takes_segments and tokens.segments is not None:
            inputs["token_type_ids"] = tokens.segments
        if self.reads_onward and not bool(tokens.mask[:, 0].all()):
            inputs["position_ids"] = positions_of(tokens.mask)
        if layers:
            inputs["output_hidden_states"] = True
        with added(self.lookup, delta), self.precision(tokens.ids.device):
            answer = self.network(**inputs)
            logits = logits_of(answer, tokens.mask)
        return Passed(logits, tuple(answer.hidden_states[1 + number] for number in layers))

    def _encoder(self) -> nn.Module:
        if self.is_one_piece:
            raise BadInput(f"{type(self.network).__name__} has no token states; use a Hugging Face encoder")
        return unwrapped(self.network).base_model


def logits_of(answer: Any, mask: Tensor) -> Tensor:
    """The logits of a classifier [B, C], or of a span finder [B, T, 2]; padding never begins or ends an answer."""
    if "logits" in answer:
        return answer.logits
    both = torch.stack([answer.start_logits, answer.end_logits], dim=-1)
    return both.masked_fill(~mask[..., None], torch.finfo(both.dtype).min)


@contextmanager
def added(lookup: nn.Module, delta: Tensor | None) -> Iterator[None]:
    """While open, ``delta`` is added to whatever the lookup returns."""
    if delta is None:
        yield
        return
    used: list[bool] = []

    def add(_: nn.Module, given: tuple[Tensor, ...], looked_up: Tensor) -> Tensor:
        used.append(True)
        return looked_up + delta.to(looked_up.dtype)

    with lookup.register_forward_hook(add):
        yield
    if not used:
        raise RuntimeError("the perturbation was not used: this network does not look its tokens up where it says")


@contextmanager
def in_single_precision(model: Door) -> Iterator[None]:
    """While open, passes are made in full single precision: changes of 1e-5 are lost in bf16."""
    was, model.autocast = model.autocast, None
    try:
        yield
    finally:
        model.autocast = was


@contextmanager
def still(model: nn.Module) -> Iterator[None]:
    """While open, the model is in evaluation mode: no dropout. Attacks and PGD's ascent run so."""
    was = {module: module.training for module in model.modules()}
    model.train(False)
    try:
        yield
    finally:
        for module, training in was.items():
            module.training = training


def last_linear(network: PreTrainedModel) -> nn.Linear:
    """The layer that makes the logits: the last linear map to the classes outside the encoder."""
    inside = inner_modules(network)
    layers = [
        module
        for name, module in network.named_modules()
        if isinstance(module, nn.Linear)
        and module not in inside
        and module.out_features == network.config.num_labels
        and REPLACED not in name.split(".")
    ]
    if not layers:
        kind = type(network).__name__
        raise BadInput(f"{kind} has no linear classification layer that unfooled can read; use another encoder")
    return layers[-1]


def inner_modules(network: PreTrainedModel) -> set[nn.Module]:
    """The modules of the encoder inside a network; none where the network is one piece."""
    whole = unwrapped(network)
    return set(whole.base_model.modules()) if whole.base_model is not whole else set()
