"""The tables of ``worst_words.py`` as docs/papers/worst_words.md has them, between its marks.

Means over seeds; differences, to plain unless said, paired by example and over the seeds that both have, with 95 %
intervals; mean differences over data sets beside what is aimed at.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import numpy as np
from grid import Row, markdown
from worst_words_masking_tables import HELD_OUT_HEAD, MASKING_HEAD, held_out, masking

from unfooled.files import write_whole
from unfooled.scores.differences import Difference, bootstrap, families

PAGE = Path(__file__).parents[1] / "docs" / "papers" / "worst_words.md"
BEGIN, END = "<!-- results: made by experiments/worst_words.py --table -->", "<!-- end of results -->"
POWER = 2.8  # standard errors that a difference must be away to be seen in 80 % of cases at 5 %
TITLES = {
    "clean": "clean",
    "pwws": "PWWS",
    "pwws_peer": "PWWS, TextAttack's substitutes",
    "textfooler": "TextFooler",
    "deepwordbug": "DeepWordBug with look-alikes",
    "pwws_sense_true": "PWWS, sense-true",
    "on yelp": "on yelp",
    "on imdb": "on imdb",
}
CONTRAST = {"imdb": ("cad_imdb", "contrast_imdb"), "perspectrum": ("contrast_perspectrum",), "snli": ("cad_snli",)}
CONTRAST_AIM = ("contrast_perspectrum", "cad_imdb", "cad_snli")  # one for each data set
WORDS = ("mr", "sst2", "agnews", "imdb")  # data sets of the aims for attacks
PAPERS = ("freelb", "carl", "rar", "clld")
ALL_PAPERS = ("mr", "agnews")  # where all of them are to be run
FIRST = "words of both texts, a tenth negated"  # of snli: the settings before it was looked at
MAIN = ("plain", "worst_words", FIRST, "words in pieces", "plain, equal compute", *PAPERS)
PARTS_WHATS = ("clean", "pwws", "textfooler", "deepwordbug")
MASKING = "masking"  # the name of its rows among those of data sets
NEVER = ("with inflections",)  # shown by words alone, under another attack

Rows = Sequence[Row]


@dataclass(frozen=True)
class Aim:
    """A mean difference that is aimed at: of what, on which data sets, how many points at the least, and to whom."""

    name: str
    whats: tuple[str, ...]
    data: tuple[str, ...]
    mean: float
    each: float | None = None
    rivals: tuple[str, ...] = ("plain",)  # the best of which is what a difference is to


AIMS = (
    Aim("accuracy under PWWS", ("pwws",), WORDS, 22, 15),
    Aim("the same, over the best of the papers that were run", ("pwws",), WORDS, 10, rivals=PAPERS),
    Aim("under PWWS with TextAttack's substitutes", ("pwws_peer",), WORDS, 10),
    Aim("under TextFooler", ("textfooler",), WORDS, 10),
    Aim("under DeepWordBug with look-alikes", ("deepwordbug",), WORDS, 10),
    Aim("consistency on human contrast sets", CONTRAST_AIM, (*CONTRAST,), 2),
    Aim("clean accuracy", ("clean",), (*WORDS, "perspectrum", "snli"), -1),
    Aim("accuracy in another domain", ("on yelp", "on imdb"), ("mr", "sst2"), -1),
)


def picked(rows: Rows, entry: str, what: str) -> Rows:
    """The rows of one cell, seed by seed."""
    own = [row for row in rows if (row["entry"], row["what"]) == (entry, what)]
    return sorted(own, key=lambda row: int(row["seed"]))


def outcomes(rows: Rows) -> np.ndarray:
    """What became of each example, seed by seed; over groups of examples where they come in groups."""
    return families([[int(one) for one in row["held"]] for row in rows], rows[0].get("groups"))


def apart(rows: Rows, plain: Rows) -> Difference | None:
    """The paired difference to plain over the seeds that both have."""
    seeds = {row["seed"] for row in plain} & {row["seed"] for row in rows}
    one, two = ([row for row in some if row["seed"] in seeds] for some in (plain, rows))
    return bootstrap(outcomes(one), outcomes(two)) if seeds else None


def points(share: float) -> str:
    """A difference in points, with its sign.

    >>> points(-.0049), points(.1), points(-.00001)
    ('−0.5', '+10.0', '0.0')
    """
    told = f"{100 * share:+.1f}"
    return "0.0" if float(told) == 0 else told.replace("-", "−")


def cell(rows: Rows, other: Rows) -> str:
    """The mean of the seeds, of PWWS with one seed its interval, and the difference to the other's."""
    if not rows:
        return ""
    mean = f"{100 * fmean(row['value'] for row in rows):.1f}"
    if len(rows) == 1 and rows[0]["what"] == "pwws":
        mean += f" [{100 * rows[0]['low']:.1f}, {100 * rows[0]['high']:.1f}]"
    difference = apart(rows, other) if other and rows[0]["entry"] != other[0]["entry"] else None
    if difference is None:
        return mean
    return f"{mean} ({points(difference.value)} [{points(difference.low)}, {points(difference.high)}])"


