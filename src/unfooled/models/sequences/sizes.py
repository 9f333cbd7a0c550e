"""How large a network that is made from nothing is, and what it reads: for language models and translators."""

from typing import Literal

from pydantic import Field

from unfooled.settings import Settings

NEW = ("tensorized", "transformer")  # what is made from nothing; every other name is a folder or a hub name


class Sizes(Settings):
    """The sizes of a new network; None is that of the paper it comes from."""

    layers: int | None = Field(None, ge=1)  # of a translator, in its encoder and in its decoder
    width: int | None = Field(None, ge=2)
    heads: int | None = Field(None, ge=1)
    inner_width: int | None = Field(None, ge=1)
    head_width: int = Field(40, ge=1)  # tensorized
    cores: int = Field(1, ge=1)  # tensorized
    cutoffs: tuple[int, ...] = ()  # tensorized: classes of words of an adaptive softmax
    causal: bool = True  # tensorized; False sees the future, as the released code does
    checkpointing: bool = False  # tensorized: hold the [T, T, T] tensors of one layer at a time
    vocabulary: Literal["words", "bpe"] | None = None  # None: words for a language model, byte pairs for a translator
    vocabulary_size: int | None = Field(None, ge=3)
    shared_vocabulary: bool = True  # of source and target
