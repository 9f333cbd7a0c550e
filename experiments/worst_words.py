"""worst_words beside plain training and FreeLB: ``make results-worst-words`` (docs/papers/worst_words.md).

Two processes with the same command share the cells, the most telling first; what is filled is not filled again, and
``--until=SECONDS`` begins no cell after so many. A row is one number of one model, with what became of every example.
Names of data sets, ``--entries=plain;freelb``, ``--seeds=0;1`` and ``--whats=clean;pwws`` fill the cells of these
alone; ``--table`` writes the page's tables of what is there.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from fair_cells import FairCell, Place, Walk, walk
from grid import Cell, Row, read
from other_forms import OtherForms
from worst_words_grounds import (
    ABLATIONS,
    FREELB,
    GROUNDS,
    LONGER,
    PAPERS,
    PLAIN,
    WITH_FORMS,
    WORST,
    Entry,
    Ground,
)
from worst_words_masking import masking_cells
from worst_words_masking_tables import FILE
from worst_words_models import numbers, trained, trained_in
from worst_words_tables import MASKING, WORDS, write

import unfooled as uf
from unfooled.attacks import PWWS_PEER
from unfooled.attacks.records import SAFE
from unfooled.data.examples import load_examples
from unfooled.data.sources import DataSettings
from unfooled.files import turn
from unfooled.models.encoders.predict import probabilities
from unfooled.models.encoders.pretrained import load
from unfooled.trials.contrast import pairs

FILES = {**{name: ground.rows_file for name, ground in GROUNDS.items()}, MASKING: FILE}  # of rows
PARTS = 4  # the tier of what each part does, and of the tests of masking
OPTIONS = {"entry": "entries", "seed": "seeds", "what": "whats"}  # what names a cell, and the option that chooses some


def attacked(ground: Ground, entry: Entry, seed: int, attack: str, limit: int) -> dict[str, Any]:
    """Accuracy under an attack on the first texts of the test split; one that broke off goes on where it was."""
    run = trained(ground, entry, seed)
    encoder = "minilm" if attack == "textfooler" else None
    chosen = {"pwws_peer": PWWS_PEER, "other forms": OtherForms()}.get(attack, attack)
    limits = {"queries": None} if attack == "pwws_peer" else None
    folder = run / f"under {attack}".replace(" ", "-")
    done = uf.attack(str(run / "model"), ground.name, chosen, folder, limit=limit, limits=limits, similarity=encoder)
    return {**numbers([one.outcome in SAFE for one in done.records], "right and held"), **trained_in(run)}


def answered(ground: Ground, entry: Entry, seed: int, data: str, each: int | None) -> dict[str, Any]:
    """Accuracy on a test split, or on its first so many texts of each class (yelp has three times as many glad ones).

    Classes go by their numbers: all data of two classes here have negative first.
    """
    run = trained(ground, entry, seed)
    model = load(str(run / "model"))
    split = load_examples(DataSettings(source=data), 0).test
    assert split is not None
    seen: Counter[Any] = Counter()
    rows = []
    for row, label in enumerate(split.labels):
        seen[label] += 1
        if each is None or seen[label] <= each:
            rows.append(row)
    texts, labels = [split.texts[row] for row in rows], [split.labels[row] for row in rows]
    said = probabilities(model, texts).argmax(axis=1)
    right = [bool(own == label) for own, label in zip(said, labels, strict=True)]
    return {**numbers(right, "right"), **trained_in(run)}


def contrasted(ground: Ground, entry: Entry, seed: int, data: str) -> dict[str, Any]:
    """Consistency on a human contrast set: an original and its revision right together, pair by pair."""
    run = trained(ground, entry, seed)
    results = uf.evaluate(str(run / "model"), data, run / data, ["contrast"], contrast=data)
    scores = {row.metric: row.score for row in results.rows}
    both = [(one.right and other.right, one.group) for one, other in pairs(results.trials[0].records)]
    groups = {group: number for number, group in enumerate(dict.fromkeys(group for _, group in both))}
    own = {"value": scores["con_pair"].value, "low": scores["con_pair"].low, "high": scores["con_pair"].high}
    held = "".join(str(int(right)) for right, _ in both)
    others = {name: scores[name].value for name in ("ori", "rev", "con_group", "unmoved")}
    groups_of = [groups[group] for _, group in both]
    return {**own, "n": len(both), "held": held, "groups": groups_of, **others, **trained_in(run)}


def main_cells(ground: Ground, entries: tuple[Entry, ...]) -> Iterator[Cell]:
    """Clean, PWWS, other domains and contrast sets for all seeds; the other attacks for the first."""
    for seed, entry in product(ground.seeds, entries):
        key = {"data": ground.name, "entry": entry.name, "seed": seed}
        own = ground, entry, seed
        yield Cell({**key, "what": "clean"}, partial(answered, *own, ground.name, None))
        yield Cell({**key, "what": "pwws"}, partial(attacked, *own, "pwws", ground.pwws))
        for data in ground.elsewhere:
            yield Cell({**key, "what": f"on {data}"}, partial(answered, *own, data, 500))
        for data in ground.contrast:
            yield Cell({**key, "what": data}, partial(contrasted, *own, data))
        for attack in ("deepwordbug", "textfooler", "pwws_peer", "pwws_sense_true") if seed == 0 else ():
            yield Cell({**key, "what": attack}, partial(attacked, *own, attack, ground.others))


def ablation_cells(ground: Ground) -> Iterator[Cell]:
    """What each part does, with the first seed."""
    for entry in ABLATIONS:
        key, own = {"data": ground.name, "entry": entry.name, "seed": 0}, (ground, entry, 0)
        yield Cell({**key, "what": "clean"}, partial(answered, *own, ground.name, None))
        for attack in ("pwws", "deepwordbug", "textfooler"):
            limit = ground.pwws if attack == "pwws" else ground.others
            yield Cell({**key, "what": attack}, partial(attacked, *own, attack, limit))


def form_cells(ground: Ground) -> Iterator[Cell]:
    """Under other forms of words alone: plain, the method that never met them, and one that has."""
    for entry in (PLAIN, WORST, WITH_FORMS):
        key = {"data": ground.name, "entry": entry.name, "seed": 0, "what": "other forms"}
        yield Cell(key, partial(attacked, ground, entry, 0, "other forms", ground.pwws))


def every_cell(ground: Ground) -> Iterator[Cell]:
    """All cells of a data set."""
    yield from main_cells(ground, (PLAIN, WORST, FREELB))
    if ground.name == "mr":
        yield from main_cells(ground, (LONGER,))
        yield from ablation_cells(ground)
        yield from form_cells(ground)
    if ground.name in ("mr", "agnews"):
        yield from main_cells(ground, PAPERS)


def tier(ground: Ground, entry: str, seed: int) -> int:
    """When a cell is filled: the method and plain, other seeds and pairs, FreeLB, each part, FreeLB again, papers."""
    first, words = seed == 0, ground.name in WORDS
    if entry in (PLAIN.name, WORST.name):
        return 1 if first and words else 2 if first or words else 6
    if entry == FREELB.name:
        return 3 if first and words else 5 if words else 6
    if entry == LONGER.name:
        return PARTS if first else 6
    return 7 if entry in {paper.name for paper in PAPERS} else PARTS


def shared(ground: Ground) -> Iterator[FairCell]:
    """The cells of a data set as several processes share them: those of one training are one process's."""
    place, leaders = Place("worst_words", file=ground.rows_file), Place("leaderboard")
    for cell in every_cell(ground):
        if leaders.found(**cell.key):  # the leaderboard has measured it
            continue
        entry, seed = cell.key["entry"], cell.key["seed"]
        yield FairCell(place, cell.key, cell.find, tier(ground, entry, seed), run=f"{ground.name}, {entry}, {seed}")


