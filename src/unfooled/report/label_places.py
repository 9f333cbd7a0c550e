"""Places for names beside points: none covers another name, a point or what else is written, none leaves the picture.

What a name needs is bounded from above, because a page cannot know the reader's fonts.
"""

import math
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

ELLIPSIS = "…"
GAP = 3.0  # between any two things
STEP = 6.0  # of the places that are tried
CROSSED, COVERED = 200.0, 12.0  # how much further off a name may stand for a line less through a name, or an arm
# Widths in letter heights, of the widest common sans-serif in bold (DejaVu Sans Bold).
NARROW, USUAL, CAPITAL, WIDE = 0.5, 0.72, 0.86, 1.11


Line = tuple[float, float, float, float]  # from x, y to x, y


@dataclass(frozen=True)
class Box:
    """A rectangle, its corner above left first; y grows downwards."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: "Box", gap: float = 0.0) -> bool:
        """Whether the two come nearer to each other than the gap."""
        return (
            self.left < other.right + gap
            and other.left < self.right + gap
            and self.top < other.bottom + gap
            and other.top < self.bottom + gap
        )

    def within(self, other: "Box") -> bool:
        """Whether the other holds all of this one."""
        return (
            self.left >= other.left
            and self.right <= other.right
            and self.top >= other.top
            and self.bottom <= other.bottom
        )

    def nearest(self, x: float, y: float) -> tuple[float, float]:
        """The place of the box that is nearest to a point."""
        return min(max(x, self.left), self.right), min(max(y, self.top), self.bottom)

    def crossed(self, line: Line) -> bool:
        """Whether a line passes through, by what each side leaves of it (Liang and Barsky 1984)."""
        x, y, across, down = line[0], line[1], line[2] - line[0], line[3] - line[1]
        first, last = 0.0, 1.0
        sides = ((across, x, self.left, self.right), (down, y, self.top, self.bottom))
        for slope, start, low, high in sides:
            if not slope:
                if not low < start < high:
                    return False
                continue
            ends = sorted(((low - start) / slope, (high - start) / slope))
            first, last = max(first, ends[0]), min(last, ends[1])
        return first < last


@dataclass(frozen=True)
class Label:
    """A name, as far as it is shown, in its box."""

    text: str
    box: Box


def text_width(text: str, size: float) -> float:
    """A bound of how wide a text of this letter height is.

    >>> round(text_width("pgd", 10), 9)
    21.6
    """
    return size * sum(map(letter_width, text))


def letter_width(letter: str) -> float:
    """A bound of how wide a letter is, in letter heights."""
    if unicodedata.combining(letter) or unicodedata.category(letter) in ("Mn", "Cf"):
        return 0.0
    if not letter.isascii():
        latin = letter.isalpha() and "LATIN" in unicodedata.name(letter, "")
        return CAPITAL if latin and letter not in "ǄǅǆǇǈǉǊǋǌŒœÆæ" else 1.0 if letter == ELLIPSIS else 1.4
    if letter in "fijlrtIJ.,:;'|!()[]-/ `\\":
        return NARROW
    return WIDE if letter in "mwMW@%" else CAPITAL if letter.isupper() or letter in '&+=<>~#^"*{}$?' else USUAL


def shortened(text: str, size: float, widest: float) -> str:
    """The text, cut in its middle where it would be too wide: names often differ at their ends.

    >>> shortened("finetune-seed-0", 10, 60)
    'fine…d-0'
    """
    if text_width(text, size) <= widest:
        return text
    for kept in range(len(text) - 1, 0, -1):
        short = text[: (kept + 1) // 2] + ELLIPSIS + (text[-(kept // 2) :] if kept > 1 else "")
        if text_width(short, size) <= widest:
            return short
    return ELLIPSIS


def placed_labels(
    names: Sequence[str],
    points: Sequence[tuple[float, float]],
    frame: Box,
    taken: Sequence[Box],
    arms: Sequence[Line],
    size: float,
    radius: float,
) -> list[Label | None]:
    """A label for each point, as near to it as is free; None where nothing in the frame is.

    ``taken`` is what must stay readable, ``arms`` are better not written over, ``size`` is the height of letters and
    ``radius`` that of the points' marks. Where there is a choice, lines from points to their names cross no name.
    """
    marks = [Box(x - radius, y - radius, x + radius, y + radius) for x, y in points]
    widest = (frame.right - frame.left) / 2 - GAP
    found: list[Label | None] = []
    lines: list[Line] = []
    for name, point in zip(names, points, strict=True):
        text = shortened(name, size, widest)
        boxes = [one.box for one in found if one is not None]
        free = [
            box
            for box in around(*point, text_width(text, size), 1.25 * size, radius, frame)
            if not any(box.meets(other, GAP) for other in (*taken, *marks, *boxes))
        ]
        box = cheapest(free, point, boxes, lines, arms)
        found.append(None if box is None else Label(text, box))
        if box is not None:
            lines.append((*point, *box.nearest(*point)))
    return found


def around(x: float, y: float, width: float, height: float, radius: float, frame: Box) -> Iterator[Box]:
    """Boxes of this size in the frame: beside the point, above it and below it, then everywhere."""
    off = radius + GAP + 0.5
    corners = [(x + off, y - height - 1), (x - off - width, y - height - 1), (x + off, y + 1), (x - off - width, y + 1)]
    corners += [(x - width / 2, y - off - height), (x - width / 2, y + off)]
    across = [frame.left + STEP * step for step in range(int((frame.right - frame.left - width) / STEP) + 1)]
    down = [frame.top + STEP * step for step in range(int((frame.bottom - frame.top - height) / STEP) + 1)]
    for left, top in (*corners, *((left, top) for top in down for left in across)):
        box = Box(left, top, left + width, top + height)
        if box.within(frame):
            yield box


def cheapest(
    free: Sequence[Box], point: tuple[float, float], boxes: Sequence[Box], lines: Sequence[Line], arms: Sequence[Line]
) -> Box | None:
    """The box nearest to its point, one further off where lines would cross names or names be written over arms."""

    def far(box: Box) -> float:
        return math.dist(point, box.nearest(*point))

    best, least = None, math.inf
    for box in sorted(free, key=far):
        if far(box) >= least:
            break
        own = (*point, *box.nearest(*point))
        crossings = sum(other.crossed(own) for other in boxes) + sum(box.crossed(line) for line in lines)
        price = far(box) + CROSSED * crossings + COVERED * sum(box.crossed(arm) for arm in arms)
        if price < least:
            best, least = box, price
    return best
