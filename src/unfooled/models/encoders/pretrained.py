"""Models from names and folders, and back into folders that plain transformers opens."""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import torch
import transformers
from pydantic import Field
from safetensors import SafetensorError
from torch import nn
from transformers import AutoConfig, AutoTokenizer, PreTrainedModel
from transformers.utils import logging

from unfooled.errors import BadInput, Stopped
from unfooled.heads import HEADS, OWN_HEAD, Head, check_head, head_of, written
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
from unfooled.models.encoders.text_cnn import TextCNN, TextCNNConfig
from unfooled.models.locate import Place, locate
from unfooled.models.sequences.sizes import Sizes
from unfooled.models.weights import check_growth
from unfooled.seeds import isolated
from unfooled.settings import Settings

# What configurations call the dropout between the pooled vector and the last layer.
CLASSIFIER_DROPOUTS = ("classifier_dropout", "classifier_dropout_prob", "seq_classif_dropout", "cls_dropout")
LEARNT_NOTHING = "unfooled_learnt_nothing"  # of a configuration: on validation no better than the commonest class
CAREFUL = {"trust_remote_code": False, "local_files_only": True}  # what is not in a folder by now is not asked for
PANIC = "PanicException"  # how a tokenizer of Rust ends that met what it thought impossible
# The network comes with a report of weights that are missing or of another shape.
REPORTED = {"output_loading_info": True, "ignore_mismatched_sizes": True}


class ModelSettings(Settings):
    """Which network: any Hugging Face encoder by name or folder, ``minilm``, or ``textcnn``."""

    name: str = "minilm"
    max_length: int = Field(128, ge=4)
    dropout: float | None = Field(None, ge=0, lt=1)  # None keeps the configuration's own
    classifier_dropout: float | None = Field(None, ge=0, lt=1)  # before the last layer alone; None as ``dropout``
    embeddings: Literal["learned", "encoder"] = "learned"  # textcnn: fresh vectors or the encoder's table
    tokenizer: str = "minilm"  # textcnn: whose vocabulary (and table)
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

    def fingerprint(self) -> str:
        """The SHA-256 of all weights by name, and of the vocabulary."""
        words = sorted(self.tokenizer.get_vocab().items())
        return hashlib.sha256(f"{weights_hash(self.classifier.network)}{words}".encode()).hexdigest()

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
            network = text_cnn(settings, place, tokenizer, names)
        else:
            network = encoder_with_head(settings, place, names, head)
    check_padding(tokenizer, place.name)
    check_vocabulary(tokenizer, network, place.name)
    check_finite(network, place.name)
    limit, notes = longest(settings, network, place)
    return TextModel(Classifier(network), tokenizer, tuple(labels), limit, settings.name, notes, task=head.task)


def encoder_with_head(settings: ModelSettings, place: Place, names: dict[str, Any], head: Head) -> PreTrainedModel:
    """The pretrained encoder under a head for these labels: new, unless it has one for the very same."""
    config = config_of(place)
    check_encoder(config, place.name)
    same_labels = config.to_dict().get("id2label") == names["id2label"] and head_of(config) == head
    vars(config).pop(OWN_HEAD, None)
    config.update(names)
    set_dropout(config, settings.dropout)
    set_classifier_dropout(config, settings.classifier_dropout, place.name)
    network, info = network_of(place, head.opens_with, config=config, **REPORTED)
    check_weights(network, info, place.name, new_head=True)
    if not same_labels:
        last = last_linear(network)
        nn.init.normal_(last.weight, std=0.02)
        nn.init.zeros_(last.bias)
    return network


def text_cnn(settings: ModelSettings, place: Place, tokenizer: Any, names: dict[str, Any]) -> TextCNN:
    """A fresh TextCNN over the tokenizer's vocabulary, its vectors learned or the encoder's."""
    if names["problem_type"] is None:
        raise BadInput("textcnn reads a text as a whole and finds no spans in it; use a Hugging Face encoder")
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
    with opening(place):
        tokenizer = tokenizer_of(place)
        head = check_head(config_of(place), task, name)
        network, info = network_of(place, head.opens_with, **REPORTED)
    check_shapes(info, name)
    if info["missing_keys"]:
        first = sorted(info["missing_keys"])[0]
        raise BadInput(
            f"{name} is no trained classifier: {len(info['missing_keys'])} weights such as {first} are missing; "
            "train it first (unfooled train --model …)"
        )
    check_finite(network, name)
    check_padding(tokenizer, name)
    check_vocabulary(tokenizer, network, name)
    labels = labels_of(network.config, name)
    limit = min(tokenizer.model_max_length, positions(network))
    network.train(False)
    config = network.config.to_dict()
    known = {"trained_on": config.get("unfooled_trained_on"), "learnt_nothing": config.get(LEARNT_NOTHING) is True}
    return TextModel(Classifier(network), tokenizer, labels, limit, name, task=head.task, **known)


