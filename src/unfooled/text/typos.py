"""Misspellings of a word: every single edit of its inner letters, kind by kind, and a few drawn among them.

The first letter stays, and the last but for a swap: readers know words by their ends (Gao et al., 2018).
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

SHORTEST = 3  # letters of a word that has one inside
LONGEST = 50  # letters of a word that is misspelt: what is longer is no word that anyone typed
TRIES = 8  # draws for each misspelling wanted, of which some come out alike
LETTERS = "abcdefghijklmnopqrstuvwxyz"
KEYS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")  # rows of a keyboard, each half a key further to the right

# What a reader takes for a letter: digits and signs first, then Latin, Cyrillic and Greek ones by code point, so that
# nobody who reads this file is fooled by it.
LOOK_ALIKES = {
    "a": "@\u0430\u03b1", "b": "6", "c": "\u0441\u03f2", "d": "\u0501", "e": "3\u0435", "f": "\u0192",
    "g": "9\u0261", "h": "\u04bb", "i": "1\u0456\u0131", "j": "\u0458", "k": "\u043a\u03ba", "l": "1I\u04cf",
    "m": "\u043c", "n": "\u03b7", "o": "0\u043e\u03bf", "p": "\u0440\u03c1", "q": "9\u051b", "r": "\u0433",
    "s": "5$\u0455", "t": "7\u0442", "u": "\u03c5", "v": "\u03bd", "w": "\u051d", "x": "\u0445",
    "y": "\u0443", "z": "2",
    "A": "4\u0410\u0391", "B": "8\u0412\u0392", "C": "\u0421", "E": "3\u0415\u0395", "G": "6", "H": "\u041d\u0397",
    "I": "1l\u0406", "J": "\u0408", "K": "\u041a\u039a", "M": "\u041c\u039c", "N": "\u039d", "O": "0\u041e\u039f",
    "P": "\u0420\u03a1", "S": "5$\u0405", "T": "7\u0422\u03a4", "X": "\u0425\u03a7", "Y": "\u03a5", "Z": "2\u0396",
}  # fmt: skip


def swap(word: str, at: int) -> str:
    """A letter and the one behind it change places.

    >>> swap("film", 1)
    'flim'
    """
    return f"{word[:at]}{word[at + 1]}{word[at]}{word[at + 2 :]}"


def drop(word: str, at: int) -> str:
    """A letter is missing.

    >>> drop("film", 1)
    'flm'
    """
    return f"{word[:at]}{word[at + 1 :]}"


def insert(word: str, at: int, letter: str) -> str:
    """A letter too many stands before another.

    >>> insert("film", 2, "r")
    'firlm'
    """
    return f"{word[:at]}{letter}{word[at:]}"


def substitute(word: str, at: int, letter: str) -> str:
    """One letter stands for another.

    >>> substitute("film", 2, "I")
    'fiIm'
    """
    return f"{word[:at]}{letter}{word[at + 1 :]}"


def neighbour_keys() -> dict[str, str]:
    """The keys that touch each key.

    >>> neighbour_keys()["s"], neighbour_keys()["Q"]
    ('adwezx', 'WA')
    """
    at = {letter: (2 * place + row, row) for row, keys in enumerate(KEYS) for place, letter in enumerate(keys)}
    touching = {
        letter: "".join(
            other
            for other, (x, y) in sorted(at.items(), key=lambda item: abs(item[1][1] - row))
            if (abs(x - across), abs(y - row)) in ((2, 0), (1, 1))
        )
        for letter, (across, row) in at.items()
    }
    return touching | {letter.upper(): others.upper() for letter, others in touching.items()}


NEIGHBOUR_KEYS = neighbour_keys()


def instead(letters: Mapping[str, str]) -> Callable[[str, int], Sequence[str]]:
    """The edit that puts any of these in a letter's place."""
    return lambda word, at: [substitute(word, at, other) for other in letters.get(word[at], "")]


# Each kind of edit: what it may make of a word at a place inside it.
EDITS: dict[str, Callable[[str, int], Sequence[str]]] = {
    "swap": lambda word, at: [swap(word, at)],
    "drop": lambda word, at: [drop(word, at)],
    "insert": lambda word, at: [insert(word, at, letter) for letter in LETTERS],
    "substitute": lambda word, at: [substitute(word, at, letter) for letter in LETTERS],
    "neighbour key": instead(NEIGHBOUR_KEYS),
    "look-alike": instead(LOOK_ALIKES),
}


def edits(word: str, kind: str) -> tuple[str, ...]:
    """Every misspelling of a word by one edit of this kind, from its front to its end.

    >>> edits("film", "look-alike")[3:5], edits("all", "swap"), edits("it", "swap")
    (('fi1m', 'fiIm'), (), ())
    """
    made = [wrong for at in range(1, len(word) - 1) for wrong in EDITS[kind](word, at)]
    return tuple(dict.fromkeys(wrong for wrong in made if wrong != word))


def misspellings(word: str, random: np.random.Generator, count: int) -> tuple[str, ...]:
    """Up to so many different misspellings of a word by one edit each, its kind drawn evenly, then place and letter.

    A word of fewer than three letters has none, and a short one may have fewer than wanted.

    >>> misspellings("film", np.random.default_rng(0), 3)
    ('fblm', 'fiml', 'fiom')
    """
    if len(word) < SHORTEST or count < 1:
        return ()
    kinds = tuple(EDITS.values())
    found: dict[str, None] = {}
    for which, where, what in random.random((TRIES * count, 3)):
        made = kinds[int(which * len(kinds))](word, 1 + int(where * (len(word) - 2)))
        wrong = made[int(what * len(made))] if made else word
        if wrong != word:
            found[wrong] = None
        if len(found) == count:
            break
    return tuple(found)
