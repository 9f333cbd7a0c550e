"""Hostile model folders: pickles by other names, headers and configurations made to break or to fill the memory."""

import json
import os
import pickle
import struct
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from hostile.grounds_of import DATA, changed_json, copied, evaluation
from hostile.hostile_input import PAYLOAD, Hostile, Make, taken
from unfooled.models.refused import REFUSED

WEIGHTS, INDEX = "model.safetensors", "model.safetensors.index.json"


class Payload:
    """What a pickle would run."""

    def __reduce__(self) -> Any:
        return (exec, (f"open('{PAYLOAD}', 'w').close()",))


def folder(change: Callable[[Path], Any], command: Sequence[str | Path] = ()) -> Make:
    """A good model that is changed, then evaluated."""

    def make(root: Path) -> Sequence[str | Path]:
        copied(root, "model", DATA)
        change(root / "model")
        return command or evaluation()

    return make


def config(file: str = "config.json", /, **values: Any) -> Make:
    return folder(lambda model: changed_json(model / file, values))


def content(name: str, text: str | bytes | Callable[[], str]) -> Make:
    def change(model: Path) -> None:
        written = text() if callable(text) else text
        (model / name).write_bytes(written.encode() if isinstance(written, str) else written)

    return folder(change)


def header(entries: Any, data: bytes = bytes(8), length: int | None = None) -> Make:
    text = entries if isinstance(entries, bytes) else json.dumps(entries).encode()
    return content(WEIGHTS, struct.pack("<Q", len(text) if length is None else length) + text + data)


def index(*names: Any, rename: str = "model-1.safetensors") -> Make:
    def change(model: Path) -> None:
        (model / WEIGHTS).rename(model / rename)
        for place in (model / "weights.bin", model.parent / "outside.bin", model.parent / "outside.safetensors"):
            place.write_bytes(pickle.dumps(Payload()))
        weights = {f"weight {number}": name for number, name in enumerate(names)}
        (model / INDEX).write_text(json.dumps({"metadata": {}, "weight_map": weights}))

    return folder(change)


def instead(name: str, make: Callable[[Path], Any]) -> Make:
    """Something else in the place of a file."""

    def change(model: Path) -> None:
        (model / name).unlink(missing_ok=True)
        make(model / name)

    return folder(change)


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)


def nan_weights(model: Path) -> None:
    raw = bytearray((model / WEIGHTS).read_bytes())
    raw[-4:] = struct.pack("<f", float("nan"))
    (model / WEIGHTS).write_bytes(raw)