def on_masking() -> Iterator[FairCell]:
    """The tests of masking, on models of mr."""
    place = Place("worst_words", file=FILE)
    for cell in masking_cells():
        run = f"{cell.key['data']}, {cell.key['entry']}, {cell.key['seed']}"
        yield FairCell(place, cell.key, cell.find, PARTS, run=run)


def every_row() -> dict[str, list[Row]]:
    """The rows of each data set and of the tests of masking, with what the leaderboard has measured first."""
    measured = Place("leaderboard").found()
    return {name: [*read(file), *(row for row in measured if row["data"] == name)] for name, file in FILES.items()}


def told(option: str) -> list[str]:
    """What stands behind an option of the call, parted by semicolons."""
    return [part for word in sys.argv if word.startswith(f"--{option}=") for part in word.split("=", 1)[1].split(";")]


def main() -> int:
    """Fill what is empty, the most telling first, and write the tables; 1 where a cell broke."""
    names = [name for name in sys.argv[1:] if not name.startswith("--")] or list(GROUNDS)
    wanted = {key: told(option) for key, option in OPTIONS.items()}
    cells = [cell for name in names for cell in shared(GROUNDS[name])] + (list(on_masking()) if "mr" in names else [])
    cells = [cell for cell in cells if all(not some or str(cell.key[key]) in some for key, some in wanted.items())]
    until = [float(seconds) for seconds in told("until")]
    done = Walk() if "--table" in sys.argv else walk(sorted(cells, key=lambda cell: cell.tier), *until)
    Path("runs").mkdir(exist_ok=True)
    with turn(Path("runs/worst_words-page.lock")):  # the other process may be at it
        write(every_row())
    return 1 if done.broken else 0


if __name__ == "__main__":
    sys.exit(main())
