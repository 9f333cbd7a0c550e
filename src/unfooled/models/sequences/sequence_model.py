"""Language models and translators, new or from a folder, and back into folders that plain transformers opens."""

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM, GPT2Config, MarianConfig, PreTrainedModel

from unfooled.errors import BadInput
from unfooled.models.checks import check_finite
from unfooled.models.encoders.dropout import set_dropout
from unfooled.models.encoders.pretrained import ModelSettings, positions, weights_hash, write_folder
from unfooled.models.locate import Place, locate
from unfooled.models.opening import config_of, network_of, opening, quiet, tokenizer_of
from unfooled.models.rules import rules_hash
from unfooled.models.sequences.language_model import LanguageModel
from unfooled.models.sequences.tensorized import TensorizedConfig
from unfooled.models.sequences.translator import Translator
from unfooled.seeds import isolated

TARGET = "target_tokenizer"  # the folder of the target's vocabulary, where it has one of its own
AS_IT_IS = ModelSettings(max_length=10**6)  # as long as the model itself takes


@dataclass(frozen=True)
class SequenceModel:
    """A language model or a translator with what it reads and writes by."""

    model: LanguageModel | Translator
    tokenizer: Any
    target: Any  # the tokenizer of what is written: the same, unless a translator has two
    max_length: int
    name: str

    def fingerprint(self) -> str:
        """The SHA-256 of all weights by name, and of the vocabularies."""
        words = [sorted(each.get_vocab().items()) for each in (self.tokenizer, self.target)]
        return hashlib.sha256(f"{weights_hash(self.model.network)}{words}".encode()).hexdigest()

    def rules(self) -> str:
        """The SHA-256 of what else decides its answers: how texts are cut, and the configuration."""
        return rules_hash([self.tokenizer, self.target], self.model.network.config.to_dict())

    def to(self, where: torch.device | str) -> "SequenceModel":
        """The same model on another device."""
        return replace(self, model=self.model.to(where))

    @property
    def ending(self) -> int:
        """The token read before the first of a text."""
        known = (self.target.eos_token_id, self.target.bos_token_id)
        number = next((token for token in known if token is not None), None)
        if number is None:
            raise BadInput(f"the tokenizer of {self.name} has no token that ends or begins a text; use another model")
        return int(number)

    @property
    def closing(self) -> int | None:
        """The token that closes a line of running text; None where the tokenizer does so itself.

        Tokenizers of language models do not: what is to be gone on with must not be closed.
        """
        return None if self.tokenizer("")["input_ids"] else self.ending


def new_language_model(settings: ModelSettings, tokenizer: Any, seed: int) -> SequenceModel:
    """A causal language model with drawn weights over this vocabulary."""
    sizes, words = settings.sizes, len(tokenizer)
    width = sizes.width or 256
    special = {"eos_token_id": tokenizer.eos_token_id, "pad_token_id": tokenizer.pad_token_id, "bos_token_id": None}
    config: Any
    if settings.name == "tensorized":
        config = TensorizedConfig(
            vocab_size=words,
            hidden_size=width,
            num_hidden_layers=sizes.layers or 3,
            head_width=sizes.head_width,
            inner_width=sizes.inner_width or 2100,
            segment_length=settings.max_length,
            cores=sizes.cores,
            dropout=0.3 if settings.dropout is None else settings.dropout,
            causal=sizes.causal,
            cutoffs=sizes.cutoffs,
            checkpointing=sizes.checkpointing,
            **special,
        )
    else:
        config = GPT2Config(
            vocab_size=words,
            n_positions=settings.max_length,
            n_embd=width,
            n_layer=sizes.layers or 3,
            n_head=heads_of(sizes.heads or 4, width),
            n_inner=sizes.inner_width,
            **special,
        )
        set_dropout(config, settings.dropout)
    with isolated(seed, "initial weights"):
        network = AutoModelForCausalLM.from_config(config)
    tokenizer.model_max_length = settings.max_length
    return SequenceModel(LanguageModel(network), tokenizer, tokenizer, settings.max_length, settings.name)


