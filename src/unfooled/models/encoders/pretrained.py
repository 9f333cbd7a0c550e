"""Models from names and folders, and back into folders that plain transformers opens."""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import torch
from pydantic import Field
from torch import nn
from transformers import PreTrainedModel

from unfooled.errors import BadInput, either
from unfooled.heads import HEADS, OWN_HEAD, Head, check_head, head_of, written
from unfooled.hub import only_typed
from unfooled.models.checks import (
    check_encoder,
    check_finite,
    check_padding,
    check_shapes,
    check_vocabulary,
    check_weights,
    labels_of,
)
from unfooled.models.encoders.classifier import Classifier, last_linear
from unfooled.models.encoders.decoders import prepared_to_pad
from unfooled.models.encoders.dropout import set_classifier_dropout, set_dropout
from unfooled.models.encoders.lora import (
    ADAPTER,
    Lora,
    adapted,
    base_of,
    class_count,
    merged,
    unwrapped,
    with_adapter,
    write_adapter,
)
from unfooled.models.encoders.text_cnn import TextCNN, TextCNNConfig
from unfooled.models.locate import Place, locate
from unfooled.models.opening import config_of, network_of, opening, quiet, tokenizer_of
from unfooled.models.rules import rules_hash
from unfooled.models.sequences.sizes import Sizes
from unfooled.seeds import isolated
from unfooled.settings import Settings

LEARNT_NOTHING = "unfooled_learnt_nothing"  # of a configuration: on validation no better than the commonest class
TEMPERATURE = "unfooled_temperature"  # of a configuration: what logits are divided by to be calibrated, by validation
# The network comes with a report of weights that are missing or of another shape.
REPORTED = {"output_loading_info": True, "ignore_mismatched_sizes": True}


class ModelSettings(Settings):
    """Which network: any Hugging Face encoder or decoder by name or folder, ``minilm``, or ``textcnn``."""

    name: str = "minilm"
    max_length: int = Field(128, ge=4)
    dropout: float | None = Field(None, ge=0, lt=1)  # None keeps the configuration's own
    classifier_dropout: float | None = Field(None, ge=0, lt=1)  # before the last layer alone; None as ``dropout``
    embeddings: Literal["learned", "encoder"] = "learned"  # textcnn: fresh vectors or the encoder's table
    tokenizer: str = "minilm"  # textcnn: whose vocabulary (and table)
    lora: Lora | None = None  # train an adapter beside frozen weights
    sizes: Sizes = Sizes()  # of tensorized and transformer, which are made from nothing


@dataclass(frozen=True)
class TextModel:
    """A classifier with what it needs to read texts and name its answers."""

    classifier: Classifier
    tokenizer: Any
    labels: tuple[str, ...]
    max_length: int
    name: str
    notes: tuple[str, ...] = ()
    trained_on: str | None = None  # the fingerprint of the training split, where this package trained it
    task: str = "classification"  # what it was trained for
    learnt_nothing: bool = False  # says the configuration of a model that this package trained
    temperature: float | None = None  # says the same, of classifiers

    def fingerprint(self) -> str:
        """The SHA-256 of all weights by name, and of the vocabulary."""
        words = sorted(self.tokenizer.get_vocab().items())
        return hashlib.sha256(f"{weights_hash(merged(self.classifier.network))}{words}".encode()).hexdigest()

    def rules(self) -> str:
        """The SHA-256 of what else decides its answers: how texts are cut, and the configuration."""
        return rules_hash([self.tokenizer], self.classifier.network.config.to_dict())

    def to(self, where: torch.device | str) -> "TextModel":
        """The same model on another device."""
        return replace(self, classifier=self.classifier.to(where))


def weights_hash(module: nn.Module) -> str:
    """The SHA-256 of a module's state, name by name, byte by byte."""
    sha = hashlib.sha256()
    for name, tensor in sorted(module.state_dict().items()):
        sha.update(f"{name}{tuple(tensor.shape)}{tensor.dtype}".encode())
        sha.update(tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes())
    return sha.hexdigest()


