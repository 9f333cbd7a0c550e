"""Who is measured and attacked: networks, files, objects, servers, callables. VICTIMS is the one table."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from unfooled.errors import BadInput
from unfooled.table import Table
from unfooled.victims.victim import Kind, Victim

# In this order each kind is asked whether what was given is of its kind.
VICTIMS: Table[Kind] = Table(
    "kind of victim",
    {
        "onnx": ("unfooled.victims.onnx:ONNX", "A classifier in an ONNX file, its tokenizer beside it."),
        "skops": (
            "unfooled.victims.objects.skops_file:SKOPS",
            "An estimator of scikit-learn in a .skops file.",
        ),
        "web": ("unfooled.victims.servers.web:WEB", "A classifier behind an address: http://… or https://…."),
        "chat": (
            "unfooled.victims.servers.chat:CHAT",
            "A chat model on a server of the OpenAI kind: ChatVictim(base_url, model, labels), or a .toml file of it.",
        ),
        "pipeline": ("unfooled.victims.objects.pipeline:PIPELINE", 'A pipeline("text-classification").'),
        "sentence_head": (
            "unfooled.victims.objects.sentence_head:SENTENCE_HEAD",
            "A sentence encoder and a head over its vectors: (SentenceTransformer(…), head).",
        ),
        "hugging_face": (
            "unfooled.victims.objects.hugging_face:HUGGING_FACE",
            "A classifier of transformers and its tokenizer: (model, tokenizer).",
        ),
        "estimator": (
            "unfooled.victims.objects.estimator:ESTIMATOR",
            "Anything with predict_proba, or with predict and classes_, as scikit-learn has it.",
        ),
        "sequence": ("unfooled.victims.sequence:SEQUENCE", "A language model or a translator, by its folder."),
        "network": (
            "unfooled.victims.network:NETWORK",
            "A network of transformers or of ours, by its folder or name.",
        ),
        "callable": ("unfooled.victims.callable:CALLABLE", "Anything that turns texts into probabilities or logits."),
    },
)

__all__ = ["VICTIMS", "Kind", "Victim", "kind_of", "open_victim", "several"]


def open_victim(model: Any, labels: Sequence[str] = ()) -> Victim:
    """A victim of whatever kind takes what was given; ``labels`` name the classes of what has no names for them."""
    if isinstance(model, Victim):
        return model
    kind = kind_of(model)
    if kind is None:
        given = (
            f"({', '.join(type(part).__name__ for part in model)})"
            if isinstance(model, tuple)
            else type(model).__name__
        )
        known = "; ".join(line.removesuffix(".") for line in VICTIMS.lines.values())
        raise BadInput(f"{given} is no victim of a kind that is known. Known are: {known}")
    opened = kind.open(model, tuple(labels))
    return replace(opened, place=str(model)) if isinstance(model, str | Path) else opened


def kind_of(model: Any) -> Kind | None:
    """The kind of victim that takes what was given."""
    return next((VICTIMS[name] for name in VICTIMS if VICTIMS[name].takes(model)), None)


def several(models: Any) -> list[Any]:
    """One or more models as a list; a tuple that is one victim, as a network and its tokenizer are, stays whole.

    >>> several("runs/plain"), several(["a", "b"]), several(("a", "b"))
    (['runs/plain'], ['a', 'b'], ['a', 'b'])
    """
    if isinstance(models, str | Path) or not isinstance(models, Sequence):
        return [models]
    return [models] if isinstance(models, tuple) and kind_of(models) is not None else list(models)
