"""Hostile adapters: configurations through which peft would import, read or make what nobody asked for."""

import json
import os
import struct
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from hostile.grounds_of import DATA, changed_json, copied, evaluation
from hostile.hostile_input import Hostile, Make
from unfooled.models.adapters import ADAPTER_CONFIG, ADAPTER_WEIGHTS

PLAIN = {"peft_type": "LORA", "base_model_name_or_path": "model", "r": 2, "target_modules": ["query"]}
MATRIX = {"dtype": "F32", "shape": [2, 8], "data_offsets": [0, 64]}


def adapter(change: Callable[[Path], Any]) -> Make:
    """A whole adapter beside its base model, changed, then evaluated."""

    def make(root: Path) -> Sequence[str | Path]:
        folder = copied(root, "model", DATA) / "adapter"
        folder.mkdir()
        head = json.dumps({"base_model.model.query.lora_A.weight": MATRIX}).encode()
        (folder / ADAPTER_WEIGHTS).write_bytes(struct.pack("<Q", len(head)) + head + bytes(64))
        (folder / ADAPTER_CONFIG).write_text(json.dumps(PLAIN))
        change(folder)
        return evaluation("adapter")

    return make


def saying(**values: Any) -> Make:
    return adapter(lambda folder: changed_json(folder / ADAPTER_CONFIG, values))


def beside(name: str, make: Callable[[Path], Any]) -> Make:
    def change(folder: Path) -> None:
        (folder / name).unlink(missing_ok=True)
        (folder / name).parent.mkdir(exist_ok=True)
        make(folder / name)

    return adapter(change)


INPUTS = {
    "a package to import": saying(megatron_config={"a": 1}, megatron_core="os"),
    "statistics in a file": saying(corda_config={"cache_file": "/etc/passwd"}, init_lora_weights="corda"),
    "matrices to decompose": saying(init_lora_weights="pissa"),
    "layers a million times": saying(layer_replication=[[0, 1]] * 1000),
    "a rank beyond all": saying(r=10**9),
    "a rank that is a text": saying(r="8"),
    "ranks beyond all": saying(rank_pattern={"query": 10**9}),
    "an expression without end": saying(target_modules="(a+)+$"),
    "a rank for an expression without end": saying(rank_pattern={"(.*a)*": 1}),
    "a key that nobody knows": saying(evil_config={"a": 1}),
    "code": saying(auto_map={"a": "b.c"}),
    "a base on the hub": saying(base_model_name_or_path="owner/model"),
    "no base": saying(base_model_name_or_path=None),
    "another kind": saying(peft_type="EVIL"),
    "no weights": adapter(lambda folder: (folder / ADAPTER_WEIGHTS).unlink()),
    "weights that are a pipe": beside(ADAPTER_WEIGHTS, os.mkfifo),
    "weights that are none": beside(ADAPTER_WEIGHTS, lambda path: path.write_bytes(b"x" * 100)),
    "ten million layers beside it": beside("config.json", lambda path: path.write_text('{"num_layers": 10000000}')),
    "100,000 labels beside it": beside("config.json", lambda path: path.write_text('{"num_labels": 100000}')),
    "a vocabulary that is a pipe": beside("tokenizer.json", os.mkfifo),
    "a vocabulary within that is a pipe": beside("inner/tokenizer.json", os.mkfifo),
}


def inputs() -> list[Hostile]:
    return [Hostile(f"adapter: {name}", make, heavy="hub" in name) for name, make in INPUTS.items()]
