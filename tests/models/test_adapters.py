"""An adapter's configuration may say what plain low-rank matrices need, and its weights must bear it out."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file
from tiny import save_encoder

from unfooled.errors import BadInput
from unfooled.models.adapters import ADAPTER_CONFIG, ADAPTER_WEIGHTS, FREE, LOOKED_AT, UNUSED, check_adapter

# Looked at one by one in peft: each imports, reads or makes what a plain adapter has no need of.
MORE = {
    *("megatron_config", "loftq_config", "eva_config", "corda_config", "lora_ga_config", "velora_config"),
    *("alora_invocation_tokens", "use_qalora", "monteclora_config", "layer_replication", "use_bdlora", "arrow_config"),
    "kasa_config",
}
TOLD = {"base_model_name_or_path": "owner/model", "peft_type": "LORA", "r": 2, "megatron_core": "megatron.core"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = save_encoder(tmp_path / "encoder")
    save_file({"a.lora_A.weight": torch.zeros(2, 8)}, folder / ADAPTER_WEIGHTS)
    (folder / ADAPTER_CONFIG).write_text(json.dumps(TOLD))
    return folder


def saying(folder: Path, **values: Any) -> None:
    (folder / ADAPTER_CONFIG).write_text(json.dumps({**TOLD, **values}))


def test_a_plain_adapter_names_its_base(folder: Path) -> None:
    assert check_adapter(folder) == "owner/model"
    saying(folder, rank_pattern={"query": 8}, init_lora_weights=True, target_modules=".*(query|value)", lora_alpha=4)
    assert check_adapter(folder) == "owner/model"


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"megatron_config": {"a": 1}}, "more than an adapter of plain low-rank matrices .megatron_config"),
        ({"megatron_core": "os"}, "megatron_core"),
        ({"new_in_peft": 1}, "new_in_peft"),
        ({"init_lora_weights": "pissa"}, "asks for every matrix to be decomposed"),
        ({"r": 9}, "a rank of 9, and none of its matrices has it"),
        ({"rank_pattern": {"a": 10**9}}, "a rank of 1000000000"),
        ({"rank_pattern": [1.5]}, "a rank of"),
        ({"target_modules": "(a+)+$"}, "an expression in target_modules that may take for ever"),
        ({"layers_pattern": ["(x*)*"]}, "layers_pattern"),
        ({"peft_type": "IA3"}, "an adapter of kind IA3"),
        ({"base_model_name_or_path": 7}, "does not say of which base model"),
        ({"auto_map": {"a": "b.c"}}, "auto_map"),
    ],
)
def test_whatever_more_it_asks_for_is_refused(folder: Path, values: dict[str, Any], words: str) -> None:
    saying(folder, **values)
    with pytest.raises(BadInput, match=words):
        check_adapter(folder)


def test_weights_that_are_missing_or_none_are_refused(folder: Path) -> None:
    (folder / ADAPTER_WEIGHTS).write_bytes(bytes(30))
    with pytest.raises(BadInput, match="no whole safetensors file"):
        check_adapter(folder)
    (folder / ADAPTER_WEIGHTS).unlink()
    with pytest.raises(BadInput, match=r"holds no adapter_model\.safetensors"):
        check_adapter(folder)


def test_what_lies_beside_it_is_looked_at_too(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "num_hidden_layers": 10**7}))
    with pytest.raises(BadInput, match="num_hidden_layers = 10,000,000"):
        check_adapter(folder)


def test_every_setting_that_the_installed_peft_has_was_looked_at() -> None:
    """A setting that is new there is refused where it is not empty; see what it does, then put it where it belongs."""
    from peft import LoraConfig

    known = {field.name for field in dataclasses.fields(LoraConfig)}
    assert known - FREE - LOOKED_AT - set(UNUSED) <= MORE