def lines(name: str, rows: Rows, entries: Sequence[str], whats: Sequence[str], other: str = "plain") -> list[list[str]]:
    """The lines of a data set: ways of training beside another, then how many texts and the least to be seen."""
    made = []
    for entry in entries:
        cells = [cell(picked(rows, entry, what), picked(rows, other, what)) for what in whats]
        if any(cells):
            made.append([f"`{name}`, {entry}{seeds(rows, entry)}", *cells])
        elif name in ALL_PAPERS and entry in PAPERS and other == "plain":
            made.append([f"`{name}`, {entry} (not run yet)", *cells])
    plain = [picked(rows, "plain", what) for what in whats]
    made.append([f"`{name}`, texts", *(f"{own[0]['n']:,}" if own else "" for own in plain)])
    made.append([f"`{name}`, smallest difference they can show", *(least_seen(own) for own in plain)])
    return made


def seeds(rows: Rows, entry: str) -> str:
    """How many seeds an entry has, where there are several."""
    most = max(len(picked(rows, entry, what)) for what in {row["what"] for row in rows})
    return f", {most} seeds" if most > 1 else ""


def least_seen(plain: Rows) -> str:
    """The smallest difference that so many paired examples could show, if a fifth of them change; of one seed."""
    return f"{100 * POWER * math.sqrt(0.2 / plain[0]['n']):.0f}" if plain else ""


def differences(aim: Aim, rows: Mapping[str, Rows]) -> dict[tuple[str, str], float]:
    """The difference of each cell that an aim is about, by data set and what was asked."""
    found = {}
    for name in aim.data:
        for what in aim.whats:
            own = picked(rows.get(name, ()), "worst_words", what)
            rivals = [picked(rows.get(name, ()), rival, what) for rival in aim.rivals]
            to_each = [to_one.value for rival in rivals if own and rival and (to_one := apart(own, rival)) is not None]
            if to_each:
                found[name, what] = min(to_each)
    return found


def called(name: str, what: str, aim: Aim) -> str:
    """What a cell of an aim is called."""
    if what in CONTRAST_AIM:
        return what
    return name if len(aim.whats) == 1 else f"{name} {what}"


def aimed(aim: Aim, rows: Mapping[str, Rows]) -> list[str]:
    """What was aimed at, what came out, and whether it holds; open as long as a data set is missing."""
    found = differences(aim, rows)
    least = f"{aim.mean:+g}".replace("-", "−") + (f", each {aim.each:+g}" if aim.each is not None else "")
    missing = [name for name in aim.data if not any(own == name for own, _ in found)]
    told = ", ".join(f"{called(*cell, aim)} {points(value)}" for cell, value in found.items())
    if not found:
        return [aim.name, least, "", "", "not run"]
    mean = fmean(found.values())
    holds = 100 * mean >= aim.mean and (aim.each is None or 100 * min(found.values()) >= aim.each)
    said = ("holds" if holds else "missed") + (f" so far, without {', '.join(missing)}" if missing else "")
    return [aim.name, least, points(mean), told, said]


def tables(rows: Mapping[str, Rows]) -> str:
    """All tables of the page, those of them that have lines."""
    words = list(TITLES)
    main = [line for name, own in rows.items() if own and name != MASKING for line in lines(name, own, MAIN, words)]
    contrast = [line for name, sets in CONTRAST.items() for line in contrasted(name, rows.get(name, ()), sets)]
    made = {
        ("mean difference, points; to plain unless said", "aimed at", "measured", "by data set", ""): aims(rows),
        ("", *TITLES.values()): main,
        ("", "contrast set", "both of a pair right", "original right", "revision right"): contrast,
        ("difference to `worst_words`", *(TITLES[what] for what in PARTS_WHATS)): parts(rows.get("mr", ())),
        HELD_OUT_HEAD: held_out(rows.get("mr", ())),
        MASKING_HEAD: masking(rows.get(MASKING, ())),
    }
    return "\n\n".join(markdown(head, own) for head, own in made.items() if own)


def aims(rows: Mapping[str, Rows]) -> list[list[str]]:
    """The lines of what is aimed at."""
    return [aimed(aim, rows) for aim in AIMS]


def parts(rows: Rows) -> list[list[str]]:
    """The lines of the method with a part left out or put in, beside the method itself; of the first seed."""
    own = [row for row in rows if row["seed"] == 0]
    others = [entry for entry in dict.fromkeys(row["entry"] for row in own) if entry not in (*MAIN, *NEVER)]
    entries = ["worst_words", "plain", "words in pieces", *others]
    return lines("mr", own, entries, PARTS_WHATS, "worst_words") if others else []


def contrasted(name: str, rows: Rows, sets: Sequence[str]) -> list[list[str]]:
    """The lines of a data set's contrast sets."""
    made = []
    for what in sets:
        for entry in MAIN:
            if own := picked(rows, entry, what):
                sides = (f"{100 * fmean(row[side] for row in own):.1f}" for side in ("ori", "rev"))
                both = cell(own, picked(rows, "plain", what))
                made.append([f"`{name}`, {entry}", f"{what}, {own[0]['n']:,} pairs", both, *sides])
    return made


def page(rows: Mapping[str, Rows]) -> str:
    """The paper's page with the tables of these rows."""
    text = PAGE.read_text(encoding="utf-8")
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    return f"{before}{BEGIN}\n\n{tables(rows)}\n\n{END}{after}"


def write(rows: Mapping[str, Rows]) -> None:
    """Put the tables into the page."""
    write_whole(PAGE, page(rows))
