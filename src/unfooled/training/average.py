"""An average of the weights over the updates, which looks, the choice of weights and the saved model use.

    shadow ← decay_t · shadow + (1 - decay_t) · theta,    decay_t = min(average, (1 + t) / (10 + t)),    t updates done

A constant decay of .99 would leave 39 % of the initial weights in the shadow after 94 updates: hence the rise.
All that is trained is averaged, a method's heads too, so that they fit the encoder they are saved with; a method's own
slow copies are not trained and stay as they are. So do buffers: running statistics are averages already.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import torch
from torch import Tensor, nn

from unfooled.training.optimizer import Parameters

InPeace = Callable[[], AbstractContextManager[None]]


class AveragedWeights(nn.Module):
    """The moving average of a module's trained parameters, as buffers; empty where ``decay`` is None."""

    updates: Tensor

    def __init__(self, averaged: Parameters, decay: float | None) -> None:
        super().__init__()
        self.decay = decay
        self._pairs: list[tuple[nn.Parameter, str]] = []  # in a list: the parameters are not registered twice
        if decay is None:
            return
        self.register_buffer("updates", torch.zeros((), dtype=torch.int64))
        for name, parameter in averaged.named_parameters():
            if parameter.requires_grad:
                buffer = name.replace(".", "/")  # a dot may not stand in a buffer's name
                self.register_buffer(buffer, parameter.detach().clone())
                self._pairs.append((parameter, buffer))

    @property
    def shadow(self) -> list[Tensor]:
        """The averages, in the order of the parameters."""
        return [self.get_buffer(buffer) for _, buffer in self._pairs]

    def follow(self) -> None:
        """One step towards the weights, after each update."""
        if self.decay is None:
            return
        self.updates += 1
        weights = [parameter.detach() for parameter, _ in self._pairs]
        torch._foreach_lerp_(self.shadow, weights, 1 - warmed_up(self.decay, int(self.updates)))

    @contextmanager
    def in_place(self, in_peace: InPeace = nullcontext) -> Iterator[None]:
        """While open, the averages stand where the weights do; afterwards the weights are back, to the bit.

        ``in_peace`` keeps away, while open, whatever could stop an exchange in the midst of it.
        """
        exchanged = False
        try:
            with in_peace():
                self._exchange()
                exchanged = True
            yield
        finally:
            if exchanged:
                with in_peace():
                    self._exchange()

    def _exchange(self) -> None:
        """Let weights and averages change places, each in the memory of the other: a share's memory is not its own."""
        for (parameter, _), average in zip(self._pairs, self.shadow, strict=True):
            weights = parameter.data.clone()
            parameter.data.copy_(average)
            average.copy_(weights)

    def settle(self) -> None:
        """Put the averages in the weights' place for good."""
        for (parameter, _), average in zip(self._pairs, self.shadow, strict=True):
            parameter.data.copy_(average)


def warmed_up(decay: float, updates: int) -> float:
    """The decay after so many updates.

    >>> [round(warmed_up(0.99, updates), 3) for updates in (1, 10, 100, 1000)]
    [0.182, 0.55, 0.918, 0.99]
    """
    return min(decay, (1 + updates) / (10 + updates))
