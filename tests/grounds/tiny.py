"""A tiny pretrained-looking encoder on disk, and a tiny task it can learn, made here: nothing is downloaded."""

import csv
from pathlib import Path

import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

GOOD = ["good", "fine", "great", "lovely", "warm", "bright"]
BAD = ["bad", "poor", "awful", "dull", "cold", "grey"]
OTHER = [
    "the",
    "a",
    "film",
    "plot",
    "actor",
    "scene",
    "was",
    "is",
    "very",
    "quite",
    "and",
    "but",
    "it",
    "of",
    "with",
    "story",
]
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def save_encoder(folder: Path, dropout: float = 0.1, seed: int = 0, positions: int = 32) -> Path:
    """A 2-layer random BERT with a word-level tokenizer, as a Hugging Face folder."""
    words = [*SPECIAL, *GOOD, *BAD, *OTHER]
    tokenizer = Tokenizer(models.WordLevel({word: number for number, word in enumerate(words)}, "[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    names = dict(zip(("pad_token", "unk_token", "cls_token", "sep_token", "mask_token"), SPECIAL, strict=True))
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        model_max_length=positions,
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
        **names,
    )
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=positions,
        hidden_dropout_prob=dropout,
        attention_probs_dropout_prob=dropout,
        initializer_range=0.3,
    )
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        BertModel(config).save_pretrained(folder)
    fast.save_pretrained(folder)
    return folder


def reviews(count: int, seed: int = 0) -> list[tuple[str, str]]:
    """Sentences of different lengths whose good or bad words give the label."""
    random = torch.Generator().manual_seed(seed)

    def pick(words: list[str]) -> str:
        return words[int(torch.randint(len(words), (1,), generator=random))]

    rows = []
    for number in range(count):
        label, words = ("positive", GOOD) if number % 2 else ("negative", BAD)
        length = int(torch.randint(2, 12, (1,), generator=random))
        rows.append((" ".join([*(pick(OTHER) for _ in range(length)), pick(words), pick(words)]), label))
    return rows


def save_reviews(path: Path, count: int, seed: int = 0) -> Path:
    """The reviews as a CSV file."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["text", "label"])
        writer.writerows(reviews(count, seed))
    return path
