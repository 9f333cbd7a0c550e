"""A square matrix as shaded cells, in an SVG that stands by itself."""

from collections.abc import Sequence
from html import escape

CELL = 26  # pixels
LETTER = 7.0  # pixels a letter takes, generously
LIGHT, DARK = (247, 251, 255), (8, 48, 107)
PRINTED = 12  # with more classes than this the cells are too many for numbers


def heat_map(values: Sequence[Sequence[float]], names: Sequence[str], title: str) -> str:
    """A square matrix as shaded cells, rows and columns named; each cell says its value when pointed at.

    >>> svg = heat_map([[1, 5], [2.5, 1]], ["sad", "<glad>"], "label distances")
    >>> svg.count("<rect"), "&lt;glad&gt;" in svg, "sad → &lt;glad&gt;: 5.00" in svg
    (5, True, True)
    """
    if len(values) != len(names) or any(len(row) != len(names) for row in values):
        raise ValueError(f"a matrix for {len(names)} names has {len(names)} rows of as many values")
    lowest, highest = min(map(min, values)), max(map(max, values))
    margin = round(LETTER * max(map(len, names))) + 12
    size = CELL * len(names)
    cells = [
        cell(column, row, value, shade(value, lowest, highest), f"{names[row]} → {names[column]}: {value:.2f}", names)
        for row, line in enumerate(values)
        for column, value in enumerate(line)
    ]
    words = [
        f'<text x="-6" y="{CELL * place + 17}" text-anchor="end">{escape(name)}</text>'
        f'<text transform="translate({CELL * place + 17},-6) rotate(-60)">{escape(name)}</text>'
        for place, name in enumerate(names)
    ]
    heading = f"{title} ({lowest:.2f} to {highest:.2f})"
    width, height = max(size + 2 * margin, round(LETTER * len(heading)) + 24), size + margin + 44
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" font-family="sans-serif" font-size="12"><title>{escape(title)}</title>'
        f'<rect width="{width}" height="{height}" fill="#fff"/>'
        f'<text x="8" y="18" font-size="14">{escape(heading)}</text>'
        f'<g transform="translate({margin},{margin + 28})">{"".join(cells + words)}</g></svg>\n'
    )


def cell(column: int, row: int, value: float, colour: tuple[int, int, int], said: str, names: Sequence[str]) -> str:
    """One shaded square; its number is printed while there are few."""
    square = (
        f'<rect x="{CELL * column}" y="{CELL * row}" width="{CELL}" height="{CELL}" '
        f'fill="rgb{colour}" stroke="#fff"><title>{escape(said)}</title></rect>'
    ).replace(", ", ",")
    if len(names) > PRINTED:
        return square
    ink = "#fff" if sum(colour) < 384 else "#222"
    x, y = CELL * column + CELL // 2, CELL * row + 17
    return square + f'<text x="{x}" y="{y}" font-size="10" text-anchor="middle" fill="{ink}">{value:.1f}</text>'


def shade(value: float, lowest: float, highest: float) -> tuple[int, int, int]:
    """A colour between light (lowest) and dark (highest); light where all values are one."""
    share = (value - lowest) / (highest - lowest) if highest > lowest else 0.0
    red, green, blue = (round(light + share * (dark - light)) for light, dark in zip(LIGHT, DARK, strict=True))
    return red, green, blue
