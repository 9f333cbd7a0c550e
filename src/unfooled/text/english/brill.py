"""Brill's tagger (1992): a word's most frequent tag, endings for unknown words, then rules of context.

Words, endings and rules are the data files of textblob's installed package, trained on the Brown corpus and the
Penn Treebank. Its code is not used: importing it takes seconds, and it drops a condition of Brill's.

Paper says / we do: a rule of context may only give a known word a tag seen with that word in training. The data
files keep one tag a word, so WordNet stands in: a part of speech is open to a word that has a base form in it which
makes up at least a twentieth of the word's most frequent one, if the form (-ing, -s, …) fits.
"""

import importlib.util
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from pathlib import Path

from unfooled.errors import BadInput
from unfooled.text.english.lexicon import lexicon

Test = Callable[[Sequence[str], Sequence[str], int], bool]
Rule = tuple[str, str, str, Test, float]

KINDS = {"N": "n", "V": "v", "J": "a", "R": "r"}
OPEN = frozenset(["JJ", "JJR", "JJS", "NN", "NNP", "NNPS", "NNS", "RB", "RBR", "RBS"]) | frozenset(
    ["VB", "VBD", "VBG", "VBN", "VBP", "VBZ"]
)
# Verbs whose past is spelled like their base form.
SAME_PAST = frozenset(["beat", "become", "burst", "cast", "come", "cost", "cut", "hit", "hurt", "let", "put", "quit"])
SAME_PAST |= frozenset(["read", "run", "set", "shut", "split", "spread"])
RARE = 0.05
CERTAIN = frozenset(["TO", "MD"])  # after "to" and "would" a verb is a verb, however rare
EDGE = 3  # the farthest a rule looks
OUTSIDE = ("STAART",) * EDGE
REMEMBERED = 8192


def kind(tag: str) -> str | None:
    """WordNet's part of speech for a Penn tag: n, v, a, r, or None for function words and all else.

    >>> [kind(tag) for tag in ("NNS", "VBG", "JJ", "RBR", "IN", "RP", "MD")]
    ['n', 'v', 'a', 'r', None, None, None]
    """
    return KINDS.get(tag[0]) if tag in OPEN else None


@cache
def table(name: str) -> tuple[str, ...]:
    """The lines of one of textblob's data files, read without importing textblob."""
    spec = importlib.util.find_spec("textblob")
    if spec is None or spec.origin is None:
        raise BadInput("the tagger's word list is missing; run pip install textblob")
    path = Path(spec.origin).parent / "en" / f"en-{name}.txt"
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise BadInput(f"{path} cannot be read ({error.strerror}); install textblob again") from None
    return tuple([line for line in lines if line and not line.startswith(";;;")])


@cache
def known() -> dict[str, str]:
    """Each word's most frequent tag."""
    return dict([line.split(" ", 2)[:2] for line in table("lexicon")])


def brill_tags(words: Sequence[str]) -> list[str]:
    """The Penn tag of each token of a sentence; contractions must be split ("do", "n't")."""
    usual = known().get
    tags = [usual(word) or usual(word.lower()) or unknown(word, place, words) for place, word in enumerate(words)]
    return in_context(words, tags)


def unknown(word: str, place: int, words: Sequence[str]) -> str:
    """The tag of a word that is not listed."""
    if word[:1].isupper():
        return "NNP"
    if word[:1].isdigit():
        return "CD"
    before, after = neighbours()
    left = words[place - 1] if place else ""
    right = words[place + 1] if place + 1 < len(words) else ""
    return by_ending(word, left if left in before else "", right if right in after else "")


@cache
def endings() -> tuple[tuple[str, str, str, str], ...]:
    """Rules for unknown words: (tag so far or "", what is looked for, the sort of test, new tag)."""
    rules = []
    for line in table("morphology"):
        fields = line.split()
        if fields[1].islower() and len(fields) < 6:  # "ly hassuf 2 RB x", beside "NN s fhassuf 1 NNS x"
            fields = ["", *fields]
        rules.append((fields[0], fields[1], fields[2].removeprefix("f"), fields[-2]))
    return tuple(rules)


