import json
import struct
from pathlib import Path
from typing import Any

import pytest
from tiny import save_encoder

from unfooled.errors import BadInput
from unfooled.models.locate import checked
from unfooled.models.weights import INDEX, WEIGHTS, check_growth, check_sizes, header_of, weight_files

ENTRY = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}


def written(path: Path, header: Any, data: bytes = bytes(8)) -> Path:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
    return path


def index(folder: Path, *names: Any) -> Path:
    weights = {f"weight {number}": name for number, name in enumerate(names)}
    (folder / INDEX).write_text(json.dumps({"metadata": {}, "weight_map": weights}))
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return save_encoder(tmp_path / "encoder")


def test_the_header_of_real_weights_is_read(folder: Path) -> None:
    assert header_of(folder / WEIGHTS)["embeddings.word_embeddings.weight"][1] == 16
    assert written(folder / "empty.safetensors", {}, b"") and header_of(folder / "empty.safetensors") == {}


@pytest.mark.parametrize(
    ("header", "data"),
    [
        ({"a": {**ENTRY, "data_offsets": [-8, 0]}}, bytes(8)),
        ({"a": {**ENTRY, "data_offsets": [8, 0]}}, bytes(8)),
        ({"a": {**ENTRY, "data_offsets": [0, 800]}}, bytes(8)),
        ({"a": {**ENTRY, "shape": [-2]}}, bytes(8)),
        ({"a": {**ENTRY, "shape": [2**62, 4]}}, bytes(8)),
        ({"a": {**ENTRY, "shape": ["2"]}}, bytes(8)),
        ({"a": {**ENTRY, "shape": 2}}, bytes(8)),
        ({"a": {**ENTRY, "dtype": "PICKLE"}}, bytes(8)),
        ({"a": {**ENTRY, "dtype": ["F32"]}}, bytes(8)),
        ({"a": ENTRY, "b": ENTRY}, bytes(8)),
        ({"a": ENTRY}, bytes(80)),
        ({"a": ENTRY}, b""),
        ({"a": None}, bytes(8)),
        ([ENTRY], bytes(8)),
        (b"[" * 9000, b""),
        (b"\xff\xfe", b""),
        (b"", b""),
    ],
)
def test_a_header_that_does_not_describe_its_file_is_refused(tmp_path: Path, header: Any, data: bytes) -> None:
    with pytest.raises(BadInput, match="cannot be read: it is no whole safetensors file"):
        header_of(written(tmp_path / WEIGHTS, header, data))


def test_a_header_without_end_and_a_pickle_by_another_name_are_refused(tmp_path: Path) -> None:
    (tmp_path / WEIGHTS).write_bytes(struct.pack("<Q", 2**40) + b"{}")
    with pytest.raises(BadInput, match="header of 1,099,511,627,776 bytes"):
        header_of(tmp_path / WEIGHTS)
    (tmp_path / WEIGHTS).write_bytes(b"\x80\x04\x95" + bytes(300))
    with pytest.raises(BadInput, match="no whole safetensors|header of"):
        header_of(tmp_path / WEIGHTS)


@pytest.mark.parametrize(
    "name",
    [
        "weights.bin",
        "../outside.bin",
        "../outside.safetensors",
        "/tmp/outside.safetensors",
        "inner/a.safetensors",
        7,
        None,
        "gone.safetensors",
        "..\\outside.safetensors",
        "pytorch_model.bin.safetensors.bin",
    ],
)
def test_every_file_an_index_names_is_a_safetensors_file_beside_it(folder: Path, name: Any) -> None:
    (folder / "inner").mkdir()
    for place in (folder / "weights.bin", folder.parent / "outside.bin", folder / "inner" / "a.safetensors"):
        place.write_bytes((folder / WEIGHTS).read_bytes())
    (folder.parent / "outside.safetensors").write_bytes((folder / WEIGHTS).read_bytes())
    for whole in (True, False):  # beside a file of weights of the usual name, and without one
        if not whole:
            (folder / WEIGHTS).rename(folder / "model-empty.safetensors")
        with pytest.raises(BadInput, match="only safetensors files that lie beside it are opened"):
            checked(index(folder, name))


@pytest.mark.parametrize(
    "text", ["{", "[]", "{}", '{"weight_map": []}', '{"weight_map": {}, "metadata": 1}', "[" * 5000]
)
def test_what_is_no_index_is_refused(folder: Path, text: str) -> None:
    (folder / INDEX).write_text(text)
    with pytest.raises(BadInput, match="is no index of weights"):
        checked(folder)


def test_weights_in_several_files_are_all_looked_at(folder: Path) -> None:
    (folder / WEIGHTS).rename(folder / "model-00001-of-00001.safetensors")
    index(folder, "model-00001-of-00001.safetensors")
    assert weight_files(folder) == ["model-00001-of-00001.safetensors"] and checked(folder)
    (folder / "model-00001-of-00001.safetensors").write_bytes(b"junk")
    with pytest.raises(BadInput, match="has a header of"):
        checked(folder)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"num_hidden_layers": 10**7}, "num_hidden_layers = 10,000,000, but its files have 3 weights"),
        ({"text_config": {"n_layer": 10**9}}, "n_layer"),
        ({"num_labels": 10**9}, "too many labels"),
        ({"id2label": {str(number): "a" for number in range(10_001)}}, "too many labels"),
    ],
)
def test_a_configuration_of_a_far_larger_model_is_refused(values: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        check_sizes(Path("config.json"), values, 3)
    check_sizes(Path("config.json"), {"num_hidden_layers": 12, "num_labels": 3, "vocab_size": 10**6}, 3)


def test_a_network_of_many_times_its_files_is_refused() -> None:
    check_growth(Path("config.json"), 10**7, {"a": (10, 10)})
    with pytest.raises(BadInput, match="a network of 1,000,000,000 weights, but its files have 100"):
        check_growth(Path("config.json"), 10**9, {"a": (10, 10)})
