"""A tiny masked-language model and batches of views, for the tests of pre-training methods."""

from collections.abc import Sequence

import numpy as np
import torch
from support_text import piece_tokenizer
from transformers import BertConfig, BertForMaskedLM, BertModel

from unfooled.data.batches.blocks import Blocks
from unfooled.data.batches.views import Reader, ViewBatches, ViewSettings
from unfooled.methods.objective import TrainingTask
from unfooled.models.encoders.masked import MaskedModel
from unfooled.types import Batch

TEXTS = (
    "Good films are warm, but the owner gave a cold answer to every happy child.",
    "Big dogs run fast.",
    "The quick brown fox jumps over the lazy dog.",
    "A bad plot and a dull story make a long evening.",
)
TASK = TrainingTask(0, torch.zeros(len(TEXTS)), steps=20, seed=0)


def masked_model(dropout: float = 0.0, seed: int = 0) -> MaskedModel:
    """A two-layer BERT of width 16 over the letters of ``piece_tokenizer``, with a pooler."""
    config = BertConfig(
        vocab_size=len(piece_tokenizer()),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=128,
        hidden_dropout_prob=dropout,
        attention_probs_dropout_prob=dropout,
        initializer_range=0.2,
    )
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        network = BertForMaskedLM(config)
        network.base_model.pooler = BertModel(config).pooler
    return MaskedModel(network).train()


def view_batch(views: ViewSettings, texts: Sequence[str] = TEXTS, epoch: int = 0) -> Batch:
    """The texts in the views a method wants."""
    blocks = Blocks(list(texts), np.array([len(text) for text in texts]))
    loader = ViewBatches(blocks, Reader.of(piece_tokenizer(), 120), views, len(texts), 3)
    return loader.batch(np.arange(len(texts)), epoch)
