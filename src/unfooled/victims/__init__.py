"""Who is measured and attacked: networks, ONNX files, callables, and models that write. VICTIMS is the one table."""

from collections.abc import Sequence
from typing import Any

from unfooled.errors import BadInput
from unfooled.table import Table
from unfooled.victims.victim import Kind, Victim

# In this order each kind is asked whether what was given is of its kind.
VICTIMS: Table[Kind] = Table(
    "kind of victim",
    {
        "onnx": ("unfooled.victims.onnx:ONNX", "A classifier in an ONNX file, its tokenizer beside it."),
        "sequence": ("unfooled.victims.sequence:SEQUENCE", "A language model or a translator, by its folder."),
        "network": (
            "unfooled.victims.network:NETWORK",
            "A network of transformers or of ours.",
        ),
        "callable": ("unfooled.victims.callable:CALLABLE", "Anything that turns texts into probabilities or logits."),
    },
)

__all__ = ["VICTIMS", "Kind", "Victim", "open_victim"]


def open_victim(model: Any, labels: Sequence[str] = ()) -> Victim:
    """A victim of whatever kind takes what was given; ``labels`` name the classes of what has no names for them."""
    if isinstance(model, Victim):
        return model
    for name in VICTIMS:
        kind = VICTIMS[name]
        if kind.takes(model):
            return kind.open(model, tuple(labels))
    raise BadInput(f"{type(model).__name__} is no victim; give a model, its folder or name, or a callable")
