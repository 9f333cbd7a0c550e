"""Texts are tokenised once: when their length is asked, or when they come in a batch."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny import save_encoder
from transformers import AutoTokenizer

from unfooled.tokens import encode
from unfooled.victims.reader import TextReader

TEXTS = [("good film",), ("a dull story was the",), ("good",), ("the " * 40,)]
PAIRS = [("good film", "dull story"), ("a", "the was film film")]


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return AutoTokenizer.from_pretrained(save_encoder(tmp_path_factory.mktemp("encoder")))


class Counted:
    """A tokenizer that counts the texts it is given."""

    def __init__(self, tokenizer: Any) -> None:
        self.tokenizer, self.texts = tokenizer, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.tokenizer, name)

    def __call__(self, texts: Any, *more: Any, **how: Any) -> Any:
        self.texts += len(texts)
        return self.tokenizer(texts, *more, **how)


@pytest.mark.parametrize("texts", [TEXTS, PAIRS], ids=["texts", "pairs"])
def test_batches_are_what_the_tokenizer_makes_of_the_texts(tokenizer: Any, texts: list[tuple[str, ...]]) -> None:
    reader, expected = TextReader(tokenizer, 32), encode(tokenizer, texts, 32)
    for before in (texts, texts[:1], []):
        if before:
            assert reader.lengths(before) == expected.lengths.tolist()[: len(before)]
        found, which = reader.batch(texts)
        assert which.tolist() == list(range(len(texts)))
        assert np.array_equal(found.ids, expected.ids) and np.array_equal(found.offsets, expected.offsets)
        assert (found.segments is None) == (expected.segments is None) and found.padding == expected.padding
        assert found.segments is None or np.array_equal(found.segments, expected.segments)
        assert not reader.waiting
    assert reader.unknown == "[UNK]"


def test_a_text_is_read_once_though_its_length_is_asked_and_it_stands_twice(tokenizer: Any) -> None:
    counted = Counted(tokenizer)
    reader = TextReader(counted, 32)
    reader.lengths(TEXTS[:2])
    assert counted.texts == 2
    found, which = reader.batch([TEXTS[1], TEXTS[0], TEXTS[1], TEXTS[2]])
    assert counted.texts == 3 and found.lengths.tolist() == [7, 4, 3] and which.tolist() == [0, 1, 0, 2]


def test_a_full_memory_loses_no_text_of_the_batch(tokenizer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unfooled.victims.reader.REMEMBERED", 1)
    reader = TextReader(tokenizer, 32)
    reader.lengths(TEXTS[:3])
    assert np.array_equal(reader.batch(TEXTS)[0].ids, encode(tokenizer, TEXTS, 32).ids)


def test_without_a_word_for_the_unknown_the_mask_stands_in(tmp_path: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(save_encoder(tmp_path))
    tokenizer.unk_token = None
    assert TextReader(tokenizer, 32).unknown == "[MASK]"