@cache
def neighbours() -> tuple[frozenset[str], frozenset[str]]:
    """The words whose presence before or after an unknown word matters."""
    return (
        frozenset(sought for _, sought, test, _ in endings() if test == "goodright"),
        frozenset(sought for _, sought, test, _ in endings() if test == "goodleft"),
    )


@lru_cache(REMEMBERED)
def by_ending(word: str, left: str, right: str) -> str:
    """The tag of an unknown word: the last rule that fits, unless WordNet knows the word as something else."""
    tag = "NN"
    for needed, sought, test, new in endings():
        if needed in ("", tag) and ENDING_TESTS.get(test, ENDING_TESTS["goodright"])(word, sought, left, right):
            tag = new
    kinds = [pos for pos in "nvar" if lexicon().lemmas(word, pos)]
    if not kinds or kind(tag) in kinds:
        return tag
    return form(word, max(kinds, key=lambda pos: lexicon().count(word, pos)))


# The tests of rules for unknown words by their names in the data file; any other name asks for the word before.
ENDING_TESTS: dict[str, Callable[[str, str, str, str], bool]] = {
    "char": lambda word, sought, left, right: sought in word,
    "haspref": lambda word, sought, left, right: word.startswith(sought),
    "hassuf": lambda word, sought, left, right: word.endswith(sought),
    "addpref": lambda word, sought, left, right: sought + word in known(),
    "addsuf": lambda word, sought, left, right: word + sought in known(),
    "deletepref": lambda word, sought, left, right: word.startswith(sought) and word[len(sought) :] in known(),
    "deletesuf": lambda word, sought, left, right: word.endswith(sought) and word[: -len(sought)] in known(),
    "goodleft": lambda word, sought, left, right: right == sought,
    "goodright": lambda word, sought, left, right: left == sought,
}


def form(word: str, pos: str) -> str:
    """The tag a word's ending gives it within a part of speech."""
    if pos == "v":
        return (
            "VBG" if word.endswith("ing") else "VBZ" if word.endswith("s") else "VBN" if word.endswith("ed") else "VB"
        )
    if pos == "n":
        return "NN" if word in lexicon().lemmas(word, "n") else "NNS"
    return "JJ" if pos == "a" else "RB"


def in_context(words: Sequence[str], first_tags: Sequence[str]) -> list[str]:
    """The tags after all rules of context, each applied to the whole sentence before the next."""
    around = (*OUTSIDE, *words, *OUTSIDE)
    tags = [*OUTSIDE, *first_tags, *OUTSIDE]
    places: dict[str, list[int]] = {}
    for place, tag in enumerate(first_tags, EDGE):
        places.setdefault(tag, []).append(place)
    present = {*around, *places}
    for old, new, sought, test, rare in rules():
        if old in places and sought in present:  # most rules ask for what is not there
            matching = [at for at in places[old] if test(around, tags, at) and may_be(around[at], new, rare)]
            if matching:
                for place in matching:
                    tags[place] = new
                places[old] = [place for place in places[old] if place not in matching]
                places[new] = sorted([*places.get(new, ()), *matching])
                present.add(new)
    return tags[EDGE:-EDGE]


@lru_cache(REMEMBERED)
def may_be(word: str, tag: str, rare: float = RARE) -> bool:
    """Whether a rule may give the word the tag: not if the word is that for less than a share of its best count."""
    small, pos = word.lower(), kind(tag)
    usual = known().get(word) or known().get(small)
    if pos is None:
        return usual is not None and usual not in OPEN
    if tag.startswith("NNP"):
        return usual is None or usual.startswith("NNP")
    if not lexicon().lemmas(small):
        return usual is None
    bases = lexicon().lemmas(small, pos)
    if not bases or not form_fits(small, tag, bases, usual):
        return False
    most = max(lexicon().count(small, other) for other in "nvar")
    return lexicon().count(small, pos) >= rare * most


