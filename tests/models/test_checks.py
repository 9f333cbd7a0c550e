"""A checkpoint that is no whole encoder is refused in a sentence, for fine-tuning and for pre-training alike."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tiny import save_encoder
from transformers import (
    AutoTokenizer,
    CanineConfig,
    CanineForSequenceClassification,
    GPT2Config,
    GPT2LMHeadModel,
    PreTrainedModel,
    T5Config,
    T5ForConditionalGeneration,
)

from unfooled.errors import BadInput
from unfooled.heads import HEADS
from unfooled.models.encoders.classifier import Classifier
from unfooled.models.encoders.masked import build_masked
from unfooled.models.encoders.pretrained import ModelSettings, build, load, save

LABELS = ["no", "yes"]
FOR = {
    "class": lambda name: build(ModelSettings(name=name), LABELS, seed=0),
    "span": lambda name: build(ModelSettings(name=name), ["start", "end"], seed=0, head=HEADS["span"]),
    "pretraining": lambda name: build_masked(ModelSettings(name=name), seed=0),
}
OTHERS = {
    "gpt2": lambda: GPT2LMHeadModel(GPT2Config(n_layer=1, n_head=2, n_embd=8, vocab_size=40)),
    "t5": lambda: T5ForConditionalGeneration(
        T5Config(num_layers=1, num_heads=2, d_model=8, d_kv=4, d_ff=8, vocab_size=40)
    ),
}


@pytest.mark.parametrize(
    ("kind", "opening"), [(kind, one) for kind in OTHERS for one in FOR if kind + one != "gpt2class"]
)
def test_what_is_no_encoder_is_refused(tmp_path: Path, kind: str, opening: str) -> None:
    other: PreTrainedModel = OTHERS[kind]()
    other.save_pretrained(tmp_path / kind)
    AutoTokenizer.from_pretrained(save_encoder(tmp_path / "encoder")).save_pretrained(tmp_path / kind)
    with pytest.raises(BadInput, match=f"is of architecture {kind}, .*use"):
        FOR[opening](str(tmp_path / kind))


@pytest.mark.parametrize("opening", FOR)
def test_weights_of_another_width_than_the_configuration_are_refused(tmp_path: Path, opening: str) -> None:
    folder = save_encoder(tmp_path / "encoder")
    config: dict[str, Any] = json.loads((folder / "config.json").read_text())
    config["hidden_size"] *= 2
    (folder / "config.json").write_text(json.dumps(config))
    asked: Callable[[str], Any] = FOR[opening]
    with pytest.raises(BadInput, match=r"weights in another shape than its config\.json says, such as \S+: \("):
        asked(str(folder))


def test_a_trained_model_of_another_width_is_refused_too(tmp_path: Path) -> None:
    folder = save_encoder(tmp_path / "encoder")
    save(build(ModelSettings(name=str(folder)), LABELS, seed=0), tmp_path / "saved", "")
    config: dict[str, Any] = json.loads((tmp_path / "saved" / "config.json").read_text())
    config["hidden_size"] *= 2
    (tmp_path / "saved" / "config.json").write_text(json.dumps(config))
    with pytest.raises(BadInput, match=r"weights in another shape than its config\.json says, such as \S+: \("):
        load(str(tmp_path / "saved"))


def test_a_head_for_other_labels_is_no_damage(tmp_path: Path) -> None:
    folder = save_encoder(tmp_path / "encoder")
    first = build(ModelSettings(name=str(folder)), LABELS, seed=0)
    first.classifier.network.save_pretrained(folder)
    assert build(ModelSettings(name=str(folder)), ["a", "b", "c"], seed=0).classifier.network.num_labels == 3


def test_a_network_in_hand_without_token_vectors_is_refused() -> None:
    small = {"hidden_size": 16, "num_attention_heads": 2, "intermediate_size": 32, "num_hash_buckets": 64}
    network = CanineForSequenceClassification(CanineConfig(num_hidden_layers=2, **small))
    with pytest.raises(BadInput, match="CanineForSequenceClassification has no table of token vectors, .*; use"):
        Classifier(network)


def test_a_network_without_masked_tokens_is_named_as_such() -> None:
    with pytest.raises(BadInput, match="textcnn has no masked-language model; use"):
        build_masked(ModelSettings(name="textcnn"), seed=0)


def changed(path: Path, **values: Any) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **values}))


def test_labels_with_gaps_and_one_name_for_two_are_refused(tmp_path: Path) -> None:
    save(build(ModelSettings(name=str(save_encoder(tmp_path / "encoder"))), LABELS, seed=0), tmp_path / "model", "")
    for names, said in (({"0": "a", "7": "b"}, "by 0, 7, not by 0 to 1"), ({"0": "a", "1": "a"}, "one name for two")):
        changed(tmp_path / "model" / "config.json", id2label=names, label2id={})
        with pytest.raises(BadInput, match=said):
            load(str(tmp_path / "model"))


def test_a_tokenizer_of_more_words_than_the_network_has_is_refused(tmp_path: Path) -> None:
    folder = save_encoder(tmp_path / "encoder")
    whole = json.loads((folder / "tokenizer.json").read_text())
    words = {**whole["model"]["vocab"], "endless": 10**6}
    changed(folder / "tokenizer.json", model={**whole["model"], "vocab": words})
    with pytest.raises(BadInput, match="numbers its words up to 1,000,000, but the network has vectors for"):
        build(ModelSettings(name=str(folder)), LABELS, seed=0)


@pytest.mark.parametrize("values", [{"hidden_size": "16"}, {"vocab_size": 10**8}, {"max_position_embeddings": 10**9}])
def test_a_network_that_is_not_that_of_its_files_is_not_built(tmp_path: Path, values: dict[str, Any]) -> None:
    folder = save_encoder(tmp_path / "encoder")
    changed(folder / "config.json", **values)
    with pytest.raises(BadInput, match="cannot be opened as a model|describes a network of|cannot be read"):
        build(ModelSettings(name=str(folder)), LABELS, seed=0)
