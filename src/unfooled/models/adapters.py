"""The folder of an adapter, checked before peft sees it: its configuration, and that its weights bear that out.

peft does many things besides LoRA as it is commonly meant: it imports packages that a configuration names, reads files
of statistics, decomposes every matrix, repeats layers. A key that is not known here to do none of that must be empty.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from unfooled.errors import BadInput
from unfooled.models.refused import check_settings, settings_in
from unfooled.models.weights import Shapes, check_sizes, header_of

ADAPTER_CONFIG = "adapter_config.json"  # as peft calls it
ADAPTER_WEIGHTS = "adapter_model.safetensors"  # as peft calls them
BASE = "base_model_name_or_path"  # the model it is laid over, which is located and checked by itself
RANK, RANKS, START = "r", "rank_pattern", "init_lora_weights"
FREE = {
    *("peft_type", "task_type", "auto_mapping", "peft_version", "revision", "inference_mode", "bias", BASE),
    *("target_modules", "exclude_modules", "modules_to_save", "layers_to_transform", "layers_pattern", "lora_bias"),
    *("lora_alpha", "alpha_pattern", "lora_dropout", "fan_in_fan_out", "use_rslora", "use_dora", "qalora_group_size"),
    *("trainable_token_indices", "target_parameters", "ensure_weight_tying", "runtime_config"),
}
LOOKED_AT = {RANK, RANKS, START}
UNUSED = {"megatron_core": "megatron.core"}  # what peft writes where nobody has asked for it
STARTS = (None, True, False, "gaussian", "orthogonal")  # that cost next to nothing; others decompose every matrix
MATCHED = ("target_modules", "exclude_modules", "layers_pattern", RANKS, "alpha_pattern")  # may hold expressions
COSTLY = re.compile(r"\)\s*[*+{]")  # an expression that is repeated may take for ever


def check_adapter(folder: Path) -> str:
    """The base model of an adapter's folder, which is refused where a file asks for code, or it cannot be merged."""
    config = check_settings(folder)
    told = settings_in(folder / ADAPTER_CONFIG, known=(BASE,))
    base, kind = told.get(BASE), told.get("peft_type")
    if kind != "LORA":
        raise BadInput(f"{folder} is an adapter of kind {kind}, and only LORA can be merged; merge it, and give that")
    if not (folder / ADAPTER_WEIGHTS).exists():
        raise BadInput(
            f"{folder} holds no {ADAPTER_WEIGHTS}; save the adapter as safetensors, for nothing else is opened"
        )
    shapes = header_of(folder / ADAPTER_WEIGHTS)
    check_sizes(folder / "config.json", config, len(shapes))
    check_keys(folder / ADAPTER_CONFIG, told)
    check_ranks(folder / ADAPTER_CONFIG, told, shapes)
    if not isinstance(base, str) or not base:
        raise BadInput(f"{folder / ADAPTER_CONFIG} does not say of which base model it is; fill in {BASE}")
    return base


def check_keys(path: Path, told: Mapping[str, Any]) -> None:
    """Refuse keys that ask for more than plain low-rank matrices, and expressions that may take for ever."""
    for key, value in told.items():
        empty = value in (None, False, {}, [], "") or UNUSED.get(key) == value
        if key not in FREE | LOOKED_AT and not empty:
            raise BadInput(
                f"{path} asks for more than an adapter of plain low-rank matrices ({key}); merge it elsewhere, "
                "and give the merged model"
            )
    if told.get(START, True) not in STARTS:
        raise BadInput(f"{path} asks for every matrix to be decomposed ({START}); its weights are there, so say true")
    for key in MATCHED:
        if any(COSTLY.search(text) for text in texts_of(told.get(key))):
            raise BadInput(f"{path} has an expression in {key} that may take for ever; name the modules one by one")


def texts_of(value: Any) -> Iterator[str]:
    """The texts in a value: itself, its entries, its keys."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        yield from (one for one in value if isinstance(one, str))


def check_ranks(path: Path, told: Mapping[str, Any], shapes: Shapes) -> None:
    """Refuse ranks that no matrix of the adapter has: peft sets room aside for them before it reads one."""
    widest = max((max(shape, default=0) for shape in shapes.values()), default=0)
    ranks = told.get(RANKS) or {}
    for rank in (told.get(RANK, 0), *(ranks.values() if isinstance(ranks, dict) else [ranks])):
        if type(rank) is not int or rank > widest:
            said = str(rank)[:40]
            raise BadInput(f"{path} says a rank of {said}, and none of its matrices has it; restore the files")
