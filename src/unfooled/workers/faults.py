"""What goes wrong at a worker: an answer there, and raised here as this process would have raised it."""

import traceback
from collections.abc import Mapping
from typing import Any

from pydantic import JsonValue

from unfooled.errors import BadInput


def plain_fault(error: Exception) -> dict[str, JsonValue]:
    """An error as an answer: a person's input, the system (a full disk, a file that cannot be read), or our fault."""
    if isinstance(error, BadInput):
        return {"refused": str(error)}
    if isinstance(error, OSError):
        file = None if error.filename is None else str(error.filename)
        return {"system": {"number": error.errno, "reason": error.strerror or str(error), "file": file}}
    return {"failed": "".join(traceback.format_exception(error))}


def raise_fault(answer: Mapping[str, Any], work: str = "") -> None:
    """Raise what went wrong, if an answer says so; ``work`` is at what."""
    if "refused" in answer:
        raise BadInput(answer["refused"])
    if "system" in answer:
        told = answer["system"]
        raise OSError(told["number"], told["reason"], told["file"])
    if "failed" in answer:
        raise RuntimeError(f"a worker failed{work and f' at {work}'}:\n{answer['failed']}")
