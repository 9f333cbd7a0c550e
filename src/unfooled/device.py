"""Where networks compute: the GPU if there is one, or what was asked for."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from unfooled.errors import BadInput, option

_ASKED: ContextVar[str | None] = ContextVar("device", default=None)


@contextmanager
def on_device(name: str | None) -> Iterator[None]:
    """While open, networks are put on this device; None leaves it as it is."""
    before = _ASKED.set(name if name is not None else _ASKED.get())
    try:
        yield
    finally:
        _ASKED.reset(before)


def asked_device() -> str | None:
    """The device that was asked for, for processes that are to be like this one; None where nothing was said."""
    return _ASKED.get()


def device() -> str:
    """The name of the device, as torch has it; refused where there is none of that name."""
    import torch

    asked = _ASKED.get()
    if asked is None:
        return "cuda" if torch.cuda.is_available() else "cpu"
    there = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    kind, _, number = asked.partition(":")
    able = there.get(kind, False) and (not number or (number.isdigit() and kind == "cuda"))
    if not able or (kind == "cuda" and int(number or 0) >= torch.cuda.device_count()):
        known = ", ".join(name for name, is_there in there.items() if is_there)
        raise BadInput(f"{option('device')} {asked}: torch finds no such device here; it finds {known}")
    return asked
