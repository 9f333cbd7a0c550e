"""Running text in blocks: nothing lost, nothing cut inside a word, everything as full as it can be."""

import pytest
from support_text import byte_tokenizer, piece_tokenizer
from transformers import PreTrainedTokenizerFast

from unfooled.data.batches import blocks as blocks_module
from unfooled.data.batches.blocks import by_size, in_blocks

PARAGRAPHS = ["the film was warm and bright", "café", "a naïve plot 😀 and it was quite good ,  very good", "short end"]


def check(tokenizer: PreTrainedTokenizerFast, room: int) -> None:
    blocks = in_blocks(PARAGRAPHS, tokenizer, room)
    assert " ".join(blocks.texts).split() == " ".join(PARAGRAPHS).split()
    lengths = [len(ids) for ids in tokenizer(blocks.texts)["input_ids"]]
    assert blocks.lengths.tolist() == lengths
    assert max(lengths) <= room
    for here, after in zip(blocks.texts, blocks.texts[1:], strict=False):
        longer = f"{here} {after.split()[0]}"
        assert len(tokenizer([longer])["input_ids"][0]) > room  # the next word would not have fitted


def test_blocks_are_full_and_whole() -> None:
    check(piece_tokenizer(), 12)
    check(piece_tokenizer(), 40)


def test_a_word_longer_than_a_block_stands_alone() -> None:
    blocks = in_blocks(["a b", "x" * 50, "c d"], piece_tokenizer(), 8)
    assert "x" * 50 in blocks.texts and blocks.lengths.max() == 8


def test_a_byte_tokenizer_counts_the_space_before_a_word_with_it() -> None:
    tokenizer = byte_tokenizer()
    blocks = in_blocks(PARAGRAPHS, tokenizer, 14)
    assert " ".join(blocks.texts).split() == " ".join(PARAGRAPHS).split()
    lengths = [len(ids) for ids in tokenizer(blocks.texts)["input_ids"]]
    assert max(lengths) <= 14 + 2  # a word at the front of a paragraph has no space of its own


def test_rows_can_be_taken() -> None:
    blocks = in_blocks(PARAGRAPHS, piece_tokenizer(), 12)
    some = blocks.take([2, 0])
    assert (
        some.first(9) == [blocks.texts[2], blocks.texts[0]] and some.lengths.tolist() == blocks.lengths[[2, 0]].tolist()
    )
    assert len(some) == 2


def test_paragraphs_are_tokenised_in_lists_of_bounded_size(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = in_blocks(PARAGRAPHS, piece_tokenizer(), 12).first(99)
    monkeypatch.setattr(blocks_module, "LETTERS_AT_ONCE", 40)
    assert [len(some) for some in by_size(iter(PARAGRAPHS))] == [2, 1, 1]  # one that is longer alone goes alone
    monkeypatch.setattr(blocks_module, "AT_ONCE", 1)
    assert [len(some) for some in by_size(PARAGRAPHS)] == [1] * 4
    assert in_blocks(iter(PARAGRAPHS), piece_tokenizer(), 12).first(99) == whole


def test_no_text_is_no_block() -> None:
    assert len(in_blocks([], piece_tokenizer(), 12)) == 0
    assert len(in_blocks([" "], piece_tokenizer(), 12)) == 0