ENTRY = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
PICKLE = pickle.dumps(Payload())
HEADERS = {
    "negative offsets": header({"a": {**ENTRY, "data_offsets": [-8, 0]}}),
    "offsets turned round": header({"a": {**ENTRY, "data_offsets": [8, 0]}}),
    "offsets beyond the file": header({"a": {**ENTRY, "data_offsets": [0, 2**40], "shape": [2**38]}}),
    "overlapping tensors": header({"a": ENTRY, "b": ENTRY}),
    "a negative shape": header({"a": {**ENTRY, "shape": [-2]}}),
    "a shape beyond all numbers": header({"a": {**ENTRY, "shape": [2**63, 2**63]}}),
    "a shape of texts": header({"a": {**ENTRY, "shape": ["2"]}}),
    "an unknown type": header({"a": {**ENTRY, "dtype": "OBJECT"}}),
    "a type that is a list": header({"a": {**ENTRY, "dtype": ["F32"]}}),
    "an entry that is null": header({"a": None}),
    "a header that is a list": header([ENTRY]),
    "a header of brackets": header(b"[" * 100_000, b""),
    "a header that is no text": header(b"\xff\xfe" * 50, b""),
    "an empty header": header(b"", b""),
    "a header longer than its file": header(b"{}", b"", 2**20),
    "a header of 100 MB": header(b"{}", b"", 100 * 2**20),
    "a header of all numbers": header(b"{}", b"", 2**64 - 1),
    "a header of 300,000 tensors": header(
        {str(n): {**ENTRY, "shape": [0], "data_offsets": [0, 0]} for n in range(300_000)}
    ),
    "no bytes": content(WEIGHTS, b""),
    "seven bytes": content(WEIGHTS, b"1234567"),
    "weights cut off": folder(lambda model: os.truncate(model / WEIGHTS, 5000)),
    "a pickle called safetensors": content(WEIGHTS, PICKLE),
    "weights that are a pipe": instead(WEIGHTS, os.mkfifo),
    "weights that are a device": instead(WEIGHTS, lambda path: path.symlink_to("/dev/zero")),
    "weights that lead nowhere": instead(WEIGHTS, lambda path: path.symlink_to("nowhere")),
    "weights that lead to themselves": instead(WEIGHTS, lambda path: path.symlink_to(path.name)),
    "weights that are a folder": instead(WEIGHTS, Path.mkdir),
    "a terabyte of zeros": instead(WEIGHTS, sparse),
}
INDEXES = {
    "a pickle beside it": index("weights.bin"),
    "a pickle above it": index("../outside.bin"),
    "safetensors above it": index("../outside.safetensors"),
    "an absolute path": index("/tmp/outside.safetensors"),
    "a pickle beside the usual name": index("weights.bin", rename=WEIGHTS),
    "a number": index(7),
    "nothing": index(None),
    "a list": folder(lambda model: (model / INDEX).write_text('{"metadata": {}, "weight_map": ["weights.bin"]}')),
    "a name with NUL": index("a\0b.safetensors"),
    "a name without end": index("x" * 100_000 + ".safetensors"),
    "no map": content(INDEX, "{}"),
    "no JSON": content(INDEX, "{"),
    "deep JSON": content(INDEX, "[" * 5000),
    "a million names": content(
        INDEX, lambda: json.dumps({"metadata": {}, "weight_map": {str(n): "a.bin" for n in range(10**6)}})
    ),
}
CONFIGS = {
    "deep": content("config.json", '{"a":' * 5000 + "0" + "}" * 5000),
    "deep without end": content("config.json", "[" * 10**6),
    "half": content("config.json", '{"model_type": "bert"'),
    "a list": content("config.json", "[1, 2]"),
    "null": content("config.json", "null"),
    "no text": content("config.json", b"\xff\xfe\x00"),
    "empty": content("config.json", b""),
    "a million keys": content("config.json", lambda: json.dumps({f"k{n}": n for n in range(10**6)})),
    "100,000 keys": content("config.json", json.dumps({f"k{n}": n for n in range(10**5)})),
    "a number of a million digits": content("config.json", '{"hidden_size": ' + "9" * 10**6 + "}"),
    "10 million layers": config(num_hidden_layers=10**7),
    "100,000 labels": config(id2label={str(n): f"l{n}" for n in range(10**5)}, label2id={}),
    "a billion labels by number": config(num_labels=10**9, id2label=None),
    "a pipe": instead("config.json", os.mkfifo),
    "a device": instead("config.json", lambda path: path.symlink_to("/dev/zero")),
    "a terabyte": instead("config.json", sparse),
    "a folder": instead("config.json", Path.mkdir),
    "/etc/passwd": instead("config.json", lambda path: path.symlink_to("/etc/passwd")),
    "a kernel of the hub": config(_attn_implementation="owner/kernel"),
    "a kernel by another key": config(attn_implementation="owner/kernel@main:run"),
    "kernels by part": config(_attn_implementation={"": "sdpa", "encoder": "owner/kernel"}),
    "experts of the hub": config(_experts_implementation="owner/kernel"),
    "code deep inside": config(text_config={"a": [{"auto_map": {"AutoModel": "evil.Model"}}]}),
    "code of the tokenizer": config("tokenizer_config.json", auto_map={"AutoTokenizer": ["evil.T", None]}),
    "deep settings of the tokenizer": content("tokenizer_config.json", "[" * 5000),
    "a tokenizer that reads elsewhere": config("tokenizer_config.json", vocab_file="/etc/passwd"),
    "an adapter": content("adapter_config.json", '{"base_model_name_or_path": "owner/model", "peft_type": "LORA"}'),
    "a second vocabulary with code": folder(
        lambda model: (
            (model / "target_tokenizer").mkdir(),
            changed_json(model / "target_tokenizer/tokenizer_config.json", {"auto_map": {"A": "b.C"}}),
        )
    ),
}
OPENED: dict[str, Make] = {  # what only transformers can say
    "a size that is a text": config(hidden_size="sixteen"),
    "a size that is a list": config(hidden_size=[16]),
    "a size of nothing": config(hidden_size=0),
    "a negative size": config(intermediate_size=-32),
    "heads that do not divide": config(num_attention_heads=7),
    "no heads": config(num_attention_heads=0),
    "an enormous width": config(hidden_size=10**6, num_attention_heads=1),
    "an enormous vocabulary": config(vocab_size=10**11),
    "a large vocabulary": config(vocab_size=10**8),
    "enormous positions": config(max_position_embeddings=10**10),
    "a small vocabulary": config(vocab_size=3),
    "2,000 layers": config(num_hidden_layers=2000),
    "an unknown architecture": config(model_type="evil"),
    "an architecture that is a list": config(model_type=["bert"]),
    "another architecture": config(model_type="gpt2"),
    "an activation that is code": config(hidden_act="__import__('os').system('touch payload-ran')"),
    "a type that is code": config(dtype="__import__"),
    "labels with gaps": config(id2label={"0": "a", "7": "b"}, label2id={"a": 0, "b": 7}),
    "labels by text": config(id2label={"zero": "a", "one": "b"}),
    "labels that are one": config(id2label={"0": "same", "1": "same"}),
    "no labels": config(id2label={}, label2id={}),
    "labels that are a list": config(id2label=["a", "b"]),
    "a problem of no kind": config(problem_type="evil"),
    "a head of its own": config(
        unfooled_head={"task": "x", "said": "y", "problem_type": None, "opens_with": "pipeline"}
    ),
    "a head that is a text": config(unfooled_head="evil"),
    "a head with other keys": config(unfooled_head={"evil": 1}),
    "NaN in the weights": folder(nan_weights),
    "an empty tokenizer": content("tokenizer.json", "{}"),
    "a deep tokenizer": content("tokenizer.json", '{"model":' * 5000),
    "a tokenizer that is a list": content("tokenizer.json", "[]"),
    "a tokenizer of other numbers": folder(
        lambda model: changed_json(
            model / "tokenizer.json", lambda all_: {**all_, "model": {**all_["model"], "vocab": {"[UNK]": 10**6}}}
        )
    ),
    "no tokenizer": folder(lambda model: (model / "tokenizer.json").unlink()),
    "a tokenizer that does not pad": folder(
        lambda model: changed_json(model / "tokenizer_config.json", {"pad_token": None, "padding_side": "left"})
    ),
    "an unknown tokenizer": config("tokenizer_config.json", tokenizer_class="Evil"),
    "a length that is a text": config("tokenizer_config.json", model_max_length="long"),
    "a length of nothing": config("tokenizer_config.json", model_max_length=0),
    "generation that is a list": content("generation_config.json", '{"max_length": "x"}'),
}
STEERING = "\x1b]0;owned\x07\x1b[2J\u202e\nunfooled: all is well"