def new_translator(settings: ModelSettings, source: Any, target: Any, seed: int) -> SequenceModel:
    """An encoder–decoder as Vaswani et al. (2017) made it, 3 + 3 layers unless told, with drawn weights."""
    sizes = settings.sizes
    width = sizes.width or 512
    heads, inner = heads_of(sizes.heads or 8, width), sizes.inner_width or 4 * width
    config = MarianConfig(
        vocab_size=len(source),
        decoder_vocab_size=len(target),
        share_encoder_decoder_embeddings=source is target,
        d_model=width,
        encoder_layers=sizes.layers or 3,
        decoder_layers=sizes.layers or 3,
        encoder_attention_heads=heads,
        decoder_attention_heads=heads,
        encoder_ffn_dim=inner,
        decoder_ffn_dim=inner,
        activation_function="relu",
        scale_embedding=True,
        dropout=0.1 if settings.dropout is None else settings.dropout,
        max_position_embeddings=settings.max_length,
        pad_token_id=target.pad_token_id,
        decoder_start_token_id=target.pad_token_id,
        eos_token_id=target.eos_token_id,
        forced_eos_token_id=None,
    )
    with isolated(seed, "initial weights"):
        network = AutoModelForSeq2SeqLM.from_config(config)
    for tokenizer in (source, target):
        tokenizer.model_max_length = settings.max_length
    return SequenceModel(Translator(network), source, target, settings.max_length, settings.name)


def heads_of(heads: int, width: int) -> int:
    """So many heads, if they share the width out evenly."""
    if width % heads:
        raise BadInput(f"a width of {width} cannot be shared out over {heads} heads; change model.sizes.heads")
    return heads


def load_language_model(name: str, settings: ModelSettings = AS_IT_IS) -> SequenceModel:
    """A causal language model from a folder or the hub."""
    network, tokenizer, limit = opened(locate(name), "AutoModelForCausalLM", settings)
    return SequenceModel(LanguageModel(network), tokenizer, tokenizer, limit, name)


def load_translator(name: str, settings: ModelSettings = AS_IT_IS) -> SequenceModel:
    """A translator from a folder or the hub; its target's tokenizer is in a folder inside, where it has one."""
    place = locate(name)
    network, tokenizer, limit = opened(place, "AutoModelForSeq2SeqLM", settings)
    target = tokenizer
    if (place.folder / TARGET).is_dir():
        with opening(place):
            target = tokenizer_of(replace(place, folder=place.folder / TARGET))
    return SequenceModel(Translator(network), tokenizer, target, limit, name)


def opened(place: Place, opens_with: str, settings: ModelSettings) -> tuple[PreTrainedModel, Any, int]:
    """A network of a kind, its tokenizer and its longest input; refuses what lacks weights."""
    with opening(place):
        tokenizer, config = tokenizer_of(place), config_of(place)
        set_dropout(config, settings.dropout)
        network, info = network_of(place, opens_with, config=config, output_loading_info=True)
    if info["missing_keys"]:
        first = sorted(info["missing_keys"])[0]
        raise BadInput(
            f"{place.name} is not what was asked for: {len(info['missing_keys'])} weights such as {first} are missing"
        )
    if not tokenizer.is_fast:
        raise BadInput(
            f"the tokenizer of {place.name} does not say which tokens make a word; use one with tokenizer.json"
        )
    check_finite(network, place.name)
    network.train(False)
    return network, tokenizer, min(positions(network), tokenizer.model_max_length, settings.max_length)


def save_sequences(model: SequenceModel, folder: Path, card: str) -> None:
    """Write a Hugging Face model folder with a model card."""
    write_folder(model.model.network, model.tokenizer, folder, card)
    if model.target is not model.tokenizer:
        with quiet():
            model.target.save_pretrained(folder / TARGET)
