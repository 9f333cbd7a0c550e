"""Splits of a dataset: seeded stratified draws, texts that occur in two splits, and a fingerprint."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b, sha256
from typing import Generic, TypeVar

from unfooled.seeds import digest
from unfooled.types import Texts

SPELLINGS = {"train": "train", "test": "test"} | dict.fromkeys(("validation", "valid", "dev", "val"), "validation")
NOT_ALPHANUMERIC = re.compile(r"[\W_]+")  # \w without _ is exactly str.isalnum
ASCII_REST = bytes(code for code in range(128) if not chr(code).isalnum())


Label = TypeVar("Label")


@dataclass(frozen=True)
class Split(Generic[Label]):
    """Texts and, beside each, what is to be learnt of it: for classes, the number of its class."""

    texts: list[Texts]
    labels: list[Label]

    def __len__(self) -> int:
        return len(self.texts)

    def take(self, rows: Iterable[int]) -> "Split[Label]":
        """The examples in these rows."""
        chosen = list(rows)
        return Split([self.texts[row] for row in chosen], [self.labels[row] for row in chosen])


def draw(groups: Sequence[object], count: int, seed: int, purpose: str, least: int = 0, spare: int = 0) -> list[int]:
    """``count`` rows drawn by seed, in proportion to the groups: ``least`` of each, never the last ``spare``.

    Which row comes first is a digest of (seed, purpose, row): the same on every machine and library version.

    >>> draw("aaaabb", 3, seed=0, purpose="test") == draw("aaaabb", 3, seed=0, purpose="test")
    True
    """
    members: dict[object, list[int]] = {}
    for row, group in enumerate(groups):
        members.setdefault(group, []).append(row)
    shares = _shares([len(rows) for rows in members.values()], count, least, spare)
    chosen: list[int] = []
    for rows, share in zip(members.values(), shares, strict=True):
        chosen += sorted(rows, key=lambda row: digest(seed, purpose, row))[:share]
    return sorted(chosen)


def _shares(sizes: list[int], count: int, least: int, spare: int) -> list[int]:
    """How many of each group: rounded down, then one more where the rounding took most."""
    total = max(sum(sizes), 1)
    exact = [count * size / total for size in sizes]
    most = [max(size - spare, 0) for size in sizes]
    floor = [min(least, top) for top in most]
    given = [min(max(int(part), bottom), top) for part, bottom, top in zip(exact, floor, most, strict=True)]
    groups = range(len(sizes))
    while sum(given) != count:
        step = 1 if sum(given) < count else -1
        edge = most if step > 0 else floor
        movable = [group for group in groups if given[group] != edge[group]]
        if not movable:
            break
        given[max(movable, key=lambda group: step * (exact[group] - given[group]))] += step
    return given


def cut(
    split: Split[Label], fraction: float, seed: int, purpose: str, groups: Sequence[object] | None = None
) -> tuple[Split[Label], Split[Label]]:
    """What stays and what is cut off, stratified by label or by ``groups``; the last row of a group always stays.

    Repeated texts stay too, so that what is cut off has not been seen, unless too few others are left.
    """
    strata = split.labels if groups is None else groups
    count = max(round(fraction * len(split)), 1)
    keys = [text_key(texts) for texts in split.texts]
    times = Counter(keys)
    once = [row for row, key in enumerate(keys) if times[key] == 1]
    away = {once[place] for place in draw([strata[row] for row in once], count, seed, purpose, spare=1)}
    if len(away) < count:
        away = set(draw(strata, count, seed, purpose, spare=1))
    return split.take(row for row in range(len(split)) if row not in away), split.take(sorted(away))


def cut_together(
    split: Split[Label], fraction: float, seed: int, together: Callable[[Texts], object]
) -> tuple[Split[Label], Split[Label]]:
    """What stays and what is cut off, rows of one unit on one side; one unit always stays."""
    units: dict[object, list[int]] = {}
    for row, texts in enumerate(split.texts):
        units.setdefault(together(texts), []).append(row)
    order = sorted(range(len(units)), key=lambda number: digest(seed, "validation", number))
    groups, away = list(units.values()), set[int]()
    for number in order[:-1]:
        if len(away) >= fraction * len(split):
            break
        away |= set(groups[number])
    return split.take(row for row in range(len(split)) if row not in away), split.take(sorted(away))


def text_key(texts: Texts) -> bytes:
    """What is the same for texts that differ only in case, spaces and punctuation.

    >>> text_key(("Good film!",)) == text_key(("good  film",)) != text_key(("goodish film",))
    True
    """
    return blake2b(b"\x1f".join(map(_letters_and_digits, texts)), digest_size=16).digest()


def _letters_and_digits(text: str) -> bytes:
    lower = text.lower()
    # Deleting bytes is twenty times faster than the pattern, and most texts are ASCII.
    if lower.isascii():
        kept = lower.encode().translate(None, ASCII_REST)
    else:
        kept = NOT_ALPHANUMERIC.sub("", lower).encode()
    # A text of emoji alone has no letters; then it is itself that is compared.
    return kept or text.strip().encode()


def shared_texts(split: Split, train: set[bytes]) -> int:
    """How many texts of a split are among these keys of train texts."""
    return sum(text_key(texts) in train for texts in split.texts)


def fingerprint(splits: Mapping[str, Split[str]]) -> str:
    """SHA-256 of all texts and written labels, split by split: the same data gives the same 64 digits."""
    rows = {name: zip(split.texts, split.labels, strict=True) for name, split in splits.items()}
    parts = {name: (part for texts, label in some for part in (*texts, label)) for name, some in rows.items()}
    return parts_hash({name: (len(split), parts[name]) for name, split in splits.items()})


def parts_hash(splits: Mapping[str, tuple[int, Iterable[str]]]) -> str:
    """SHA-256 of the rows of each split: how many there are, and all their parts, one after the other."""
    whole = sha256()
    for name in sorted(splits):
        rows, parts = splits[name]
        whole.update(f"{name}\x1e{rows}\x1e".encode())
        for part in parts:
            content = part.encode()
            whole.update(b"%d\x1f" % len(content) + content)
    return whole.hexdigest()
