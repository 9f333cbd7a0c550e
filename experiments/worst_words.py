"""worst_words beside plain training and FreeLB: ``make results-worst-words`` (docs/papers/worst_words.md).

One file of rows for each data set, so that two processes can fill them at once (``experiments/worst_words.py mr``).
A row is one number of one model, with what became of every example; ``--table`` writes the page's tables of what is
there, ``--entries=plain;freelb``, ``--seeds=0;1`` and ``--whats=clean;pwws`` fill the cells of these alone.
"""

import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from grid import Cell, fill, read
from other_forms import OtherForms
from worst_words_tables import write

import unfooled as uf
from unfooled.attacks import PWWS_PEER
from unfooled.attacks.records import SAFE
from unfooled.data.examples import load_examples
from unfooled.data.sources import DataSettings
from unfooled.methods import METHODS
from unfooled.models.encoders.predict import probabilities
from unfooled.models.encoders.pretrained import load
from unfooled.scores.intervals import proportion
from unfooled.trials.contrast import pairs

RUNS = Path("runs/worst_words")
PLAN = {"epochs": 3, "batch_size": 32, "average": 0.99, "choose_by": "robust", "save_every": 100}
OPTIONS = {"entry": "entries", "seed": "seeds", "what": "whats"}  # what names a cell, and the option that chooses some
SOURCES = METHODS["worst_words"]().model_dump()["sources"]


@dataclass(frozen=True)
class Ground:
    """A data set: how many rows are trained on, how long texts are, what is turned, how many texts each attack gets."""

    name: str
    rows: int = 4000
    max_length: int = 64
    seeds: tuple[int, ...] = (0, 1, 2)
    pwws: int = 200
    others: int = 100  # texts of the attacks that only the first seed is put under
    turns: Any = "auto"
    elsewhere: tuple[str, ...] = ()  # other domains with the same labels
    contrast: tuple[str, ...] = ()  # human contrast sets

    @property
    def rows_file(self) -> Path:
        """Where its rows are."""
        return Path(f"docs/results/worst_words-{self.name}.jsonl")


GROUNDS = {
    ground.name: ground
    for ground in (
        Ground("mr", rows=7108, elsewhere=("yelp", "imdb")),
        Ground("sst2", rows=8000, elsewhere=("yelp", "imdb")),
        Ground("agnews", max_length=128, others=60),
        Ground("imdb", max_length=128, seeds=(0,), pwws=100, others=30, contrast=("cad_imdb", "contrast_imdb")),
        Ground(
            "perspectrum",
            rows=6000,
            turns={"SUPPORT": "UNDERMINE", "UNDERMINE": "SUPPORT"},
            contrast=("contrast_perspectrum",),
        ),
        Ground("snli", rows=6000, turns={"entailment": "contradiction"}, contrast=("cad_snli",)),
    )
}


@dataclass(frozen=True)
class Entry:
    """A way of training: its method, that method's settings, and what it changes of the plan."""

    name: str
    method: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    plan: Mapping[str, Any] = field(default_factory=dict)
    encoder: str = "minilm"


PLAIN, FREELB = Entry("plain", "finetune"), Entry("freelb", "freelb")
WORST = Entry("worst_words", "worst_words")
LONGER = Entry("plain, equal compute", "finetune", plan={"epochs": 7})
PAPERS = (Entry("carl", "carl"), Entry("rar", "rar"), Entry("clld", "clld"))


def without(*names: str) -> dict[str, Any]:
    """All sources but these."""
    return {"sources": tuple(name for name in SOURCES if name not in names)}


HELD_OUT = {"wordnet": ("wordnet", "any_sense"), "near": ("near",), "typos": ("typos",)}
# Other forms of a word are no source by default: held out they are by the method as it is.
WITH_FORMS = Entry("with inflections", "worst_words", {"sources": (*SOURCES, "inflections")})
ABLATIONS = (
    Entry("words in pieces", "worst_words", {**WORST.settings, "whole_words": False}),
    Entry("whole words alone", "worst_words", {**WORST.settings, "begin": 1.0}),  # all steps plain
    Entry("random instead of worst", "worst_words", {**WORST.settings, "pick": "blind"}),
    Entry("anchored", "worst_words", {**WORST.settings, "anchored": True}),
    Entry("behind layer 2", "worst_words", {**WORST.settings, "layer": 2}),
    Entry("no KL", "worst_words", {**WORST.settings, "beta": 0.0}),
    Entry("no turns", "worst_words", {**WORST.settings, "turns": "off"}),
    Entry("no average", "worst_words", WORST.settings, {"average": None}),
    Entry("clean choice", "worst_words", WORST.settings, {"choose_by": None}),
    # The look that weights are chosen by has all sources, so that it would not be held out of the choice.
    *(
        Entry(f"without {name}", "worst_words", without(*names), {"choose_by": None})
        for name, names in HELD_OUT.items()
    ),
    *(Entry(f"{name} alone", "worst_words", {"sources": (name,)}) for name in dict.fromkeys(SOURCES[:-1])),
)


