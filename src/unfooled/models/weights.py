"""The weights of a model folder: ordinary safetensors files inside it, their headers checked before torch is there."""

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from unfooled.errors import BadInput
from unfooled.limits import beyond, limits
from unfooled.parsing import content, json_value, opened, ordinary

WEIGHTS, INDEX = "model.safetensors", "model.safetensors.index.json"
PICKLES = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.pkl")
BITS = {"BOOL": 8, "U8": 8, "I8": 8, "F8_E4M3": 8, "F8_E5M2": 8, "F8_E8M0": 8, "I16": 16, "U16": 16, "F16": 16}
BITS |= {"BF16": 16, "I32": 32, "U32": 32, "F32": 32, "I64": 64, "U64": 64, "F64": 64, "C64": 64}
LAYERS = re.compile(r"(layers?|blocks|stages|groups|experts|repeats?|depths?|group_num)$", re.IGNORECASE)
SLACK = 50_000_000  # weights that a new head, or what a checkpoint lacks, may take

Shapes = dict[str, tuple[int, ...]]


def check_weights_of(folder: Path, config: Mapping[str, Any]) -> Shapes:
    """The shapes of a folder's weights by name, refused where a file is no safetensors or lies elsewhere."""
    shapes: Shapes = {}
    for name in weight_files(folder):
        shapes |= header_of(folder / name)
    if len(shapes) > limits().tensors:
        raise beyond(f"{folder} has {len(shapes):,} weights by name", "tensors", "restore the files")
    check_sizes(folder / "config.json", config, len(shapes))
    return shapes


def weight_files(folder: Path) -> list[str]:
    """The names of the files with a folder's weights: all that an index names, each an ordinary file in the folder."""
    named = indexed(folder / INDEX) if (folder / INDEX).exists() else []
    names = list(dict.fromkeys([*([WEIGHTS] if (folder / WEIGHTS).exists() else []), *named]))
    if names:
        return names
    pickles = [path.name for pattern in PICKLES for path in folder.glob(pattern)]
    if pickles:
        raise BadInput(
            f"{folder} has its weights in a pickle ({pickles[0]}), which can run code and is refused; "
            f"save them as {WEIGHTS}"
        )
    raise BadInput(f"{folder} holds no weights: {WEIGHTS} is missing")


def indexed(path: Path) -> list[str]:
    """The files that an index names, refused where one is not a plain safetensors file beside it."""
    try:
        index = json_value(content(path))
        names = dict.fromkeys(index["weight_map"].values())
        whole = isinstance(index["metadata"], dict)
    except (ValueError, TypeError, KeyError, AttributeError):
        whole, names = False, {}
    if not whole:
        raise BadInput(f"{path} is no index of weights; restore the file")
    for name in names:
        plain = isinstance(name, str) and re.fullmatch(r"[^/\\\0]+\.safetensors", name)
        if not plain or not (path.parent / name).exists():
            shown = str(name)[:80]
            raise BadInput(
                f"{path} names {shown} as a file of weights; only safetensors files that lie beside it are opened, "
                f"so restore the files, or save the model again"
            )
    return list(names)


def header_of(path: Path) -> Shapes:
    """The shapes in the header of a safetensors file, refused where it does not describe the file."""
    size = ordinary(path).st_size
    with opened(path) as file:
        length = int.from_bytes(file.read(8), "little")
        if length > limits().document:
            raise beyond(f"{path} has a header of {length:,} bytes", "document", "restore the file")
        header = file.read(length)
    shapes: Shapes = {}
    try:
        ends = []
        for name, entry in json_value(header).items():
            if name != "__metadata__":
                first, end = entry["data_offsets"]
                shapes[name] = tuple(entry["shape"])
                check_entry(shapes[name], BITS[entry["dtype"]], first, end)
                ends.append((first, end))
        whole = len(header) == length and 8 + length + max((end for _, end in ends), default=0) == size
        overlap = any(before[1] > behind[0] for before, behind in zip(sorted(ends), sorted(ends)[1:], strict=False))
    except (ValueError, TypeError, KeyError, AttributeError):
        whole = overlap = False
    if not whole or overlap:
        raise BadInput(
            f"{path} cannot be read: it is no whole safetensors file, its header says otherwise; restore the file"
        )
    return shapes


def check_entry(shape: tuple[int, ...], bits: int, first: int, end: int) -> None:
    """Raise where an entry's place is not that of its numbers."""
    if any(type(number) is not int or number < 0 for number in (*shape, first, end)):
        raise ValueError("no size")
    if math.prod(shape) * bits != 8 * (end - first):
        raise ValueError("another size")


def check_sizes(path: Path, config: Mapping[str, Any], weights: int) -> None:
    """Refuse a configuration that asks for far more layers or labels than a model with so many weights has."""
    waiting: list[Mapping[str, Any]] = [config]
    while waiting:
        one = waiting.pop()
        waiting += [value for value in one.values() if isinstance(value, dict)]
        for key, value in one.items():
            number = value if isinstance(value, int) else 0
            if "label" in key and max(number, len(value) if isinstance(value, dict | list) else 0) > limits().labels:
                raise beyond(f"{path} has too many labels ({key})", "labels", "restore the file")
            if LAYERS.search(key) and number > 64 + weights:
                raise BadInput(
                    f"{path} says {key} = {number:,}, but its files have {weights} weights; restore the files"
                )


def check_growth(path: Path, asked: int, shapes: Shapes) -> None:
    """Refuse a network of many times the weights that are in its files: what is missing would be made up."""
    stored = sum(math.prod(shape) for shape in shapes.values())
    if asked > SLACK + limits().growth * stored:
        raise BadInput(
            f"{path} describes a network of {asked:,} weights, but its files have {stored:,}; restore the files, "
            "or set UNFOOLED_LIMITS=growth=…"
        )