def build(settings: ModelSettings, labels: Sequence[str], seed: int, head: Head = HEADS["classification"]) -> TextModel:
    """A model to be trained: a pretrained encoder under a new head for these labels."""
    names = {"num_labels": len(labels), "id2label": dict(enumerate(labels))}
    names |= {"label2id": {label: number for number, label in enumerate(labels)}}
    names |= written(head)
    place = locate(settings.tokenizer if settings.name == "textcnn" else settings.name)
    with isolated(seed, "initial weights"), opening(place):
        tokenizer = tokenizer_of(place)
        if settings.name == "textcnn":
            network, notes = text_cnn(settings, place, tokenizer, names), list[str]()
        else:
            network, notes = encoder_with_head(settings, place, names, head, tokenizer)
    check_padding(tokenizer, place.name, network.config)
    check_vocabulary(tokenizer, network, place.name)
    check_finite(network, place.name)
    limit, lowered = longest(settings, network, place)
    told = (*notes, *lowered)
    return TextModel(Classifier(network), tokenizer, tuple(labels), limit, settings.name, told, task=head.task)


def encoder_with_head(
    settings: ModelSettings, place: Place, names: dict[str, Any], head: Head, tokenizer: Any
) -> tuple[Any, list[str]]:
    """The pretrained network under a head for these labels: new, unless it has one for the very same; notes on it."""
    config = config_of(place)
    check_encoder(config, place.name, head.opens_with)
    same_labels = config.to_dict().get("id2label") == names["id2label"] and head_of(config) == head
    vars(config).pop(OWN_HEAD, None)
    config.update(names)
    set_dropout(config, settings.dropout)
    set_classifier_dropout(config, settings.classifier_dropout, place.name)
    notes = prepared_to_pad(config, tokenizer, place.name)
    network, info = network_of(place, head.opens_with, config=config, **REPORTED)
    check_weights(network, info, place.name, new_head=True)
    if not same_labels:
        last = last_linear(network)
        nn.init.normal_(last.weight, std=0.02)
        if last.bias is not None:
            nn.init.zeros_(last.bias)
    if settings.lora is not None:
        network = adapted(network, settings.lora, info["missing_keys"], head.opens_with, place.name)
    return network, list(notes)


def text_cnn(settings: ModelSettings, place: Place, tokenizer: Any, names: dict[str, Any]) -> TextCNN:
    """A fresh TextCNN over the tokenizer's vocabulary, its vectors learned or the encoder's."""
    if names["problem_type"] is None:
        raise BadInput("textcnn reads a text as a whole and finds no spans in it; use a Hugging Face encoder")
    if settings.lora is not None:
        raise BadInput("textcnn is made from nothing, and LoRA adapts what was trained before; leave model.lora out")
    if settings.classifier_dropout is not None:
        raise BadInput("textcnn has one dropout, before its last layer; set model.dropout, not classifier_dropout")
    table = None
    if settings.embeddings == "encoder":
        table = network_of(place).get_input_embeddings().weight.detach()
    config = TextCNNConfig(
        vocab_size=len(tokenizer) if table is None else table.shape[0],
        embedding_width=300 if table is None else table.shape[1],
        dropout=0.5 if settings.dropout is None else settings.dropout,
        pad_token_id=tokenizer.pad_token_id or 0,
        **names,
    )
    network = TextCNN(config)
    if table is not None:
        network.embedding.weight.data.copy_(table)
    return network