def trained(ground: Ground, entry: Entry, seed: int) -> Path:
    """The run of an entry, made or gone on with where it is not finished."""
    out = RUNS / ground.name / f"{entry.name.replace(' ', '-').replace(',', '')}-{seed}"
    if not (out / "summary.json").is_file():
        turned = {"turns": ground.turns} if entry.method == "worst_words" and "turns" not in entry.settings else {}
        method = METHODS[entry.method].model_validate({**entry.settings, **turned})
        plan = {**PLAN, "packed": not method.reads_states(), **entry.plan}
        model = {"name": entry.encoder, "max_length": ground.max_length}
        data = {"source": ground.name, "limit": ground.rows}
        uf.train(data, out, model, method, plan, seed, resume=True)
        shutil.rmtree(out / "checkpoints", ignore_errors=True)
    return out


def numbers(right: list[bool], definition: str) -> dict[str, Any]:
    """A share with its interval, and what became of each example."""
    score = proportion(sum(right), len(right), definition)
    held = "".join(str(int(one)) for one in right)
    return {"value": score.value, "low": score.low, "high": score.high, "n": score.n, "held": held}


def attacked(ground: Ground, entry: Entry, seed: int, attack: str, limit: int, settings: Any = None) -> dict[str, Any]:
    """Accuracy under an attack on the first texts of the test split."""
    model = str(trained(ground, entry, seed) / "model")
    encoder = "minilm" if attack == "textfooler" else None
    chosen = {"pwws_peer": PWWS_PEER, "other forms": OtherForms()}.get(attack, attack)
    limits = {"queries": None} if attack == "pwws_peer" else None
    done = uf.attack(
        model, ground.name, chosen, None, settings=settings, limit=limit, limits=limits, similarity=encoder
    )
    return numbers([one.outcome in SAFE for one in done.records], "right and held")


def answered(ground: Ground, entry: Entry, seed: int, data: str, each: int | None) -> dict[str, Any]:
    """Accuracy on a test split, or on its first so many texts of each class (yelp has three times as many glad ones).

    Classes go by their numbers: all data of two classes here have negative first.
    """
    model = load(str(trained(ground, entry, seed) / "model"))
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
    return numbers([bool(own == label) for own, label in zip(said, labels, strict=True)], "right")


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
    return {**own, "n": len(both), "held": held, "groups": [groups[group] for _, group in both], **others}


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


def cells(ground: Ground, named: Mapping[str, Sequence[str]]) -> Iterator[Cell]:
    """The most telling first; of some entries, seeds and questions only where these are named."""
    for cell in every_cell(ground):
        if all(not wanted or str(cell.key[name]) in wanted for name, wanted in named.items()):
            yield cell


def every_cell(ground: Ground) -> Iterator[Cell]:
    """All cells of a data set, the most telling first."""
    yield from main_cells(ground, (PLAIN, WORST, FREELB))
    if ground.name == "mr":
        yield from main_cells(ground, (LONGER,))
        yield from ablation_cells(ground)
        yield from form_cells(ground)
    if ground.name in ("mr", "agnews"):
        yield from main_cells(ground, PAPERS)


def told(option: str) -> list[str]:
    """What stands behind an option of the call, parted by semicolons."""
    return [part for word in sys.argv if word.startswith(f"--{option}=") for part in word.split("=", 1)[1].split(";")]


if __name__ == "__main__":
    named = [name for name in sys.argv[1:] if not name.startswith("--")]
    if "--table" not in sys.argv:
        for name in named or list(GROUNDS):
            fill(GROUNDS[name].rows_file, cells(GROUNDS[name], {key: told(option) for key, option in OPTIONS.items()}))
    write({name: read(ground.rows_file) for name, ground in GROUNDS.items()})
