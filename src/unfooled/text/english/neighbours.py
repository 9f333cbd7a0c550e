"""Words near a word: the table of counter-fitted neighbours, and WordNet's veto against opposites."""

import hashlib
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path

from unfooled.errors import BadInput
from unfooled.parsing import gunzipped, json_file, json_value
from unfooled.text.english.lexicon import Lexicon

FOLDER = "counterfitted_neighbors"
FILE = "neighbors.jsonl.gz"
REMEMBERED = 1 << 15  # words that were held against each other, their forms and opposites: about 15 MB when full


def counter_fitted(folder: Path) -> Mapping[str, tuple[str, ...]] | None:
    """Up to eight neighbours of each word, nearest first, in vectors fitted to keep opposites apart.

    ``folder`` is a data folder that has the table, or the table's own. Without a table the answer is None. The
    table holds no similarities.
    """
    places = [place / FILE for place in (folder, folder / FOLDER) if (place / FILE).is_file()]
    if not places:
        return None
    path = places[0]
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != promised(path):
        raise BadInput(f"{path} is not the file its meta.json describes; copy the folder again")
    return dict(entry(path, row, line) for row, line in enumerate(unpacked(path, content), 1))


def promised(path: Path) -> str:
    """The digest the table's description gives for it."""
    meta = path.with_name("meta.json")
    try:
        return str(json_file(meta)["files"][FILE]["sha256"])
    except (OSError, ValueError, LookupError, TypeError):
        raise BadInput(f"{meta} does not give the sha256 of {FILE}; copy the folder again") from None


def unpacked(path: Path, content: bytes) -> list[str]:
    """The table's lines."""
    try:
        return gunzipped(content, str(path)).decode().splitlines()
    except (OSError, UnicodeDecodeError):
        raise BadInput(f"{path} is no gzip file of UTF-8 lines; copy the folder again") from None


def entry(path: Path, row: int, line: str) -> tuple[str, tuple[str, ...]]:
    """One row of the table."""
    try:
        fields = json_value(line)
        word, near = fields["word"], fields["neighbors"]
        if not (isinstance(word, str) and isinstance(near, list) and all(isinstance(one, str) for one in near)):
            raise TypeError
    except (ValueError, LookupError, TypeError):
        raise BadInput(f'{path}, row {row}: expected {{"word": "…", "neighbors": ["…"]}}') from None
    return word, tuple(near)


def without_antonyms(word: str, candidates: Iterable[str], lexicon: Lexicon) -> tuple[str, ...]:
    """The candidates, in their order, that WordNet does not call opposites of the word, in whatever form of either.

    A candidate is an opposite if one of its base forms is a direct or indirect antonym of the word, or the word of it.
    """
    own, opposites = bases(word, lexicon), contrary(word, lexicon)
    return tuple(
        [
            candidate
            for candidate in candidates
            if opposites.isdisjoint(bases(candidate, lexicon)) and own.isdisjoint(contrary(candidate, lexicon))
        ]
    )


@lru_cache(REMEMBERED)
def bases(word: str, lexicon: Lexicon) -> frozenset[str]:
    """A word and its base forms, in lower case."""
    return frozenset((word.lower(), *lexicon.lemmas(word)))


@lru_cache(REMEMBERED)
def contrary(word: str, lexicon: Lexicon) -> frozenset[str]:
    """A word's direct and indirect antonyms, in lower case."""
    return frozenset(other.lower() for other in lexicon.antonyms(word, indirect=True))
