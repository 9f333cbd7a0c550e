"""The precision of passes: as told, or what a short measurement says this machine is faster in.

Half the bits are half the memory, but not half the time everywhere: a processor without arithmetic for bf16 took 7.7
times as long with it. So ``plan.precision = "auto"`` multiplies two matrices in both and takes bf16 only where that is
clearly faster. What was decided is written into the run's recipe, and a resumed run does not decide again: it may go on
at another hour, or on another machine.
"""

import time

import torch

from unfooled.errors import BadInput, either, setting
from unfooled.gather import said_by_first
from unfooled.recipe.config import Recipe
from unfooled.recipe.plan import AUTO, Plan
from unfooled.training.run_folder import RunFolder

CLEARLY = 1.2  # times as fast: passes are not made of products alone
ROUNDS = 5  # of which the fastest counts
SHAPE = (1024, 384, 1536)  # of the products: tokens of a batch, and a layer of the embedded encoder


def autocast_dtype(plan: Plan, device: torch.device) -> torch.dtype | None:
    """The reduced precision of forward passes, refused where the machine has none."""
    if plan.precision == AUTO:
        raise ValueError("the precision has not been decided on; see with_precision")
    if plan.precision == "fp32":
        return None
    if not has_half(device):
        raise BadInput(f"this machine has no bf16 arithmetic; use {setting('plan', 'precision', 'fp32')}")
    return torch.bfloat16


def has_half(device: torch.device) -> bool:
    """Whether a device has arithmetic for bf16."""
    return torch.cuda.is_bf16_supported() if device.type == "cuda" else torch.cpu._is_avx512_bf16_supported()


def with_precision(
    recipe: Recipe, folder: RunFolder, device: torch.device, is_first: bool = True
) -> tuple[Recipe, tuple[str, ...]]:
    """The recipe with a precision, decided by the first process where it names none, and a note on the choice."""
    if recipe.plan.precision != AUTO:
        return recipe, ()
    begun_with = folder.decided("precision") if is_first else None
    choice, why = decided(recipe.plan, device) if is_first and begun_with is None else (begun_with or "", "")
    choice, why = said_by_first(f"{choice}|{why or 'as the run was begun'}").split("|")
    plan = recipe.plan.model_copy(update={"precision": choice})
    otherwise = either("--set plan.precision", 'plan={"precision": …}')
    return recipe.model_copy(update={"plan": plan}), (f"precision: {choice}, {why} ({otherwise} says otherwise)",)


def decided(plan: Plan, device: torch.device) -> tuple[str, str]:
    """The precision that a run is to begin with, and why."""
    if plan.packed and device.type == "cuda":
        return "fp32", "because what half precision is worth without padding was not measured on graphics processors"
    if not has_half(device):
        return "fp32", "because this machine has no bf16 arithmetic"
    times = times_as_fast(device)
    return "bf16" if times >= CLEARLY else "fp32", f"because products in bf16 are {times:.1f} times as fast here"


def times_as_fast(device: torch.device) -> float:
    """How many times as fast as in single precision matrices are multiplied in bf16."""
    rows, inner, columns = SHAPE
    pairs = [
        (torch.ones(rows, inner, dtype=dtype, device=device), torch.ones(inner, columns, dtype=dtype, device=device))
        for dtype in (torch.float32, torch.bfloat16)
    ]
    seconds = [[product_seconds(*pair) for pair in pairs] for _ in range(ROUNDS + 1)][1:]  # the first only wakes it
    single, half = (min(own) for own in zip(*seconds, strict=True))
    return single / max(half, 1e-9)


def product_seconds(one: torch.Tensor, other: torch.Tensor) -> float:
    """How long a product takes: of a processor its own time, whatever else it is busy with."""
    if one.device.type != "cuda":
        began = time.process_time()
        torch.mm(one, other)
        return time.process_time() - began
    torch.cuda.synchronize(one.device)
    began = time.perf_counter()
    torch.mm(one, other)
    torch.cuda.synchronize(one.device)
    return time.perf_counter() - began
