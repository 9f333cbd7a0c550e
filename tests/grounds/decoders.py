"""Tiny decoders on disk, Llama's and GPT-2's kind, with a tokenizer made here: nothing is downloaded."""

from pathlib import Path

import torch
from tiny import BAD, GOOD, OTHER
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import GPT2Config, GPT2Model, LlamaConfig, LlamaModel, PreTrainedTokenizerFast

KINDS = ("llama", "gpt2")
SPECIAL = ["<unk>", "<s>", "</s>"]  # none that pads, as decoders come


def save_decoder(folder: Path, kind: str = "llama", dropout: float = 0.0, side: str = "left", seed: int = 0) -> Path:
    """A 2-layer random decoder of width 16, as a Hugging Face folder; its texts begin with <s>."""
    words = [*SPECIAL, *GOOD, *BAD, *OTHER]
    tokenizer = Tokenizer(models.WordLevel({word: number for number, word in enumerate(words)}, "<unk>"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing("<s> $A", "<s> $A </s> $B", [("<s>", 1), ("</s>", 2)])
    names = {"unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>", "padding_side": side}
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=32, **names)
    known = {"vocab_size": len(words), "initializer_range": 0.3, "bos_token_id": 1, "eos_token_id": 2}
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        if kind == "llama":
            sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
            LlamaModel(LlamaConfig(**known, **sizes, max_position_embeddings=32)).save_pretrained(folder)
        else:
            rates = dict.fromkeys(("resid_pdrop", "embd_pdrop", "attn_pdrop"), dropout)
            GPT2Model(GPT2Config(**known, **rates, n_embd=16, n_layer=2, n_head=2, n_positions=32)).save_pretrained(
                folder
            )
    fast.save_pretrained(folder)
    return folder