def inputs() -> list[Hostile]:
    refused = {f"the key {key}": config(**{key: {"a": "evil.Evil"}}) for key in REFUSED}
    light = {"weights": HEADERS, "index": INDEXES, "configuration": CONFIGS, "configuration with": refused}
    found = [Hostile(f"model, {kind}: {name}", make) for kind, some in light.items() for name, make in some.items()]
    found += [taken(f"model: {name}", make, heavy=True) for name, make in OPENED.items()]
    labels = config(id2label={"0": STEERING, "1": "[/][link=x]b"}, label2id={})
    found += [taken("model: labels that steer, evaluated", labels, heavy=True)]
    text = ["attack", "model", "--text", "a good film", "--similarity", "none", "--attack", "deepwordbug"]
    found += [
        taken(
            "model: labels that steer, attacked",
            folder(
                lambda model: changed_json(
                    model / "config.json", {"id2label": {"0": STEERING, "1": "b"}, "label2id": {}}
                ),
                text,
            ),
            heavy=True,
        ),
        Hostile("model: a name that is no text", lambda root: evaluation(b"mod\xff\xfe", copied(root, DATA) / DATA)),  # type: ignore[arg-type]
        Hostile(
            "model: a name that steers", lambda root: evaluation(f"./{STEERING}", copied(root, DATA) / DATA), heavy=True
        ),
        Hostile(
            "model: a name without end", lambda root: evaluation("x" * 5000, copied(root, DATA) / DATA), heavy=True
        ),
        Hostile("model: a file", lambda root: evaluation(DATA, copied(root, DATA) / DATA), heavy=True),
        Hostile(
            "model: a folder of pickles", folder(lambda model: (model / WEIGHTS).rename(model / "pytorch_model.bin"))
        ),
    ]
    return found
