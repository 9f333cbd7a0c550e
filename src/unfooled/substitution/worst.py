"""The worst words of a batch of texts, by their first-order gains."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from unfooled.substitution.gains import Exchange
from unfooled.substitution.reading import Documents, Located, WordReader, standing
from unfooled.substitution.sources import Candidates, Lists
from unfooled.text.document import read
from unfooled.types import Texts

ROUNDING = 1e-5  # of the largest gain of a word: what sums in another order may differ by

Gains = Callable[[Sequence[Exchange]], list[np.ndarray]]  # of every candidate of every exchange
Changes = dict[tuple[int, int], str]  # of a row: (text, word) → what stands there instead


@dataclass(frozen=True)
class WordRow:
    """A row of original texts, what may stand for each of their words, and what already does."""

    original: Documents
    candidates: tuple[Lists, ...]  # of each text, of each word
    changes: Changes
    share: float  # rho: of the words with candidates, those that are exchanged
    lasting: bool = True  # whether its candidates will be met again

    @property
    def documents(self) -> Documents:
        """The texts as they stand."""
        return changed(self.original, self.changes)

    @property
    def able(self) -> list[tuple[int, int]]:
        """The words that have candidates."""
        return [
            (column, place) for column, lists in enumerate(self.candidates) for place, own in enumerate(lists) if own
        ]


def original_row(
    texts: Texts,
    candidates: Candidates,
    sources: Sequence[str],
    share: float,
    random: np.random.Generator,
    of_last: bool = False,
) -> WordRow:
    """A row as it is, with its words' candidates of these sources; words that both texts of a pair have stay.

    With ``of_last`` those of the last text alone.
    """
    documents = tuple(read(text) for text in texts)
    lists = without_shared(documents, tuple(candidates.lists(document, sources, random) for document in documents))
    return WordRow(documents, last_alone(lists) if of_last else lists, {}, share)


def without_shared(documents: Documents, lists: tuple[Lists, ...]) -> tuple[Lists, ...]:
    """The candidates of a pair's words, without those of words that both its texts have."""
    if len(documents) < 2:
        return lists
    shared = set.intersection(*({word.casefold() for word in document.words} for document in documents))
    return tuple(
        [() if word.casefold() in shared else own for word, own in zip(document.words, some, strict=True)]
        for document, some in zip(documents, lists, strict=True)
    )


def last_alone(lists: tuple[Lists, ...]) -> tuple[Lists, ...]:
    """The candidates of the last text's words; those of the texts before it stay as they are."""
    return (*([()] * len(own) for own in lists[:-1]), *lists[-1:])


def changed(original: Documents, changes: Changes) -> Documents:
    """The texts with these words in place."""
    by_column: dict[int, dict[int, str]] = {}
    for (column, place), word in changes.items():
        by_column.setdefault(column, {})[place] = word
    return tuple(
        document.replace(by_column[column]) if column in by_column else document
        for column, document in enumerate(original)
    )


def random_start(row: WordRow, share: float, random: np.random.Generator, least: int = 0) -> WordRow:
    """The row with a share of its words, drawn, exchanged for candidates, drawn; ``least`` words where it has them."""
    able = row.able
    count = max(min(least, len(able)), round(share * len(able)))
    if not count:
        return row
    changes = {}
    for number in random.choice(len(able), size=count, replace=False):
        column, place = able[number]
        options = row.candidates[column][place]
        changes[column, place] = options[int(random.integers(len(options)))]
    return replace(row, changes=row.changes | changes)


def blind(row: WordRow, random: np.random.Generator) -> WordRow:
    """The row with as many words exchanged as ``worst`` may exchange, drawn instead of found."""
    return random_start(row, row.share, random, least=1) if row.share > 0 else row


def worst(rows: Sequence[WordRow], located: Located, gains: Gains, reader: WordReader) -> list[WordRow]:
    """The rows with their worst words: of each word the candidate of the largest gain, of the words the best share."""
    known: list[tuple[int, int, int, list[str]]] = []  # row, text, word and what may stand there
    exchanges: list[Exchange] = []
    for number, row in enumerate(rows):
        documents = row.documents
        for column, place in row.able if row.share > 0 else ():
            first, last = located.places[number][column][place]
            pieces = options(row, column, place, reader, standing(documents[column], place)) if last > first else {}
            if pieces:
                known.append((number, column, place, list(pieces)))
                exchanges.append(Exchange(number, (first, last), list(pieces.values()), row.lasting))
    found: list[list[tuple[float, tuple[int, int], str]]] = [[] for _ in rows]
    for (number, column, place, words), values in zip(known, gains(exchanges), strict=True):
        best = first_best(values)
        found[number].append((float(values[best]), (column, place), words[best]))
    return [chosen(row, own) for row, own in zip(rows, found, strict=True)]


def first_best(gains: np.ndarray) -> int:
    """The first of the candidates whose gain is the largest but for rounding; words that are unknown gain alike.

    >>> first_best(np.array([0.0, 1.0, 1.0 + 1e-9]))
    1
    """
    return int(np.argmax(gains >= gains.max() - ROUNDING * np.abs(gains).max()))


def options(row: WordRow, column: int, place: int, reader: WordReader, before: str) -> dict[str, tuple[int, ...]]:
    """What may stand at a place, with its pieces; not what a tokenizer reads nothing of, or more than a text may have.

    The original word is the first, then come its candidates.
    """
    words = dict.fromkeys((row.original[column].words[place], *row.candidates[column][place]))
    pieces = zip(words, reader.pieces(list(words), before), strict=True)
    return {word: own for word, own in pieces if 0 < len(own) <= reader.max_length}


def chosen(row: WordRow, best: Sequence[tuple[float, tuple[int, int], str]]) -> WordRow:
    """The row with the best of its exchanges, as many as its share asks for, with a gain beyond rounding."""
    count = max(1, round(row.share * len(row.able))) if row.share > 0 and best else 0
    least = ROUNDING * max((abs(gain) for gain, _, _ in best), default=0.0)
    ranked = sorted((one for one in best if one[0] > least), key=lambda one: -one[0])[:count]
    changes = row.changes | {where: word for _, where, word in ranked}
    kept = {
        (column, place): word for (column, place), word in changes.items() if word != row.original[column].words[place]
    }
    return replace(row, changes=kept)
