"""A language model or a translator as a victim: nothing asks it for probabilities, its trials look into it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from unfooled.errors import BadInput
from unfooled.parsing import json_file
from unfooled.types import Texts
from unfooled.victims.victim import Kind, Victim


def task_of(name: str | Path) -> str | None:
    """Whether a model folder holds a language model ("lm") or a translator ("translation"); None for anything else."""
    folder = next((path for path in (Path(name) / "model", Path(name)) if (path / "config.json").is_file()), None)
    if folder is None:
        return None
    try:
        config = json_file(folder / "config.json", finite=False)
    except (ValueError, BadInput):  # whoever opens it says what is wrong
        return None
    if not isinstance(config, dict):
        return None
    kinds = config.get("architectures")
    made = " ".join(kind for kind in kinds if isinstance(kind, str)) if isinstance(kinds, list) else ""
    if config.get("is_encoder_decoder") and ("Conditional" in made or "MTModel" in made):
        return "translation"
    return "lm" if any(end in made for end in ("CausalLM", "LMHeadModel", "Tensorized")) else None


def takes(model: Any) -> bool:
    """Whether it is the folder of such a model."""
    return isinstance(model, str | Path) and task_of(model) is not None


def opened(name: str | Path, labels: tuple[str, ...]) -> Victim:
    """A language model or translator, by its folder."""
    from unfooled.models.sequences.sequence_model import load_language_model, load_translator

    task = str(task_of(name))
    model = (load_language_model if task == "lm" else load_translator)(str(name))
    return Victim(
        name=str(name),
        call=no_classes,
        hash=model.fingerprint(),
        rules=model.rules(),
        task=task,
        max_length=model.max_length,
        network=model,
    )


def no_classes(texts: Sequence[Texts]) -> np.ndarray:
    """Such a model says no classes."""
    raise BadInput("a language model or translator answers with words, not with classes; its trials are others")


SEQUENCE = Kind(takes, opened)
