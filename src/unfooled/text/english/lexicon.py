"""WordNet 3.0 by word: base forms, synonyms, hypernyms, antonyms, counts.

Words are asked for in any letter case, with spaces or underscores. Answers are tuples without duplicates, in one
order: parts of speech n, v, a, r (``pos`` names one of them, and "a" includes satellite adjectives); base forms as
``lemmas`` lists them; senses from the most to the least frequent, as WordNet ranks them; words as in their synset.
"""

from collections.abc import Iterable, Iterator
from functools import cache, lru_cache

from unfooled.text.english.wordnet import POS, Tables, open_tables

# WordNet's detachment rules (morphy(7WN)) with nltk's one addition, wolves → wolf: ending → ending of the base form.
RULES = {
    "n": "s: ses:s ves:f xes:x zes:z ches:ch shes:sh men:man ies:y",
    "v": "s: ies:y es:e es: ed:e ed: ing:e ing:",
    "a": "er: est: er:e est:e",
    "r": "",
}
ENDINGS = {pos: [tuple(rule.split(":")) for rule in rules.split()] for pos, rules in RULES.items()}
# Enough for the words of a few thousand sentences, about 4 MB when full.
REMEMBERED = 8192

Answer = tuple[str, ...]


class Lexicon:
    """WordNet as tables, and the answers given last: one is opened, and lives as long as its process."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables

    def __contains__(self, word: object) -> bool:
        """Whether WordNet has the word or a base form of it."""
        return isinstance(word, str) and bool(self.lemmas(word))

    @lru_cache(REMEMBERED)  # noqa: B019
    def lemmas(self, word: str, pos: str | None = None) -> Answer:
        """The base forms of a word that WordNet has, in lower case: the word itself first where it is one.

        Irregular forms come from WordNet's exception lists, all others from its detachment rules.
        """
        word = word.lower().replace("_", " ").replace("’", "'")
        return unique(base for part in parts(pos) for base in self._forms(word, part) if self._is_key(base, part))

    @lru_cache(REMEMBERED)  # noqa: B019
    def synonyms(self, word: str, pos: str | None = None) -> Answer:
        """The other words of all synsets of a word, in WordNet's letter case, without its own base forms."""
        return self._others(self._words(synset for _, synset in self._senses(word, pos)), word, pos)

    @lru_cache(REMEMBERED)  # noqa: B019
    def hypernyms(self, word: str, pos: str | None = None) -> Answer:
        """The words one step more general than a word: of each sense, classes first, then what it is an instance of."""
        above, instances = self.tables.hypernyms, self.tables.instances
        senses = [synset for _, synset in self._senses(word, pos)]
        return self._others(self._words(up for one in senses for up in above[one] + instances[one]), word, pos)

    @lru_cache(REMEMBERED)  # noqa: B019
    def antonyms(self, word: str, pos: str | None = None, indirect: bool = False) -> Answer:
        """The words WordNet calls opposites of exactly this word.

        ``indirect`` adds, after them, the opposites a satellite adjective has through the head of its cluster:
        ponderous is like heavy, so light is an indirect antonym.
        """
        senses = list(self._senses(word, pos))
        direct = [other for base, synset in senses for other in self._opposites(synset, base)]
        heads = [head for _, synset in senses for head in self.tables.heads[synset]] if indirect else []
        return unique((*direct, *(other for head in heads for other in self._opposites(head))))

    def senses(self, word: str, pos: str | None = None) -> tuple[int, ...]:
        """The synsets of a word, by number: those of its first base form first, the most frequent of each first."""
        return tuple(dict.fromkeys(synset for _, synset in self._senses(word, pos)))

    def count(self, word: str, pos: str | None = None) -> int:
        """How often the base forms of a word, in all their senses, were tagged in WordNet's own texts."""
        rows = [self._row(base, part) for part in parts(pos) for base in self.lemmas(word, part)]
        starts = self.tables.senses.starts
        return sum(sum(self.tables.tag_counts[starts[row] : starts[row + 1]].tolist()) for row in rows)

    def _row(self, base: str, pos: str) -> int:
        keys = self.tables.keys
        return POS.index(pos) * len(keys) + keys[base]

    def _is_key(self, word: str, pos: str) -> bool:
        if word not in self.tables.keys:
            return False
        starts, row = self.tables.senses.starts, self._row(word, pos)
        return starts[row] < starts[row + 1]

    def _forms(self, word: str, pos: str) -> Answer:
        """The word and what it may be a form of."""
        irregular = self.tables.exceptions[pos].get(word)
        if irregular is not None:
            return (word, *irregular)
        return (word, *[word[: -len(old)] + new for old, new in ENDINGS[pos] if word.endswith(old)])

    def _senses(self, word: str, pos: str | None) -> Iterator[tuple[str, int]]:
        """Each base form with each of its synsets."""
        for part in parts(pos):
            for base in self.lemmas(word, part):
                for synset in self.tables.senses[self._row(base, part)]:
                    yield base, synset

    def _words(self, synsets: Iterable[int]) -> Iterator[str]:
        names, lemmas = self.tables.names, self.tables.lemmas
        return (names[name] for synset in synsets for name in lemmas[synset])

    def _others(self, words: Iterable[str], word: str, pos: str | None) -> Answer:
        own = {word.lower().replace("_", " "), *self.lemmas(word, pos)}
        return unique(other for other in words if other.lower() not in own)

    def _opposites(self, synset: int, base: str | None = None) -> Iterator[str]:
        """The antonyms of one word of a synset, or of all its words."""
        names, lemmas = self.tables.names, self.tables.lemmas
        for place, name in enumerate(lemmas[synset]):
            if base is None or names[name].lower() == base:
                for other, other_place in self.tables.antonyms.get((synset, place), ()):
                    yield names[lemmas[other][other_place]]


def parts(pos: str | None) -> str:
    """The parts of speech that are meant."""
    if pos is None:
        return POS
    if pos not in ("n", "v", "a", "r"):
        raise ValueError(f"{pos!r} is no part of speech; give n, v, a, r or None")
    return pos


def unique(words: Iterable[str]) -> Answer:
    """The words in their order, each once."""
    return tuple(dict.fromkeys(words))


@cache
def lexicon() -> Lexicon:
    """WordNet as the package carries it, opened once."""
    return Lexicon(open_tables())
