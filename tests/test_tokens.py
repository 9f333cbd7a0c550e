"""Texts are tokenised once, padded per batch and grouped by length, with nothing lost or moved."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from support_text import piece_tokenizer

from unfooled.tokens import Encoded, bounded, by_length, encode

START, END, PADDING = 1, 2, 9


class Letters:
    """A tokenizer whose tokens are letters: a = 10, b = 11, …; pairs have two segments."""

    def __init__(self, pad_token_id=PADDING, segments=True):
        self.pad_token_id = pad_token_id
        self.segments = segments
        self.calls = 0

    def __call__(self, *columns, truncation, max_length, verbose):
        self.calls += 1
        assert truncation
        rows = [self.row(texts, max_length) for texts in zip(*columns, strict=True)]
        out = {"input_ids": [ids for ids, _ in rows]}
        return out | ({"token_type_ids": [kinds for _, kinds in rows]} if self.segments else {})

    def row(self, texts, max_length):
        ids, kinds = [START], [0]
        for number, text in enumerate(texts):
            ids += [*(ord(letter) - 87 for letter in text), END]
            kinds += [number] * (len(text) + 1)
        return ids[:max_length], kinds[:max_length]


letters = st.text("abcdefg", max_size=12)


@given(st.lists(letters, min_size=1, max_size=12), st.integers(1, 5), st.integers(4, 14))
def test_every_text_comes_back_whole(texts, chunk, max_length):
    tokenizer = Letters()
    encoded = encode(tokenizer, [(text,) for text in texts], max_length, chunk)
    rows = list(reversed(range(len(texts))))
    tokens = encoded.pad(rows)
    expected = [tokenizer.row((texts[row],), max_length)[0] for row in rows]
    assert tokenizer.calls == -(-len(texts) // chunk)
    assert len(encoded) == len(texts) and encoded.lengths.tolist() == [len(row) for row in reversed(expected)]
    assert tokens.ids.shape == tokens.mask.shape == (len(texts), max(map(len, expected)))
    for place, row in enumerate(expected):
        assert tokens.ids[place, : len(row)].tolist() == row
        assert set(tokens.ids[place, len(row) :].tolist()) <= {PADDING}
        assert tokens.mask[place].tolist() == [column < len(row) for column in range(tokens.mask.shape[1])]


@given(st.lists(st.tuples(letters, letters), min_size=1, max_size=6))
def test_pairs_keep_their_segments(pairs):
    tokenizer = Letters()
    tokens = encode(tokenizer, pairs, max_length=99, chunk=2).pad(range(len(pairs)))
    for place, pair in enumerate(pairs):
        ids, kinds = tokenizer.row(pair, 99)
        assert tokens.ids[place, : len(ids)].tolist() == ids
        assert tokens.segments[place, : len(ids)].tolist() == kinds
        assert not tokens.segments[place, len(ids) :].any()


def test_kinds_of_numbers():
    tokens = encode(Letters(), [("ab",), ("c",)], 8).pad(np.array([1, 0]))
    assert (tokens.ids.dtype, tokens.mask.dtype, tokens.segments.dtype) == (
        torch.int64,
        torch.bool,
        torch.int64,
    )
    without = encode(Letters(segments=False), [("ab",)], 8)
    assert without.segments is None and without.pad([0]).segments is None


def test_a_tokenizer_without_padding_pads_with_zero():
    assert encode(Letters(pad_token_id=None), [("ab",), ("c",)], 8).pad([0, 1]).ids[1].tolist() == [
        1,
        12,
        2,
        0,
    ]


def test_no_texts_are_no_rows():
    assert len(encode(Letters(), [], 8)) == 0


def test_a_text_may_be_asked_for_twice():
    tokens = encode(Letters(), [("ab",), ("c",)], 8).pad([1, 1, 0])
    assert torch.equal(tokens.ids[0], tokens.ids[1])


def with_lengths(lengths):
    return Encoded(np.zeros(sum(lengths), np.int32), None, np.concatenate([[0], np.cumsum(lengths)]).astype(int), 0)


@given(st.lists(st.integers(1, 9), max_size=20), st.integers(1, 6))
def test_batches_by_length_hold_every_row_once_longest_first(lengths, size):
    batches = list(by_length(with_lengths(lengths), size))
    order = [int(row) for batch in batches for row in batch]
    assert sorted(order) == list(range(len(lengths)))
    assert [lengths[row] for row in order] == sorted(lengths, reverse=True)
    assert all(len(batch) == size for batch in batches[:-1])
    # Equal lengths keep their order: the same batches on every machine.
    assert order == sorted(order, key=lambda row: (-lengths[row], row))


def test_only_chosen_rows_are_grouped():
    batches = list(by_length(with_lengths([3, 9, 4, 1]), 2, np.array([0, 2, 3])))
    assert [batch.tolist() for batch in batches] == [[2, 0], [3]]


@pytest.mark.parametrize("lengths", [[3, 1, 2]])
def test_a_batch_is_as_wide_as_its_own_longest_text(lengths):
    encoded = with_lengths(lengths)
    assert [encoded.pad(rows).ids.shape[1] for rows in ([0, 1], [1], [1, 2])] == [3, 1, 2]


def test_a_pair_of_endless_texts_is_cut_before_it_is_tokenised_and_reads_the_same() -> None:
    tokenizer = piece_tokenizer()
    for pair in (("the film was good " * 20, "a plot " * 36), ("a plot " * 36, "the film was good " * 20)):
        short = bounded(tokenizer, pair, 8)
        assert all(text.startswith(cut) and len(cut) < len(text) for text, cut in zip(pair, short, strict=True))
        direct = tokenizer(*pair, truncation=True, max_length=8)
        assert encode(tokenizer, [pair], 8).ids.tolist() == direct["input_ids"]
    for texts in (("the film " * 500,), ("good", "a plot " * 500), ("a film", "")):
        assert bounded(tokenizer, texts, 8) == texts
    endless = "the film was good and warm " * 4000
    assert len(encode(tokenizer, [(endless, endless)], 32).ids) == 32
