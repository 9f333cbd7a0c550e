"""What the files of a model may not ask for: keys through which transformers would load code, or files not looked at.

Every file is looked at before transformers sees the folder. ``tests/models/test_refused.py`` reads which keys the
installed transformers knows, and fails for one that stands neither here nor among those known to be harmless.
"""

import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from unfooled.errors import BadInput
from unfooled.limits import beyond, limits
from unfooled.parsing import json_file, ordinary

CODE, ELSEWHERE, PACKAGES = "code of its own", "a file that was not looked at", "packages that run code of their own"
REFUSED = {
    "auto_map": CODE,
    "custom_pipelines": CODE,
    "custom_generate": CODE,
    "init_inputs": CODE,  # goes to a tokenizer's constructor as it stands
    "fusion_config": CODE,  # kernels of the hub in place of layers
    "kernel_config": CODE,
    "use_kernels": CODE,
    "quantization_config": PACKAGES,
    "compression_config": PACKAGES,
    "distributed_config": PACKAGES,
    "device_map": PACKAGES,
    "backbone": PACKAGES,
    "use_timm_backbone": PACKAGES,
    "use_pretrained_backbone": PACKAGES,
    "transformers_weights": ELSEWHERE,
    "configuration_files": ELSEWHERE,  # another configuration for a newer transformers
    "fast_tokenizer_files": ELSEWHERE,
    "_adapter_model_path": ELSEWHERE,
    "base_model_name_or_path": ELSEWHERE,
}
CHOICES = re.compile(r"(attn|experts|attention|kernels?)_implementation(_internal)?$")
BUILT_IN = (None, "eager", "sdpa", "grouped_mm", "batched_mm")  # what needs no kernel from the hub
SETTINGS = ("config.json", "tokenizer_config.json", "generation_config.json", "special_tokens_map.json")
MORE_SETTINGS = ("added_tokens.json", "processor_config.json", "preprocessor_config.json", "chat_template.json")
TOKENIZER = "tokenizer.json"  # whole, of a fast tokenizer
VOCABULARIES = (TOKENIZER, "vocab.txt", "vocab.json", "merges.txt", "*.model", "*.spm", "tekken.json")
FILE_KEY = re.compile(r"_files?$")


def check_settings(folder: Path) -> dict[str, Any]:
    """The configuration of a model folder, refused where one of its files asks for code, or is beyond the limits."""
    read = check_files(folder)
    for inner in sorted(path for path in folder.iterdir() if path.is_dir()):  # a translator's second vocabulary
        check_files(inner)
    return read.get("config.json", {})


def check_files(folder: Path) -> dict[str, dict[str, Any]]:
    """What a folder's files of settings hold, by name; its vocabularies must be ordinary files within the limits."""
    for pattern in VOCABULARIES:
        for path in folder.glob(pattern):
            if ordinary(path).st_size > limits().vocabulary:
                raise beyond(f"{path} has {path.stat().st_size:,} bytes", "vocabulary", "restore the file")
    return {name: settings_in(folder / name) for name in (*SETTINGS, *MORE_SETTINGS) if (folder / name).exists()}


def settings_in(path: Path, known: Collection[str] = ()) -> dict[str, Any]:
    """The values of a file of settings, refused where it asks for code; what whoever asks sees to is ``known``."""
    try:
        values = json_file(path, finite=False)
    except ValueError as error:
        raise BadInput(f"{path} is not valid JSON ({error}); restore the file") from None
    if not isinstance(values, dict):
        raise BadInput(f"{path} is no object of JSON; restore the file")
    for key, value in every_entry(values, path):
        if key in REFUSED and key not in known and value not in (None, False, {}, [], ""):
            asked = REFUSED[key]
            raise BadInput(f"{path} asks for {asked} ({key}), which is never run or read; take the key out")
        if CHOICES.search(key) and not all(choice in BUILT_IN for choice in choices(value)):
            raise BadInput(
                f"{path} asks for code of its own ({key}), which is never run; take the key out, or say sdpa"
            )
        if FILE_KEY.search(key) and isinstance(value, str) and leads_away(value):
            raise BadInput(f"{path} names a file outside its folder ({key}), which is never read; take the key out")
    return values


def every_entry(values: Any, path: Path) -> Iterator[tuple[str, Any]]:
    """Every key with its value, at every depth; refused where there are too many at one place."""
    waiting = [values]
    while waiting:
        one = waiting.pop()
        if len(one) > limits().entries:
            raise beyond(f"{path} has {len(one):,} entries at one place", "entries", "restore the file")
        inner = one.values() if isinstance(one, dict) else one
        waiting += [value for value in inner if isinstance(value, dict | list)]
        if isinstance(one, dict):
            yield from one.items()


def choices(value: Any) -> Iterator[Any]:
    """What is chosen, for the whole or for each part by name."""
    if isinstance(value, dict):
        for inner in value.values():
            yield from choices(inner)
    else:
        yield value if isinstance(value, str | None) else "something else"


def leads_away(name: str) -> bool:
    """Whether a name is of a file that is there, but in another folder."""
    try:
        return ("/" in name or "\\" in name) and Path(name).exists()
    except (OSError, ValueError):  # a name that no file can have
        return False
