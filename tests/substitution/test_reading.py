"""Oracle 4 of worst_words: every token of a text belongs to the word it is said to belong to."""

import re
from types import SimpleNamespace

import pytest
from support_text import byte_tokenizer, likely_tokenizer, piece_tokenizer
from transformers import PreTrainedTokenizerFast

from unfooled.errors import BadInput
from unfooled.substitution.reading import FIRST, JOINED, SPACED, Documents, WordReader, standing, texts_of
from unfooled.text.document import read
from unfooled.tokens import encode
from unfooled.types import Texts

TOKENIZERS = {"pieces": piece_tokenizer, "bytes": byte_tokenizer, "likely": likely_tokenizer}
TEXTS: list[Texts] = [
    ("The film was good, and the plot (warmly bright) wasn't!",),
    ("films",),
    ("  Filmed   very-well: 'it' was",),
    ("",),
    ("?!",),
]
PAIRS: list[Texts] = [("The film was good", "it was a warm plot"), ("", "a film"), ("Film", ""), ("", "")]


@pytest.fixture(params=TOKENIZERS)
def tokenizer(request: pytest.FixtureRequest) -> PreTrainedTokenizerFast:
    return TOKENIZERS[request.param]()


def documents(texts: Texts) -> Documents:
    return tuple(read(text) for text in texts)


def said(tokenizer: PreTrainedTokenizerFast, ids: list[int]) -> str:
    """The characters of some tokens, in lower case, without spaces and marks of pieces."""
    pieces = [tokenizer.decode([one]) if one not in tokenizer.all_special_ids else "" for one in ids]
    return re.sub("[ ▁Ġ]", "", "".join(piece.removeprefix("##") for piece in pieces)).lower()


@pytest.mark.parametrize("rows", [TEXTS, PAIRS], ids=["single", "pairs"])
def test_the_tokens_of_a_word_say_the_word(tokenizer: PreTrainedTokenizerFast, rows: list[Texts]) -> None:
    located = WordReader(tokenizer, 64).located([documents(texts) for texts in rows])
    for number, texts in enumerate(rows):
        for document, places in zip(documents(texts), located.places[number], strict=True):
            assert len(places) == len(document)
            for word, (first, last) in zip(document.words, places, strict=True):
                assert last > first
                assert said(tokenizer, located.tokens.ids[number, first:last].tolist()) == word.lower()


@pytest.mark.parametrize("rows", [TEXTS, PAIRS], ids=["single", "pairs"])
@pytest.mark.parametrize("limit", [64, 9])
def test_the_rectangle_is_the_one_that_training_reads(
    tokenizer: PreTrainedTokenizerFast, rows: list[Texts], limit: int
) -> None:
    found = WordReader(tokenizer, limit).located([documents(texts) for texts in rows]).tokens
    expected = encode(tokenizer, rows, limit).pad(range(len(rows)))
    assert found.ids.tolist() == expected.ids.tolist() and found.mask.tolist() == expected.mask.tolist()
    assert (found.segments is None) == (expected.segments is None)
    if found.segments is not None and expected.segments is not None:
        assert found.segments.tolist() == expected.segments.tolist()


def test_a_word_that_is_cut_off_has_no_tokens(tokenizer: PreTrainedTokenizerFast) -> None:
    document = read("good film brightening warmth")
    whole = WordReader(tokenizer, 64).located([(document,)]).places[0][0]
    for limit in range(4, whole[-1][1] + 1):
        places = WordReader(tokenizer, limit).located([(document,)]).places[0][0]
        kept = [place if place[1] <= limit - 1 else (0, 0) for place in whole]  # the last token is the closing one
        assert places == kept


def test_both_texts_of_a_pair_that_is_cut_have_their_words(tokenizer: PreTrainedTokenizerFast) -> None:
    pair = documents(("the film was " * 20, "a warm plot " * 20))
    located = WordReader(tokenizer, 16).located([pair])
    for document, places in zip(pair, located.places[0], strict=True):
        read_words = [(word, place) for word, place in zip(document.words, places, strict=True) if place != (0, 0)]
        assert 0 < len(read_words) < len(document)
        for word, (first, last) in read_words:
            assert said(tokenizer, located.tokens.ids[0, first:last].tolist()) == word


@pytest.mark.parametrize("word", ["film", "bright", "Zebra", "films", "very-well", "[MASK]"])
def test_the_pieces_of_a_word_are_those_it_has_in_the_text(tokenizer: PreTrainedTokenizerFast, word: str) -> None:
    """First, inside, behind a sign; a word of one piece or of many."""
    reader, document = WordReader(tokenizer, 64), read("The film (was good) and 'warm")
    for place in range(len(document)):
        changed = document.replace({place: word})
        located = reader.located([(changed,)])
        first, last = located.places[0][0][place]
        in_text = tuple(located.tokens.ids[0, first:last].tolist())
        assert reader.pieces([word, "plot"], standing(document, place))[0] == in_text
    if word == "[MASK]":
        assert in_text == (tokenizer.mask_token_id,) and reader.mask == word


def test_what_stands_before_a_word() -> None:
    document = read(" 'Good' film, (very\tgood")
    assert [standing(document, place) for place in range(4)] == [JOINED, SPACED, JOINED, SPACED]
    assert standing(read("  Good"), 0) == FIRST


def test_pieces_are_remembered_and_forgotten_when_they_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unfooled.substitution.reading.REMEMBERED", 3)
    reader = WordReader(piece_tokenizer(), 64)
    before = reader.pieces(["film", "good"])
    assert reader.pieces(["plot", "good", "good", "warm"])[1] == before[1] and len(reader.known) <= 3


@pytest.mark.parametrize("limit", [8, 33])
def test_what_is_within_reach_has_the_same_tokens(tokenizer: PreTrainedTokenizerFast, limit: int) -> None:
    long = "The film was good, and the plot wasn't warmly bright; " * 14
    for texts in ((long,), ("a film", long), (long, "a film"), ("good",), ("", long), (long, ""), (long, long[4:])):
        reader = WordReader(tokenizer, limit)
        cut = reader.within(texts)
        assert all(text.startswith(own) for text, own in zip(texts, cut, strict=True))
        assert sum(map(len, cut)) < 500  # of 700 or more
        found, expected = (reader.located([documents(some)]).tokens.ids.tolist() for some in (cut, texts))
        assert found == expected


def test_a_tokenizer_that_is_not_fast_is_refused() -> None:
    with pytest.raises(BadInput, match=r"SimpleNamespace does not say which characters.*fast tokenizer"):
        WordReader(SimpleNamespace(is_fast=False), 32)


def test_a_tokenizer_without_a_mask_has_none() -> None:
    tokenizer = piece_tokenizer()
    tokenizer.mask_token = None
    assert WordReader(tokenizer, 32).mask is None


def test_the_texts_of_a_row() -> None:
    assert texts_of(documents(("a film", ""))) == ("a film", "")
