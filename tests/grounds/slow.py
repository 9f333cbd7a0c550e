"""Tiny encoders with tokenizers that do not say which characters a token stands for: slow ones, in Python alone."""

from collections.abc import Callable, Mapping
from pathlib import Path
from string import ascii_lowercase
from typing import Any

from tiny import SPECIAL
from transformers import (
    BertConfig,
    BertModel,
    ByT5Tokenizer,
    CanineConfig,
    CanineModel,
    CanineTokenizer,
    PreTrainedModel,
)
from transformers.models.bert.tokenization_bert_legacy import BertTokenizerLegacy

LENGTH = 64
SMALL: dict[str, Any] = {
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "max_position_embeddings": LENGTH,
}


def bert() -> PreTrainedModel:
    """Of as many vectors as bytes and signs need."""
    return BertModel(BertConfig(vocab_size=400, **SMALL))


def canine() -> PreTrainedModel:
    """Which hashes characters, and has no table of token vectors."""
    return CanineModel(CanineConfig(num_hash_buckets=64, local_transformer_stride=16, **SMALL))


def letters(folder: Path) -> Any:
    """BERT's tokenizer as it was before there were fast ones, of letters alone."""
    path = folder / "vocab.txt"
    path.write_text("\n".join([*SPECIAL, *ascii_lowercase, *(f"##{letter}" for letter in ascii_lowercase)]))
    return BertTokenizerLegacy(str(path), model_max_length=LENGTH)


# Each encoder, and its tokenizer as made in a folder.
SLOW: Mapping[str, tuple[Callable[[], PreTrainedModel], Callable[[Path], Any]]] = {
    "bytes": (bert, lambda folder: ByT5Tokenizer(model_max_length=LENGTH)),
    "letters": (bert, letters),
    "canine": (canine, lambda folder: CanineTokenizer(model_max_length=LENGTH)),
}


def save_slow(folder: Path, kind: str) -> Path:
    """An encoder and its tokenizer as a Hugging Face folder."""
    network, tokenizer = SLOW[kind]
    network().save_pretrained(folder)
    tokenizer(folder).save_pretrained(folder)
    return folder
