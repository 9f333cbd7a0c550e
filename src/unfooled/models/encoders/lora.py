"""LoRA (Hu et al., ICLR 2022): small matrices beside frozen ones are trained, and are kept apart or merged.

    W x + (scale / rank) · B A x,    A [rank, in] random, B [out, rank] zero at first; scale = 2 · rank

What is new above the encoder (the head, a pooler that the checkpoint lacks) is trained whole, and belongs to the
adapter. peft does the work; nothing here is imported before somebody asks for an adapter.
"""

import copy
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from pydantic import Field
from torch import nn

from unfooled.errors import BadInput
from unfooled.models.adapters import ADAPTER_CONFIG, ADAPTER_WEIGHTS, check_adapter
from unfooled.settings import Settings

ADAPTER = "adapter"  # the folder of an adapter, inside that of the merged model
SCALE = 2  # times the rank
TURNED = "Conv1D"  # GPT-2's matrices, [in, out]
KINDS = {"AutoModelForSequenceClassification": "SEQ_CLS", "AutoModelForQuestionAnswering": "QUESTION_ANS"}


class Lora(Settings):
    """Which matrices get an adapter of which rank; without ``targets`` those that are usual for the architecture."""

    rank: int = Field(8, ge=1)
    targets: tuple[str, ...] = ()
    dropout: float = Field(0.0, ge=0, lt=1)


def peft_module() -> Any:
    """The library, or how to get it."""
    try:
        import peft
    except ImportError:
        raise BadInput("LoRA needs peft; run: pip install 'unfooled[lora]'") from None
    return peft


def unwrapped(network: Any) -> Any:
    """The network that an adapter is around, or the network itself."""
    return network.get_base_model() if hasattr(network, "get_base_model") else network


def adapted(network: Any, lora: Lora, missing: Iterable[str], opens_with: str, name: str) -> Any:
    """A network with an adapter around it; ``missing`` are the weights that its checkpoint did not have."""
    peft = peft_module()
    encoder = network.base_model
    others = [(child, module) for child, module in network.named_children() if module is not encoder]
    heads = {child for child, module in others if next(module.parameters(), None) is not None}
    inside = f"{network.base_model_prefix}."
    new = {key.removeprefix(inside).split(".")[0] for key in missing if key.startswith(inside)}
    try:
        config = peft.LoraConfig(
            task_type=KINDS[opens_with],
            r=lora.rank,
            lora_alpha=SCALE * lora.rank,
            lora_dropout=lora.dropout,
            fan_in_fan_out=any(type(module).__name__ == TURNED for module in encoder.modules()),
            target_modules=list(lora.targets) or None,
            modules_to_save=sorted(heads | new),
        )
        return peft.get_peft_model(network, config)
    except ValueError as error:
        known = ", ".join(linear_names(encoder))
        first = str(error).strip().splitlines()[0][:150]
        raise BadInput(
            f"{name} cannot have that adapter ({first}); set model.lora.targets to some of {known}"
        ) from None


def linear_names(encoder: nn.Module) -> list[str]:
    """What matrices inside an encoder are called, each name once."""
    kinds = ("Linear", TURNED)
    names = [name.rpartition(".")[2] for name, module in encoder.named_modules() if type(module).__name__ in kinds]
    return sorted(set(names))


def merged(network: Any) -> Any:
    """A copy of the network inside an adapter, with what was learnt added to its own matrices; others as they are."""
    return network if unwrapped(network) is network else copy.deepcopy(network).merge_and_unload()


def write_adapter(network: Any, tokenizer: Any, folder: Path, card: str) -> None:
    """Write what peft opens over the base model; the configuration beside it names the labels."""
    network.save_pretrained(folder, save_embedding_layers=False)
    unwrapped(network).config.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    (folder / "README.md").write_text(card, encoding="utf-8")


def base_of(folder: Path) -> str | None:
    """The base model of an adapter's folder; None where it holds none."""
    return check_adapter(folder) if (folder / ADAPTER_CONFIG).is_file() else None


def class_count(folder: Path) -> int | None:
    """For how many classes an adapter's head is, by the last of its own matrices."""
    from safetensors import safe_open

    with safe_open(folder / ADAPTER_WEIGHTS, "pt") as file:
        shapes = {name: file.get_slice(name).get_shape() for name in file.keys()}  # noqa: SIM118
    heads: Sequence[list[int]] = [shape for name, shape in shapes.items() if "lora_" not in name and len(shape) == 2]
    return heads[-1][0] if heads else None


def with_adapter(network: Any, folder: Path, missing: Iterable[str]) -> tuple[Any, list[str]]:
    """A base model with the adapter of a folder merged into it, and the weights that are still missing."""
    peft = peft_module()
    wrapped = peft.PeftModel.from_pretrained(network, folder, is_trainable=False)
    kept = [f".{name}." for name in wrapped.peft_config["default"].modules_to_save or ()]
    left = sorted(key for key in missing if not any(name in f".{key}" for name in kept))
    return wrapped.merge_and_unload(), left
