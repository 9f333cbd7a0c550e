"""Cross-entropy over a whole vocabulary, a few tokens at a time.

The logits of all tokens [n, V] are far larger than what they are made of: 4096 tokens and 30,000 words are 490 MB. Here
no more than [chunk, V] of them exist at once. Since the loss is a sum, its gradients can be added up in the same walk,
while the logits are there; going back then only multiplies them by a number.
"""

from typing import Any

import torch
from torch import Tensor


def reconstruction(states: Tensor, weight: Tensor, bias: Tensor, targets: Tensor, chunk: int = 256) -> Tensor:
    """The sum over tokens of -log softmax(states · weightᵀ + bias)[target], in at least single precision.

    ``states`` [n, d], ``weight`` [V, d], ``bias`` [V], ``targets`` [n]. The gradient cannot be differentiated again.

    >>> total = reconstruction(torch.zeros(2, 3), torch.ones(10, 3), torch.zeros(10), torch.tensor([4, 7]))
    >>> round(total.item(), 4)  # 2 log 10
    4.6052
    """
    if chunk < 1:
        raise ValueError("a chunk holds at least one token")
    if not torch.is_grad_enabled():
        states, weight, bias = states.detach(), weight.detach(), bias.detach()
    return Reconstruction.apply(states, weight, bias, targets, chunk)


class Reconstruction(torch.autograd.Function):
    """The walk over chunks; gradients are kept only for what asks for one."""

    @staticmethod
    def forward(ctx: Any, states: Tensor, weight: Tensor, bias: Tensor, targets: Tensor, chunk: int) -> Tensor:
        """The sum of losses, and on the way its gradients."""
        exact = torch.promote_types(torch.promote_types(states.dtype, weight.dtype), torch.float32)
        given = (states, weight, bias)
        states, weight, bias = precise = [tensor.to(exact) for tensor in given]
        wanted = zip(precise, ctx.needs_input_grad[:3], strict=True)
        gradients = [torch.zeros_like(tensor) if needed else None for tensor, needed in wanted]
        total = states.new_zeros(())
        for start in range(0, len(states), chunk):
            piece = slice(start, start + chunk)
            logits = torch.addmm(bias, states[piece], weight.T)
            total += losses_to_slopes(logits, targets[piece]).sum()
            collect(gradients, piece, logits, states, weight)
        ctx.dtypes = [tensor.dtype for tensor in given]
        ctx.save_for_backward(*gradients)
        return total

    @staticmethod
    @torch.autograd.function.once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, factor: Tensor) -> tuple[Tensor | None, ...]:
        """The kept gradients times the incoming number."""
        pairs = zip(ctx.saved_tensors, ctx.dtypes, strict=True)
        return *((None if kept is None else (kept * factor).to(dtype)) for kept, dtype in pairs), None, None


def losses_to_slopes(logits: Tensor, targets: Tensor) -> Tensor:
    """The loss of each token [n]; the logits [n, V] are overwritten by its gradient, softmax - one-hot."""
    logits -= logits.amax(dim=1, keepdim=True)
    chosen = logits.gather(1, targets[:, None])
    partition = logits.exp_().sum(dim=1, keepdim=True)
    logits /= partition
    logits.scatter_add_(1, targets[:, None], torch.full_like(chosen, -1.0))
    return (partition.log() - chosen).squeeze(1)


def collect(gradients: list[Tensor | None], piece: slice, slopes: Tensor, states: Tensor, weight: Tensor) -> None:
    """Add what one chunk gives to the gradients of states, weight and bias that are wanted."""
    of_states, of_weight, of_bias = gradients
    if of_states is not None:
        torch.mm(slopes, weight, out=of_states[piece])
    if of_weight is not None:
        of_weight.addmm_(slopes.T, states[piece])
    if of_bias is not None:
        of_bias += slopes.sum(dim=0)