def form_fits(word: str, tag: str, bases: Sequence[str], usual: str | None) -> bool:
    """Whether the form of a word that WordNet knows is the one its tag speaks of."""
    changed = any(base != word for base in bases)
    match tag:
        case "VBG":
            return changed and word.endswith("ing")
        case "VBD" | "VBN":
            past = changed and not word.endswith(("ing", "s"))
            return past or usual in ("VBD", "VBN") or word in SAME_PAST
        case "VBZ":
            return changed and word.endswith("s")
        case "NNS":
            return changed
        case "VB" | "VBP" | "NN":
            return word in bases
        case _:
            return True


@cache
def rules() -> tuple[Rule, ...]:
    """The rules of context: old tag, new tag, what is sought first, test, how rare the new tag may be.

    Rules for whatever tag ("*") are left out: they mend what rules without Brill's condition break.
    """
    parsed = [line.split() for line in table("context") if not line.startswith("*")]
    return tuple(
        (old, new, sought[0], TESTS[name](*sought), 0.0 if CERTAIN.intersection(sought) else RARE)
        for old, new, name, *sought in parsed
    )


# The tests by their names in the data file: w are the words, t the tags, i the place in question.
TESTS: dict[str, Callable[..., Test]] = {
    "PREVTAG": lambda x: lambda w, t, i: t[i - 1] == x,
    "NEXTTAG": lambda x: lambda w, t, i: t[i + 1] == x,
    "PREV2TAG": lambda x: lambda w, t, i: t[i - 2] == x,
    "NEXT2TAG": lambda x: lambda w, t, i: t[i + 2] == x,
    "PREV1OR2TAG": lambda x: lambda w, t, i: t[i - 1] == x or t[i - 2] == x,
    "NEXT1OR2TAG": lambda x: lambda w, t, i: t[i + 1] == x or t[i + 2] == x,
    "PREV1OR2OR3TAG": lambda x: lambda w, t, i: x in t[i - 3 : i],
    "NEXT1OR2OR3TAG": lambda x: lambda w, t, i: x in t[i + 1 : i + 4],
    "SURROUNDTAG": lambda x, y: lambda w, t, i: t[i - 1] == x and t[i + 1] == y,
    "PREVBIGRAM": lambda x, y: lambda w, t, i: t[i - 2] == x and t[i - 1] == y,
    "NEXTBIGRAM": lambda x, y: lambda w, t, i: t[i + 1] == x and t[i + 2] == y,
    "CURWD": lambda x: lambda w, t, i: w[i] == x,
    "PREVWD": lambda x, *_: lambda w, t, i: w[i - 1] == x,
    "NEXTWD": lambda x: lambda w, t, i: w[i + 1] == x,
    "PREV1OR2WD": lambda x: lambda w, t, i: w[i - 1] == x or w[i - 2] == x,
    "NEXT1OR2WD": lambda x: lambda w, t, i: w[i + 1] == x or w[i + 2] == x,
    "WDPREVTAG": lambda x, y: lambda w, t, i: t[i - 1] == x and w[i] == y,
    "WDNEXTTAG": lambda x, y: lambda w, t, i: w[i] == x and t[i + 1] == y,
    "WDAND2AFT": lambda x, y: lambda w, t, i: w[i] == x and w[i + 2] == y,
    "WDAND2TAGBFR": lambda x, y: lambda w, t, i: t[i - 2] == x and w[i] == y,
    "WDAND2TAGAFT": lambda x, y: lambda w, t, i: w[i] == x and t[i + 2] == y,
    "LBIGRAM": lambda x, y: lambda w, t, i: w[i - 1] == x and w[i] == y,
    "RBIGRAM": lambda x, y: lambda w, t, i: w[i] == x and w[i + 1] == y,
}
