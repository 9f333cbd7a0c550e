"""What the tests of masking and of held-out sources say of worst_words, a line each, with when one passes.

Written into docs/papers/worst_words.md with the other tables; ``worst_words_masking.py`` fills the rows.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from grid import Row

FILE = Path("docs/results/worst_words-masking.jsonl")
ENTRIES = ("plain", "freelb", "worst_words")
NEARLY_NONE = 0.05  # accuracy under k-PGD of the largest radius: that is no better than nothing
MASKING_HEAD = ("of 100 texts of `mr`, per cent", *ENTRIES, "passes where", "")
HELD_OUT_HEAD = ("on `mr`, of the first seed", "attack", "plain", "held out", "worst_words", "of the gain stays", "")
# What is trained without, and the attack that has it.
HELD_OUT = {
    "without wordnet": "pwws",
    "without near": "textfooler",
    "without typos": "deepwordbug",
    "worst_words": "other forms",  # which are no source by default; beside it stands the one that has them
}

Rows = Mapping[str, Row]  # of one test, by way of training


@dataclass(frozen=True)
class MaskingTest:
    """A test by the name of its rows: what it is called, what a row says, when it passes and in what words."""

    title: str
    told: Callable[[Row], str]
    when: str
    passes: Callable[[Rows, Rows], bool] | None = None  # by its rows, and those under PWWS itself


def share(row: Row) -> str:
    """A share in per cent, with its interval."""
    return f"{100 * row['value']:.1f} [{100 * row['low']:.1f}, {100 * row['high']:.1f}]"


def success(row: Row) -> str:
    """How many of the texts that were right adversaries of another model have fooled."""
    return f"{share(row['attack_success'])} fooled"


def gap(row: Row) -> float:
    """How much less is held under every combination than under the greedy attack."""
    return float(row["accuracy_under_greedy"]["value"] - row["accuracy_under_exhaustive"]["value"])


def both(row: Row) -> str:
    """Under the greedy attack and under every combination."""
    pair = row["accuracy_under_greedy"], row["accuracy_under_exhaustive"]
    return " → ".join(f"{100 * one['value']:.1f}" for one in pair) + f" (n = {pair[0]['n']})"


def found_more(row: Row) -> str:
    """Of the texts that the greedy attack left, those that another combination turns."""
    return f"{share(row['flipped'])} (n = {row['flipped']['n']})"


def radii(row: Row) -> str:
    """Accuracy at growing radii."""
    return " · ".join(f"{100 * value:.0f}" for value in falling(row))


def falling(row: Row) -> list[float]:
    """The accuracies under k-PGD, in the order of the radii."""
    return [value for name, value in row.items() if name.startswith("accuracy ")]


def transfers_less(rows: Rows, own: Rows) -> bool:
    """Whether other models' adversaries fool it no more than its own do."""
    return bool(rows["worst_words"]["attack_success"]["value"] <= own["worst_words"]["fooled"])


def with_pwws(row: Row, own: Row) -> Row:
    """An attack's row with the share of texts that hold under it and under PWWS too.

    Gradients that say nothing leave much: alone they would pass whom they cannot attack.
    """
    held = [int(one) * int(other) for one, other in zip(row["held"], own["held"], strict=True)]
    return {**row, "either": {"value": sum(held) / len(held)}}


def half_stays(rows: Rows, own: Rows) -> bool:
    """Whether it keeps half of its gain over plain under PWWS."""
    gain, there = (some["worst_words"]["value"] - some["plain"]["value"] for some in (rows, own))
    return bool(gain >= there / 2)


TESTS = {
    "own": MaskingTest("PWWS itself", share, "beside it the others stand"),
    "adversaries of plain": MaskingTest("adversaries of plain", success, "own ones fool more", transfers_less),
    "adversaries of freelb": MaskingTest("adversaries of FreeLB", success, "own ones fool more", transfers_less),
    "k-PGD": MaskingTest(
        "k-PGD, radii 0 · .1 · .3 · 1 · 3 · 10",
        radii,
        "nothing is left at the end",
        lambda rows, own: falling(rows["worst_words"])[-1] <= NEARLY_NONE,
    ),
    "every combination": MaskingTest(
        "greedy → every combination",
        both,
        "the fall is not larger than plain's",
        lambda rows, own: gap(rows["worst_words"]) <= gap(rows["plain"]),
    ),
    "every combination, more texts": MaskingTest(
        "the same, on more texts; of those that greedy search left, turned by another combination",
        lambda row: f"{both(row)}; {found_more(row)}",
        "the fall is not larger than plain's",
        lambda rows, own: gap(rows["worst_words"]) <= gap(rows["plain"]),
    ),
    "gradients": MaskingTest(
        "its own gradients, 10 starts; texts that hold under them and PWWS",
        lambda row: f"{share(row)}; {100 * row['either']['value']:.1f}",
        "half of the gain stays under both",
        lambda rows, own: half_stays({name: row["either"] for name, row in rows.items()}, own),
    ),
    "orders": MaskingTest(
        "the worst of six orders, TextAttack's substitutes", share, "half of the gain stays", half_stays
    ),
}


def masking(rows: list[Row]) -> list[list[str]]:
    """The lines of the tests that were run."""
    found = {name: {row["entry"]: row for row in rows if row["what"] == name} for name in TESTS}
    own = found["own"]
    found["gradients"] = {name: with_pwws(row, own[name]) for name, row in found["gradients"].items() if name in own}
    return [line(test, found[name], own) for name, test in TESTS.items() if found[name]]


def line(test: MaskingTest, rows: Rows, own: Rows) -> list[str]:
    """One test: what each model has, when it passes, and whether it does."""
    cells = [test.told(rows[entry]) if entry in rows else "" for entry in ENTRIES]
    known = all(entry in some for entry in ("plain", "worst_words") for some in (rows, own))
    if test.passes is None:
        verdict = ""
    else:
        verdict = ("passes" if test.passes(rows, own) else "**does not pass**") if known else "not run in full"
    return [test.title, *cells, test.when, verdict]


def held_out(rows: list[Row]) -> list[list[str]]:
    """The lines of sources that were left out of the training and are what the attack has."""
    values = {(row["entry"], row["what"]): float(row["value"]) for row in rows if row["seed"] == 0}
    made = []
    for entry, attack in HELD_OUT.items():
        whole = "with inflections" if attack == "other forms" else "worst_words"
        if not {("plain", attack), (entry, attack), (whole, attack)} <= set(values):
            continue
        plain, without, own = (values[name, attack] for name in ("plain", entry, whole))
        name = "other forms, never met" if attack == "other forms" else entry
        cells = [f"{100 * one:.1f}" for one in (plain, without, own)]
        made.append([name, attack, *cells, *stays(plain, without, own)])
    return made


def stays(plain: float, without: float, own: float) -> tuple[str, str]:
    """How much of the gain is there without the source, and whether that is half of it; nothing of no gain."""
    if own <= plain:
        return "", "no gain to keep"
    share = (without - plain) / (own - plain)
    return f"{share:.0%}", "holds" if share >= 0.5 else "missed"
