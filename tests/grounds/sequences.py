"""Tiny language models and translators, and batches for them; nothing is downloaded."""

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import GPT2Config, GPT2LMHeadModel, MarianConfig, MarianMTModel

from unfooled.data.batches.pairs import Pairs
from unfooled.data.batches.segments import Segments
from unfooled.data.vocabulary import Marked, byte_pairs, word_vocabulary
from unfooled.models.encoders.pretrained import ModelSettings
from unfooled.models.sequences.language_model import LanguageModel
from unfooled.models.sequences.sequence_model import (
    SequenceModel,
    new_language_model,
    new_translator,
    save_sequences,
)
from unfooled.models.sequences.tensorized import Tensorized, TensorizedConfig
from unfooled.models.sequences.translator import Translator
from unfooled.types import Batch

VOCABULARY = 24
WORDS = [
    "the",
    "dog",
    "cat",
    "saw",
    "old",
    "man",
    "ran",
    "home",
    "fast",
    "today",
    "a",
    "bird",
    "sang",
    "well",
    "x",
    "1",
]


def language_model(seed: int = 0, dropout: float = 0.0, kind: str = "tensorized", length: int = 6) -> LanguageModel:
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        if kind == "gpt2":
            rates = {"resid_pdrop": dropout, "embd_pdrop": dropout, "attn_pdrop": dropout}
            sizes = {"n_positions": length, "n_embd": 16, "n_layer": 2, "n_head": 2, "initializer_range": 0.2}
            network: Any = GPT2LMHeadModel(GPT2Config(vocab_size=VOCABULARY, **sizes, **rates))
        else:
            sizes = {"hidden_size": 16, "num_hidden_layers": 2, "head_width": 6, "inner_width": 20, "dropout": dropout}
            network = Tensorized(TensorizedConfig(vocab_size=VOCABULARY, segment_length=length, **sizes))
            for parameter in network.parameters():
                parameter.data.normal_(std=0.3)
    return LanguageModel(network).train()


def translator(seed: int = 0, dropout: float = 0.0, shared: bool = True) -> Translator:
    config = MarianConfig(
        vocab_size=VOCABULARY,
        decoder_vocab_size=VOCABULARY,
        share_encoder_decoder_embeddings=shared,
        d_model=16,
        encoder_layers=1,
        decoder_layers=2,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=20,
        decoder_ffn_dim=20,
        dropout=dropout,
        scale_embedding=True,
        max_position_embeddings=16,
        pad_token_id=0,
        eos_token_id=1,
        decoder_start_token_id=0,
        forced_eos_token_id=None,
        init_std=0.2,
    )
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return Translator(MarianMTModel(config)).train()


def marked_text(lengths: list[int], seed: int = 0) -> Marked:
    """Lines of drawn tokens; those of the first line are no complete words, of the others about half are."""
    random = np.random.default_rng(seed)
    ids = random.integers(2, VOCABULARY, sum(lengths)).astype(np.int32)
    words = ids % 2 == 0
    words[: lengths[0]] = False
    return Marked(ids, words, np.concatenate([[0], np.cumsum(lengths)]))


def language_batch() -> Batch:
    """Four segments of six tokens, the first without a complete word, the last padded."""
    loader = Segments(marked_text([8, 6, 5, 3]), length=6, ending=1, batch_size=4, seed=3)
    batch = loader.tensors(np.array([0, 1, 2, 3]), 1)
    return replace(batch, targets={"words": batch.targets["words"].clone()})


def translation_batch() -> Batch:
    """Four pairs of different lengths, the first without a complete word."""
    loader = Pairs(marked_text([4, 6, 3, 5]), marked_text([5, 4, 6, 3], 1), 100, (0, 0), 0, seed=3)
    return loader.tensors(np.array([0, 1, 2, 3]), 1)


def save_text(folder: Path, lines: int = 40, seed: int = 0) -> Path:
    """A folder of train, validation and test lines of a tiny language."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, split in enumerate(("train", "validation", "test")):
        rows = sentences(lines if split == "train" else 8, seed + number)
        (folder / f"{split}.txt").write_text("".join(f"{row}\n" for row in rows))
    return folder


def sentences(count: int, seed: int = 0) -> list[str]:
    random = np.random.default_rng(seed)
    return [" ".join(random.choice(WORDS, random.integers(3, 9))) for _ in range(count)]


def save_pairs(folder: Path, pairs: int = 40, seed: int = 0) -> Path:
    """A folder of sentences and their reversals in a made-up language."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, split in enumerate(("train", "validation", "test2016")):
        rows = sentences(pairs if split == "train" else 8, seed + number)
        (folder / f"{split}.en.txt").write_text("".join(f"{row}\n" for row in rows))
        turned = [" ".join(f"{word}en" for word in reversed(row.split())) for row in rows]
        (folder / f"{split}.de.txt").write_text("".join(f"{row}\n" for row in turned))
    return folder


@cache
def writing_translator(max_length: int = 32, dropout: float | None = None, seed: int = 0) -> SequenceModel:
    """A translator over pieces of the tiny language's words, its weights drawn wide; shared, so leave it as it is."""
    pieces = byte_pairs(sentences(60), 310)
    sizes = {"layers": 1, "width": 16, "heads": 2, "inner_width": 20}
    settings = ModelSettings(name="transformer", max_length=max_length, dropout=dropout, sizes=sizes)
    return widened(new_translator(settings, pieces, pieces, 0), 0.25, seed)


@cache
def writing_language_model(max_length: int = 16, seed: int = 0, width: float = 0.3) -> SequenceModel:
    """A language model over the words of the tiny language, its weights drawn wide; shared, so leave it as it is."""
    sizes = {"layers": 1, "width": 16, "heads": 2, "inner_width": 20, "head_width": 6}
    settings = ModelSettings(name="tensorized", max_length=max_length, sizes=sizes)
    return widened(new_language_model(settings, word_vocabulary(sentences(60)), 0), width, seed)


def widened(model: SequenceModel, width: float, seed: int) -> SequenceModel:
    """The model with weights so wide that its outputs really depend on its inputs."""
    random = torch.Generator().manual_seed(seed)
    for parameter in model.model.parameters():
        if parameter.requires_grad:
            parameter.data = width * torch.randn(parameter.shape, generator=random)
    return model


def save_translator(folder: Path, seed: int = 0) -> Path:
    """A translator's folder."""
    save_sequences(writing_translator(seed=seed), folder, "")
    return folder


def save_language_model(folder: Path, seed: int = 0) -> Path:
    """A language model's folder."""
    save_sequences(writing_language_model(seed=seed), folder, "")
    return folder
