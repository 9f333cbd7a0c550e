from pathlib import Path

import numpy as np
import pytest
from attack_ground import save_ground, tiny_model
from toys import attacked, essence, known

from unfooled.attacks import PWWS, DeepWordBug, Limits
from unfooled.attacks.attack import Attack
from unfooled.commands.victims import Network, onnx_hash, open_victim, weight_files
from unfooled.errors import BadInput
from unfooled.models import ModelSettings, TextModel, build, load, probabilities
from unfooled.tokens import encode

WORDS = {"good": ("fine", "bad"), "film": ("plot", "scene"), "story": ("actor",), "dull": ("grey", "bright")}


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_ground(tmp_path_factory.mktemp("victims"))


def sentences(count: int) -> list[tuple[str, ...]]:
    random = np.random.default_rng(0)
    words = [*WORDS, "the", "a", "was", "and"]
    return [(" ".join(random.choice(words, random.integers(2, 20))),) for _ in range(count)]


def test_a_model_answers_as_it_predicts_whatever_the_batch(ground: Path) -> None:
    model = tiny_model(ground)
    victim, texts = Network(model), sentences(40)
    expected = probabilities(model, texts)
    model.classifier.train(True)
    assert victim.lengths(texts) == encode(model.tokenizer, texts, 32).lengths.tolist() and len(victim.waiting) == 40
    assert np.allclose(victim(texts), expected, atol=1e-6) and not victim.waiting
    assert np.allclose(np.concatenate([victim([text]) for text in texts]), expected, atol=1e-6)
    assert np.allclose(victim([texts[0], texts[0]]), expected[[0, 0]], atol=1e-6)
    assert model.classifier.training and victim.unknown == "[UNK]"
    assert all(parameter.grad is None for parameter in model.classifier.parameters())


def test_pairs_have_segments(ground: Path) -> None:
    model = tiny_model(ground)
    pairs = [("good film", "dull story"), ("a", "the was film film")]
    assert np.allclose(Network(model)(pairs), probabilities(model, pairs), atol=1e-6)


def text_cnn(folder: Path) -> TextModel:
    settings = ModelSettings(name="textcnn", tokenizer=str(folder / "encoder"), max_length=32)
    return build(settings, ("no", "yes"), seed=0)


@pytest.mark.parametrize("attack", [PWWS(), PWWS(choose="again"), DeepWordBug()], ids=["pwws", "again", "deepwordbug"])
@pytest.mark.parametrize("kind", ["bert", "textcnn"])
def test_outcomes_do_not_depend_on_batches_with_real_networks(ground: Path, kind: str, attack: Attack) -> None:
    model = tiny_model(ground) if kind == "bert" else text_cnn(ground)
    texts = sentences(40)
    labels = [int(label) for label in probabilities(model, texts).argmax(axis=1)]
    runs = []
    for flying, size in ((1, 3), (8, 64), (64, 17)):
        limits = Limits(in_flight=flying, batch_size=size)
        found = attacked(attack, Network(model), texts, labels, parts=known(WORDS), limits=limits)
        runs.append([essence(record) for record in found])
    assert runs[0] == runs[1] == runs[2]
    assert {"fooled", "held"} <= {run[1] for run in runs[0]}


def test_a_folder_a_model_and_a_callable_can_be_opened(ground: Path) -> None:
    opened = open_victim(ground / "model")
    assert opened.labels == ("negative", "positive") and opened.hash == load(str(ground / "model")).fingerprint()
    assert open_victim(tiny_model(ground)).hash == opened.hash and opened.max_length == 32

    def mine(texts: list[str]) -> np.ndarray:
        return np.full((len(texts), 2), 0.5)

    found = open_victim(mine, ["a", "b"])
    assert found.call is mine and found.labels == ("a", "b") and not found.hash and "mine" in found.name
    with pytest.raises(BadInput, match="int is no victim"):
        open_victim(3)  # type: ignore[arg-type]


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
    assert np.allclose(opened.call(texts), expected, atol=1e-5)


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
    with pytest.raises(BadInput, match="pip install onnxruntime|no tokenizer beside"):
        open_victim(str(tmp_path / "model.onnx"))


def test_a_full_memory_loses_no_text_of_the_batch(ground: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = tiny_model(ground)
    victim, texts = Network(model), sentences(6)
    monkeypatch.setattr("unfooled.commands.victims.REMEMBERED", 1)
    victim.lengths(texts[:3])
    assert np.allclose(victim(texts), probabilities(model, texts), atol=1e-6)
