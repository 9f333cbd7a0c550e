"""Keys through which transformers would load code, and the test that finds new ones in the installed version."""

import ast
import json
import os
from pathlib import Path
from typing import Any

import pytest
import transformers
from tiny import save_encoder

from unfooled.errors import BadInput
from unfooled.models.adapters import ADAPTER_CONFIG, check_adapter
from unfooled.models.refused import CHOICES, REFUSED, check_settings

# Where transformers reads the files of a model folder, and what it calls their values there.
LOADING = (
    "configuration_utils.py",
    "modeling_utils.py",
    "models/auto/auto_factory.py",
    "models/auto/configuration_auto.py",
    "models/auto/tokenization_auto.py",
    "tokenization_utils_base.py",
    "tokenization_utils_tokenizers.py",
    "dynamic_module_utils.py",
    "quantizers/auto.py",
    "integrations/peft.py",
    "integrations/hub_kernels.py",
    "modeling_flash_attention_utils.py",
)
VALUES = {"config", "config_dict", "init_kwargs", "tokenizer_config", "adapter_kwargs", "init_configuration"}
LOADERS = {"import_module", "from_pretrained", "get_class_from_dynamic_module", "get_kernel", "hf_hub_download"}
LOADERS |= {"cached_file", "cached_files", "snapshot_download", "load_backbone", "create_model", "load_dataset", "load"}

# Looked at one by one: none of them names code, a package or a file. A key that stands neither here nor in REFUSED is
# new in the installed transformers; see what it does with it, then put it where it belongs.
HARMLESS_WORDS = (
    "__class__ _commit_hash _name_or_path add_bos_token add_eos_token added_tokens_decoder additional_special_tokens "
    "architectures attention_dropout base_model_pp_plan base_model_tp_plan bos_token_id chat_control_tokens "
    "chat_template "
    "copy decoder dtype encoder eos_token_id extra_special_tokens features_only files_loaded fix_mistral_regex get "
    "get_text_config gradient_checkpointing init_std initializer_factor initializer_range is_local items keys "
    "layer_types "
    "local_files_only model_name model_specific_special_tokens model_type mtp_layer_types name_or_path num_channels "
    "num_hidden_layers num_kv_shared_layers out_indices pad_token_id per_layer_config pop processor_class "
    "response_template save_pretrained sep_token_id setdefault sliding_window slow_tokenizer_class "
    "special_tokens_map_file sub_configs tie_word_embeddings token tokenizer_class tokenizer_file update "
    "validate_architecture values "
)
HARMLESS = set(HARMLESS_WORDS.split())
# Handed to a loader of another model: those models are no text models, and are opened by none of our classes.
OF_OTHER_MODELS = {"architecture", "download_kwargs", "features_only", "generator", "output_stride", "question_encoder"}


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def text_of(node: ast.AST) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def of_values(node: ast.AST) -> bool:
    return ast.unparse(node).split(".")[-1] in VALUES


def key_read(node: ast.AST) -> str | None:
    """The key of a configuration that an expression reads."""
    if isinstance(node, ast.Attribute) and of_values(node.value):
        return node.attr
    if isinstance(node, ast.Subscript) and of_values(node.value):
        return text_of(node.slice)
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn) and of_values(node.comparators[0]):
        return text_of(node.left)
    if isinstance(node, ast.Call) and len(node.args) > 1 and ast.unparse(node.func) in ("getattr", "hasattr"):
        return text_of(node.args[1]) if of_values(node.args[0]) else None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("get", "pop"):
        return text_of(node.args[0]) if node.args and of_values(node.func.value) else None
    return None


def is_refused(key: str) -> bool:
    return key in REFUSED or CHOICES.search(key) is not None


def test_every_key_that_loading_reads_in_the_installed_version_was_looked_at() -> None:
    root = Path(transformers.__file__).parent
    keys = {key_read(node) for name in LOADING for node in ast.walk(parsed(root / name))} - {None}
    assert {"auto_map", "quantization_config", "_attn_implementation", "transformers_weights"} <= keys
    new = {key for key in keys if key is not None and key not in HARMLESS and not is_refused(key)}
    assert not new, f"transformers {transformers.__version__} reads {sorted(new)}; see what it does with them"