def load(name: str, task: str | None = "classification") -> TextModel:
    """A trained model from a folder or the hub; refuses one whose head was never trained, or for something else.

    Where ``task`` is None, whatever it was trained for will do.
    """
    place = locate(name)
    base = None if place.folder is None else base_of(place.folder)
    with opening(place):
        tokenizer = tokenizer_of(place)
    if base is not None:
        network, missing = opened_adapter(place, base)
        head = check_head(network.config, task, name)
    else:
        with opening(place):
            head = check_head(config_of(place), task, name)
            network, info = network_of(place, head.opens_with, **REPORTED)
        check_shapes(info, name)
        missing = sorted(info["missing_keys"])
    if missing:
        raise BadInput(
            f"{name} is no trained classifier: {len(missing)} weights such as {missing[0]} are missing; "
            f"train it first ({either('unfooled train --model …', 'uf.train(model=…)')})"
        )
    check_finite(network, name)
    check_padding(tokenizer, name, network.config)
    check_vocabulary(tokenizer, network, name)
    labels = labels_of(network.config, name)
    limit = min(tokenizer.model_max_length, positions(network))
    network.train(False)
    config = network.config.to_dict()
    known = {"trained_on": config.get("unfooled_trained_on"), "learnt_nothing": config.get(LEARNT_NOTHING) is True}
    known |= {"temperature": kept_temperature(config)}
    return TextModel(Classifier(network), tokenizer, labels, limit, name, task=head.task, **known)


def opened_adapter(place: Place, base: str) -> tuple[Any, list[str]]:
    """The base model of an adapter's folder with the adapter merged into it, and the weights that are still missing."""
    assert place.folder is not None
    try:
        with only_typed(place.name):  # a file chooses nothing that is fetched
            below = locate(base)
    except BadInput as error:
        raise BadInput(f"{place.name} is an adapter without its base model: {error}") from None
    with opening(place):
        labelled = (place.folder / "config.json").is_file()
        config = config_of(place if labelled else below)
        if not labelled:
            config.num_labels = class_count(place.folder) or config.num_labels
        network, info = network_of(below, head_of(config).opens_with, config=config, **REPORTED)
        check_weights(network, info, below.name, new_head=True)
        return with_adapter(network, place.folder, info["missing_keys"])


def kept_temperature(config: dict[str, Any]) -> float | None:
    """The temperature that a training left in a configuration; None where there is none that can be divided by."""
    kept = config.get(TEMPERATURE)
    return float(kept) if isinstance(kept, float | int) and not isinstance(kept, bool) and 0 < kept < math.inf else None


def save(model: TextModel, folder: Path, card: str) -> None:
    """Write a Hugging Face model folder with a model card; of one with an adapter both, merged and inside it apart."""
    model.tokenizer.model_max_length = model.max_length
    network = model.classifier.network
    write_folder(merged(network), model.tokenizer, folder, card)
    if unwrapped(network) is not network:
        with quiet():
            write_adapter(network, model.tokenizer, folder / ADAPTER, card)


def write_folder(network: PreTrainedModel, tokenizer: Any, folder: Path, card: str) -> None:
    """Write what plain transformers opens, and a model card."""
    with quiet():
        network.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
    (folder / "README.md").write_text(card, encoding="utf-8")


def longest(settings: ModelSettings, network: nn.Module, place: Place) -> tuple[int, tuple[str, ...]]:
    """The longest input, as asked for or as the network takes it, and a note where that is less."""
    limit = min(settings.max_length, positions(network))
    lower = f"{place.name} takes at most {limit} tokens, so model.max_length is lowered to that"
    return limit, tuple(note for note in (place.note, lower if limit < settings.max_length else "") if note)


def positions(network: nn.Module) -> int:
    """The longest input the network takes."""
    limit = getattr(network.config, "max_position_embeddings", None) or 0  # by whatever name the file has it
    tables = [module for name, module in network.named_modules() if name.endswith("position_embeddings")]
    # RoBERTa and its kin count positions from the padding id onwards, and give their table that padding id.
    offsets = [
        table.padding_idx + 1 for table in tables if isinstance(table, nn.Embedding) and table.padding_idx is not None
    ]
    return int(limit) - max(offsets, default=0) if limit > 0 else 1_000_000
