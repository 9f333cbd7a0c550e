"""Parts of a text that stay as they are while the rest is changed: answers, names that are asked about, speakers.

A part is a span of characters. Whoever changes texts as a whole is given them with each part hidden behind a word that
nothing is known of (``hidden``); whoever changes words is given a document without the words of the parts (``around``).
"""

import re
from collections.abc import Callable, Collection, Iterable, Sequence

from unfooled.text.document import Document, read

Span = tuple[int, int]
SPEAKER = re.compile(r"^[^:\n]{1,60}:", re.MULTILINE)
OWNING = ("'s", "’s")


def words_in(*texts: str) -> frozenset[str]:
    """The words of some texts, without letter case."""
    return frozenset(bare(word) for text in texts for word in read(text).words)


def bare(word: str) -> str:
    """A word as it is compared: without letter case, a possessive as its noun.

    >>> bare("Ross's")
    'ross'
    """
    lower = word.casefold()
    return lower[:-2] if lower.endswith(OWNING) else lower


def mentions(text: str, words: Collection[str]) -> list[Span]:
    """Where a text has one of these words.

    >>> mentions("Ross? Tell Ross's sister.", words_in("Ross; Monica"))
    [(0, 4), (11, 17)]
    """
    document = read(text)
    return [span for span, word in zip(document.spans, document.words, strict=True) if bare(word) in words]


def speakers(text: str) -> list[Span]:
    """Who speaks: what stands before a colon at the beginning of a line; nobody where there is but one line.

    >>> speakers("Speaker 1: Hi!\\nSpeaker 2, Speaker 3: Oh: hi.")
    [(0, 10), (15, 36)]
    """
    return [match.span() for match in SPEAKER.finditer(text)] if "\n" in text else []


def around(text: str, spans: Sequence[Span]) -> Document:
    """The document of a text whose words are only those that touch none of these spans."""
    return Document(text, tuple(word for word in read(text).spans if not any(touch(word, span) for span in spans)))


def touch(one: Span, other: Span) -> bool:
    """Whether two spans have a character in common.

    >>> touch((0, 4), (3, 6)), touch((0, 4), (4, 6))
    (True, False)
    """
    return one[0] < other[1] and other[0] < one[1]


def merged(spans: Iterable[Span]) -> list[Span]:
    """The same characters in spans that neither overlap nor meet, in order.

    >>> merged([(7, 9), (0, 4), (2, 5), (5, 6)])
    [(0, 6), (7, 9)]
    """
    whole: list[Span] = []
    for start, end in sorted(spans):
        if whole and start <= whole[-1][1]:
            whole[-1] = (whole[-1][0], max(end, whole[-1][1]))
        elif start < end:
            whole.append((start, end))
    return whole


def hidden(
    texts: Sequence[str], spans: Sequence[Sequence[Span]]
) -> tuple[tuple[str, ...], Callable[[Sequence[str]], tuple[str, ...]]]:
    """The texts with each of their spans behind a word of its own, and what puts them back into texts like these.

    The words hold digits between letters: they are no English words, no names, no numbers, and cannot be misspelt.

    >>> masked, back = hidden(["Who is it?", "It is Al Gore."], [[], [(6, 13)]])
    >>> masked, back(("Who's it?", f"{masked[1]} Truly."))
    (('Who is it?', 'It is xq0xq.'), ("Who's it?", 'It is Al Gore. Truly.'))
    """
    stem = "xq"
    while any(stem in text for text in texts):
        stem += "q"
    parts: list[str] = []
    masked = []
    for text, own in zip(texts, spans, strict=True):
        pieces: list[str] = []
        done = 0
        for start, end in merged(own):
            pieces += text[done:start], f"{stem}{len(parts)}{stem}"
            parts.append(text[start:end])
            done = end
        masked.append("".join([*pieces, text[done:]]))

    def back(changed: Sequence[str]) -> tuple[str, ...]:
        return tuple(re.sub(rf"{stem}(\d+){stem}", lambda match: parts[int(match[1])], text) for text in changed)

    return tuple(masked), back