def save(model: TextModel, folder: Path, card: str) -> None:
    """Write a Hugging Face model folder with a model card."""
    model.tokenizer.model_max_length = model.max_length
    write_folder(model.classifier.network, model.tokenizer, folder, card)


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
    limit = network.config.to_dict().get("max_position_embeddings") or 0
    tables = [module for name, module in network.named_modules() if name.endswith("position_embeddings")]
    # RoBERTa and its kin count positions from the padding id onwards, and give their table that padding id.
    offsets = [
        table.padding_idx + 1 for table in tables if isinstance(table, nn.Embedding) and table.padding_idx is not None
    ]
    return int(limit) - max(offsets, default=0) if limit > 0 else 1_000_000


def set_dropout(config: Any, rate: float | None) -> None:
    """Set every dropout rate the configuration knows."""
    if rate is not None:
        known = config.to_dict().items()
        config.update({name: rate for name, value in known if "drop" in name and isinstance(value, float | int)})


def set_classifier_dropout(config: Any, rate: float | None, name: str) -> None:
    """Set the dropout rate before the last layer, by whatever name the configuration has for it."""
    if rate is None:
        return
    known = [key for key in CLASSIFIER_DROPOUTS if key in config.to_dict()]
    if not known:
        raise BadInput(f"{name} knows no dropout for its last layer alone; set model.dropout, or leave it out")
    config.update(dict.fromkeys(known, rate))


def tokenizer_of(place: Place) -> Any:
    """The tokenizer of a place."""
    return AutoTokenizer.from_pretrained(str(place.folder), **CAREFUL)


def config_of(place: Place) -> Any:
    """The configuration of a place."""
    return AutoConfig.from_pretrained(str(place.folder), **CAREFUL)


def network_of(place: Place, opens_with: str = "AutoModel", **options: Any) -> Any:
    """The network of a place as a class of transformers opens it, in single precision, from safetensors alone."""
    kind = getattr(transformers, opens_with)
    config = options.pop("config", None) or config_of(place)
    check_growth(place.folder / "config.json", network_size(kind, config), place.shapes)
    how = {"dtype": torch.float32, "use_safetensors": True, **CAREFUL, **options}
    return kind.from_pretrained(str(place.folder), config=config, **how)


def network_size(kind: Any, config: Any) -> int:
    """How many weights a configuration asks for, counted on a network without any."""
    with torch.random.fork_rng(devices=[]), torch.device("meta"):  # what is drawn later is what was drawn before
        network = kind.from_config(deepcopy(config), trust_remote_code=False)
    return sum(tensor.numel() for tensor in network.state_dict().values())


@contextmanager
def opening(place: Place) -> Iterator[None]:
    """Open model files quietly and turn what goes wrong into one sentence."""
    try:
        with quiet():
            yield
    except (SafetensorError, RuntimeError, KeyError) as error:
        raise BadInput(f"the weights of {place.name} cannot be read ({reason(error)}); restore the files") from None
    except (BadInput, Stopped):
        raise
    except Exception as error:  # transformers has no errors of its own: what a file can make it raise is without end
        raise BadInput(f"{place.name} cannot be opened as a model ({reason(error)}); restore the files") from None
    except BaseException as error:
        if type(error).__name__ != PANIC:
            raise
        raise BadInput(f"the tokenizer of {place.name} cannot be read ({reason(error)}); restore the files") from None


def reason(error: BaseException) -> str:
    """What an error says, its first line and not too much of it."""
    first = (str(error).strip() or type(error).__name__).splitlines()[0]
    return first if len(first) <= 200 else f"{first[:200]}…"


@contextmanager
def quiet() -> Iterator[None]:
    """Keep transformers' load reports and bars off the terminal."""
    verbosity, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity(transformers.logging.CRITICAL)
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()
