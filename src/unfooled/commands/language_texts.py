"""Texts of a page on language models and translators, cut at the words that were moved and at those that changed."""

from collections.abc import Callable, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

from unfooled.evaluation.language_results import Found
from unfooled.evaluation.passages import COLUMNS, Passage, passages
from unfooled.report.story import Excerpt, Excerpts, Piece

MOST = 100  # texts of a trial on a page

HOW_MARKED = (
    "Words that the move brought in are marked, those it took away struck out; texts for which it did come first."
)
# What a section is called, and how it is read, given the settings.
SECTIONS: dict[str, tuple[str, Callable[[Mapping[str, Any]], str]]] = {
    "continuation": (
        "Continuations",
        lambda told: (
            "Each text goes as far as its marked word, which is moved by "
            f"{told.get('radius', 'some length')} up the model's own gradient; each model goes on greedily, without "
            f"the move and with it. {HOW_MARKED}"
        ),
    ),
    "side_by_side": (
        "Translations side by side",
        lambda told: (
            "The marked word of each source is moved by "
            f"{told.get('radius', 'some length')} up each model's own gradient of the reference's loss. {HOW_MARKED}"
        ),
    ),
    "quality": ("Translations", lambda told: "Sources as they are, and what each model made of them."),
    "neighbours": (
        "Nearest words",
        lambda told: "The words whose vectors are nearest to that of each word, by Euclidean distance.",
    ),
}


def excerpts(found: Sequence[Found], settings: Mapping[str, Mapping[str, Any]]) -> tuple[Excerpts, ...]:
    """The texts of every trial that has some, the most telling first; ``settings`` go by trial."""
    sections = []
    for trial, (title, says) in SECTIONS.items():
        own = passages(found, trial)
        if own:
            texts = tuple(excerpt(one) for one in sorted(own, key=lambda one: not one.moved)[:MOST])
            sections.append(Excerpts(title, says(settings.get(trial, {})), COLUMNS[trial], texts, len(own)))
    return tuple(sections)


def excerpt(one: Passage) -> Excerpt:
    """A passage as a page has it."""
    rows = tuple((model, columns(written)) for model, written in one.written.items())
    return Excerpt(with_marked(one), one.reference, rows)


def columns(written: Sequence[str]) -> tuple[tuple[Piece, ...], ...]:
    """What a model wrote, column by column; what is not in the first is marked in the others."""
    first, *others = written
    return ((first,), *(differing(first, other) for other in others))


def with_marked(one: Passage) -> tuple[Piece, ...]:
    """A text whose moved word is marked."""
    before, word, behind = one.cut
    pieces: list[Piece] = [before, *([("", word)] if word else []), behind]
    return tuple(piece for piece in pieces if piece)


def differing(before: str, after: str) -> tuple[Piece, ...]:
    """The second text, its words that the first has not marked and those that are gone struck out.

    >>> differing("a dog ran home", "a cat ran")
    ('a ', ('', 'cat'), ' ran ', ('home', ''))
    """
    old, new = before.split(), after.split()
    pieces: list[Piece] = []
    for how, old_start, old_end, new_start, new_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        gone, here = " ".join(old[old_start:old_end]), " ".join(new[new_start:new_end])
        piece: Piece = here if how == "equal" else (gone if how == "delete" else "", here)
        pieces += [" ", piece] if pieces else [piece]
    return merged(pieces)


def merged(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    """Pieces of plain text that follow one another as one."""
    found: list[Piece] = []
    for piece in pieces:
        if isinstance(piece, str) and found and isinstance(found[-1], str):
            found[-1] += piece
        else:
            found.append(piece)
    return tuple(found)