def test_every_key_that_is_handed_to_a_loader_anywhere_was_looked_at() -> None:
    root, keys = Path(transformers.__file__).parent, set[str]()
    for path in root.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if path.name.startswith("convert") or not any(f"{name}(" in text for name in LOADERS):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in LOADERS:
                given = [*node.args, *(one.value for one in node.keywords)]
                inner = [part for one in given for part in ast.walk(one)]
                keys |= {key for part in inner if (key := key_read(part)) is not None}
    assert "backbone" in keys
    new = {key for key in keys if not is_refused(key)} - OF_OTHER_MODELS - HARMLESS
    assert not new, f"transformers {transformers.__version__} loads by {sorted(new)}; see what it does with them"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return save_encoder(tmp_path / "encoder")


def change(path: Path, **values: Any) -> None:
    before = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps({**before, **values}))


@pytest.mark.parametrize("name", ["config.json", "tokenizer_config.json", "generation_config.json"])
@pytest.mark.parametrize("key", sorted(REFUSED))
def test_a_refused_key_is_refused_wherever_it_stands(tmp_path: Path, name: str, key: str) -> None:
    (tmp_path / "config.json").write_text("{}")
    check_settings(tmp_path)
    for values in ({key: {"a": "evil.Model"}}, {"text_config": {"deeper": [{key: "evil"}]}}):
        change(tmp_path / name, **values)
        with pytest.raises(BadInput, match=rf"{name} asks for .*{key}"):
            check_settings(tmp_path)
        change(tmp_path / name, **dict.fromkeys(values))


@pytest.mark.parametrize(
    "value",
    ["owner/kernel", "owner/kernel@main:fn", "flash_attention_2", {"": "sdpa", "encoder": "owner/kernel"}, ["x"]],
)
@pytest.mark.parametrize("key", ["_attn_implementation", "attn_implementation", "_experts_implementation_internal"])
def test_kernels_of_the_hub_are_refused(folder: Path, key: str, value: object) -> None:
    change(folder / "config.json", **{key: value})
    with pytest.raises(BadInput, match=f"code of its own .{key}"):
        check_settings(folder)
    change(folder / "config.json", **{key: "sdpa"}, _attn_implementation_autoset=True)
    check_settings(folder)


def test_whatever_else_lies_beside_an_adapter_is_looked_at_too(folder: Path) -> None:
    (folder / ADAPTER_CONFIG).write_text("{}")
    change(folder / "config.json", auto_map={"AutoModel": "modeling.Evil"})
    with pytest.raises(BadInput, match="auto_map"):
        check_adapter(folder)


def test_a_tokenizer_reads_no_file_of_another_folder(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    change(folder / "tokenizer_config.json", vocab_file="/home/gone/vocab.txt")  # as older versions wrote them
    check_settings(folder)
    change(folder / "tokenizer_config.json", vocab_file=str(tmp_path / "secret.txt"))
    with pytest.raises(BadInput, match="names a file outside its folder"):
        check_settings(folder)


def test_settings_without_end_are_refused(folder: Path) -> None:
    change(folder / "config.json", many={str(number): 0 for number in range(30_000)})
    with pytest.raises(BadInput, match="30,000 entries at one place"):
        check_settings(folder)
    (folder / "config.json").write_text("[1]")
    with pytest.raises(BadInput, match="no object of JSON"):
        check_settings(folder)
    (folder / "config.json").unlink()
    os.mkfifo(folder / "config.json")
    with pytest.raises(BadInput, match="is a pipe"):
        check_settings(folder)


def test_a_vocabulary_without_end_is_refused(folder: Path) -> None:
    with (folder / "tokenizer.json").open("ab") as file:
        file.truncate(1 << 40)
    with pytest.raises(BadInput, match="tokenizer.json has 1,099,511,627,776 bytes"):
        check_settings(folder)
