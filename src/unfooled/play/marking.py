"""Texts cut at what differs: words as they were, and words that became others."""

from collections.abc import Iterator
from difflib import SequenceMatcher

from pydantic import JsonValue

from unfooled.report.markup import Piece
from unfooled.terminal import visible
from unfooled.text.document import read


def marked(old: str, new: str) -> list[Piece]:
    """The old text with every run of words that became another as a pair.

    >>> marked("a good film", "a very bad film")
    ['a ', ('good', 'very bad'), ' film']
    """
    before, after = list(tokens(old)), list(tokens(new))
    pieces: list[Piece] = []
    for kind, first, last, start, end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        was, became = "".join(before[first:last]), "".join(after[start:end])
        pieces.append(was if kind == "equal" else (was, became))
    return joined(pieces)


def joined(pieces: list[Piece]) -> list[Piece]:
    """Changes with nothing but a blank between them are one change, so that phrases are read whole."""
    whole: list[Piece] = []
    for piece in pieces:
        if len(whole) > 1 and isinstance(piece, tuple) and isinstance(whole[-2], tuple) and whole[-1] == " ":
            blank, before = whole.pop(), whole.pop()
            piece = (f"{before[0]}{blank}{piece[0]}", f"{before[1]}{blank}{piece[1]}")
        whole.append(piece)
    return whole


def tokens(text: str) -> Iterator[str]:
    """A text's words and what stands between them, in order; put together they are the text."""
    done = 0
    for start, end in read(text).spans:
        if start > done:
            yield text[done:start]
        yield text[start:end]
        done = end
    if done < len(text):
        yield text[done:]


def shown(pieces: list[Piece]) -> list[JsonValue]:
    """Pieces as the page is sent them, with controls that would rearrange a line made visible."""
    return [visible(piece) if isinstance(piece, str) else [visible(word) for word in piece] for piece in pieces]
