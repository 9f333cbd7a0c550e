"""An ONNX file is a victim where its runtime is installed; its hash is that of all its weights."""

from pathlib import Path

import numpy as np
import pytest
from attack_ground import save_ground, tiny_model

from unfooled.errors import BadInput
from unfooled.models import load
from unfooled.victims import open_victim
from unfooled.victims.onnx import ONNX, onnx_hash, weight_files


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_ground(tmp_path_factory.mktemp("onnx"), count=2)


def test_an_onnx_file_is_a_victim_where_its_runtime_is_installed(ground: Path) -> None:
    onnx = pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    from onnx import TensorProto, helper, numpy_helper

    table = np.random.default_rng(0).normal(size=(64, 2)).astype(np.float32)
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["looked_up"]),
        helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["mask", "last"], ["column"]),
        helper.make_node("Mul", ["looked_up", "column"], ["kept"]),
        helper.make_node("ReduceSum", ["kept", "axis"], ["logits"], keepdims=0),
    ]
    inputs = [helper.make_tensor_value_info(n, TensorProto.INT64, ["b", "t"]) for n in ("input_ids", "attention_mask")]
    output = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["b", 2])
    constants = [numpy_helper.from_array(table, "table"), numpy_helper.from_array(np.array([2]), "last")]
    constants.append(numpy_helper.from_array(np.array([1]), "axis"))
    graph = helper.make_graph(nodes, "bag", inputs, [output], constants)
    path = ground / "encoder" / "bag.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    opened = open_victim(path)
    assert opened.hash and len(opened.labels) == 2
    texts = [("good film",), ("a dull story was the",)]
    tokens = load(str(ground / "model")).tokenizer([text for (text,) in texts])["input_ids"]
    logits = np.array([table[row].sum(axis=0) for row in tokens])
    expected = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    assert opened.logits and np.allclose(opened.call(texts), logits, atol=1e-5)
    assert np.allclose(opened.answer(texts), expected, atol=1e-5)


def test_weights_in_files_of_their_own_are_part_of_an_onnx_files_hash(ground: Path, tmp_path: Path) -> None:
    """The bytes are those of a protocol buffer: fields 1 (key) and 2 (value) of each entry of field 13."""

    def entry(key: str, value: str) -> bytes:
        size = [len(value)] if len(value) < 128 else [len(value) % 128 + 128, len(value) // 128]
        inner = bytes([0x0A, len(key), *key.encode(), 0x12, *size, *value.encode()])
        return bytes([0x6A, len(inner) % 128 + 128, len(inner) // 128]) + inner

    long = "w" * 130 + ".bin"
    content = b"head" + entry("location", "model.onnx_data") + entry("offset", "12") + entry("location", long) + b"tail"
    assert weight_files(content) == ["model.onnx_data", long] and weight_files(b"location of nothing") == []
    tokenizer = tiny_model(ground).tokenizer
    path = tmp_path / "model.onnx"
    path.write_bytes(content)
    hashes = [onnx_hash(path, tokenizer)]
    for name, weights in (("model.onnx_data", b"1"), ("model.onnx_data", b"2"), (long, b"3"), ("other.bin", b"4")):
        (tmp_path / name).write_bytes(weights)
        hashes.append(onnx_hash(path, tokenizer))
    assert len(set(hashes)) == 4 and hashes[-1] == hashes[-2]


def test_an_onnx_file_without_its_runtime_is_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"nothing")
    with pytest.raises(BadInput, match=r"pip install 'unfooled\[onnx\]'|no tokenizer beside"):
        open_victim(str(tmp_path / "model.onnx"))


def test_only_a_file_that_is_there_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    assert not ONNX.takes(path) and not ONNX.takes(len)
    path.write_bytes(b"")
    assert ONNX.takes(path) and ONNX.takes(str(path)) and not ONNX.takes(tmp_path)
