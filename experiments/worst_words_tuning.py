"""Which settings of worst_words help, on training splits alone: ``python experiments/worst_words_tuning.py``.

The split is parted by a hash of its texts into rows to train on, rows to choose weights by, and rows that models are
put under attack on; the test split is never read. ``--data=agnews`` takes another data set than mr, ``--arms=a;b``
fills the cells of these arms alone, so that two processes can share the work.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from grid import Cell, fill, markdown, read

import unfooled as uf
from unfooled.attacks.records import SAFE
from unfooled.data.examples import load_examples
from unfooled.data.sources import DataSettings
from unfooled.files import write_whole
from unfooled.methods import METHODS
from unfooled.models.encoders.predict import probabilities
from unfooled.models.encoders.pretrained import load
from unfooled.scores.intervals import proportion
from unfooled.seeds import digest

DATA = next((word[7:] for word in sys.argv if word.startswith("--data=")), "mr")
RUNS = Path("runs/worst_words_tuning_more") / ("" if DATA == "mr" else DATA)
# worst_words-tuning.jsonl has those of 2,000 rows of mr
ROWS = Path(f"docs/results/worst_words-tuning-{'more' if DATA == 'mr' else DATA}.jsonl")
TRAINED = {"mr": 5600, "agnews": 4000, "imdb": 4000}
SIZES = {"train": TRAINED[DATA], "validation": 500, "test": 1000}  # "test" here: train rows that arms are compared on
MAX_LENGTH = 64 if DATA == "mr" else 128
PLAN = {
    "epochs": 3,
    "batch_size": 32,
    "average": 0.99,
    "choose_by": "robust",
    "packed": True,
    "save_every": 100,
    "precision": "auto",
}
ELSEWHERE = ("yelp", "imdb") if DATA == "mr" else ()  # other domains with the same labels
ATTACKS = {"pwws": 100, "deepwordbug": 60, "textfooler": 40}
# Of arms that say nothing else: words rise from the first step on, and are read as the tokenizer cuts them.
RISING = {"begin": 0.0, "warmup": 0.3, "whole_words": False}
LATER = {"begin": 0.2, "warmup": 0.2}  # the default: after a fifth of plain steps
BEHIND = {**LATER, "layer": 2}
CLOSER = {"pwws": 300, "deepwordbug": 200, "textfooler": 100}  # between 100 texts each a tenth is chance


@dataclass(frozen=True)
class Arm:
    """A way of training that is tried."""

    name: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    plan: Mapping[str, Any] = field(default_factory=dict)
    method: str = "worst_words"
    closer: bool = False  # whether it is put under attack on more texts
    gone: bool = False  # whether the code it was run with is no more: its line is shown, and it is not run

    @property
    def attacks(self) -> Mapping[str, int]:
        """How many texts each attack gets."""
        return CLOSER if self.closer else ATTACKS


MISSPELT = {"sources": ("any_sense", "near", "all", "typos", "typos", "typos"), "look_alikes": True}  # in half the rows
STRONG = {"sources": ("any_sense", "any_sense", "near", "typos", "typos", "all"), "turns": "off"}
ANYWHERE = {"start": 1.0, "start_share": 0.8}
FIVE = {"sources": ("wordnet", "any_sense", "near", "typos", "typos", "all"), **ANYWHERE}
LESS = {"start_share": 0.5, "share": (0.1, 0.6)}
SIX = {"sources": ("wordnet", "any_sense", "near", "typos", "typos", "mask", "all"), **ANYWHERE}
RECOGNISED = {**MISSPELT, "recognise": 0.5}
ARMS = (
    Arm("plain", method="finetune"),
    Arm("default"),
    Arm("no turns", {"turns": "off"}),
    Arm("typos in half", MISSPELT),
    Arm("recognise .5, typos in half", RECOGNISED),
    Arm("recognise .5, typos in half, no turns", {**RECOGNISED, "turns": "off"}),
    Arm("six epochs", plan={"epochs": 6}),
    Arm("plain, six epochs", plan={"epochs": 6}, method="finetune"),
    Arm("beta 5", {"beta": 5.0}),
    Arm("no random start", {"start": 0.0}),
    Arm("no turns, share .1 to .6", {"turns": "off", "share": (0.1, 0.6)}),
    Arm("no turns, no random start, share .1 to .6", {"turns": "off", "share": (0.1, 0.6), "start": 0.0}),
    Arm("no turns, no random start", {"turns": "off", "start": 0.0}),
    Arm("no turns, six epochs", {"turns": "off"}, {"epochs": 6}),
    Arm("at least half", {"share": (0.5, 1.0)}),
    Arm("all sources at once", {"sources": ("all",)}),
    Arm("two rounds", {"rounds": 2}),
    Arm("temperature 10", {"temperature": 10.0}),
    Arm("virtual labels, beta 4, no turns", {"turns": "off", "virtual": True, "beta": 4.0}),
    Arm("strong sources, no turns", STRONG),
    Arm("strong sources, all start anywhere, no turns", {**STRONG, **ANYWHERE}),
    Arm("strong sources, all start anywhere", {**STRONG, **ANYWHERE, "turns": "auto"}),
    Arm(
        "strong sources, all start anywhere, a tenth turned",
        {**STRONG, **ANYWHERE, "turns": "auto", "turned": 0.1},
    ),
    Arm(
        "strong sources, all start anywhere, no turns, six epochs",
        {**STRONG, **ANYWHERE},
        {"epochs": 6},
    ),
    Arm("with WordNet's, all start anywhere, a tenth turned", {**FIVE, "turned": 0.1}),
    Arm("with WordNet's, all start anywhere, no turns", {**FIVE, "turns": "off"}),
    Arm("with WordNet's, starts up to half, share .1 to .6, no turns", {**FIVE, **LESS, "turns": "off"}),
    Arm("all but inflections, all start anywhere, no turns", {**SIX, "turns": "off"}),
    Arm("all but inflections, all start anywhere, a tenth turned", {**SIX, "turned": 0.1}),
    Arm("strong sources, two rounds, no turns", {**STRONG, "rounds": 2}),
    Arm("strong sources, two rounds of .7, no turns", {**STRONG, "rounds": 2, "rows": 0.7}),
    Arm("strong sources, two rounds of .7, no turns, six epochs", {**STRONG, "rounds": 2, "rows": 0.7}, {"epochs": 6}),
    Arm("strong sources, two rounds of .7", {**STRONG, "rounds": 2, "rows": 0.7, "turns": "auto"}),
    Arm("plain, looked at closer", method="finetune", closer=True),
    Arm("with WordNet's, all start anywhere, a tenth turned, looked at closer", {**FIVE, "turned": 0.1}, closer=True),
    Arm("with WordNet's, half start anywhere, a tenth turned", {**FIVE, "turned": 0.1, "start": 0.5}, closer=True),
    Arm(
        "with WordNet's, all start anywhere, a tenth turned, a fifth of the steps plain",
        {**FIVE, "turned": 0.1, "begin": 0.2, "warmup": 0.2},
        closer=True,
    ),
    Arm("with WordNet's, half of the rows, which start anywhere", {**FIVE, "turned": 0.2, "rows": 0.5}, closer=True),
    Arm(
        "with WordNet's, half of the rows, which start anywhere, two tries",
        closer=True,
        gone=True,
    ),
    Arm("the default, lists learn", closer=True, gone=True),
    Arm("the default, batches of 16", LATER, {"batch_size": 16}, closer=True),
    # Prototypes of `layer` and `anchored`: misspellings of all words were read, not those of half of them.
    Arm("the default, words alone at layer 2", closer=True, gone=True),
    Arm("the default, words alone at layer 2, anchored", closer=True, gone=True),
    Arm("words alone at layer 2, held to the text, beta 4", closer=True, gone=True),
    # Prototypes of `whole_words` and `moved`: candidates of all words that the tokenizer knows were counted too, a
    # fifth each, and rare known ones moved by n_c · E[c] + 4 · m(c).
    Arm("plain, candidates as whole words", closer=True, gone=True),
    Arm("the default, candidates as whole words", closer=True, gone=True),
    Arm("the default, candidates as whole words, rare known ones moved", closer=True, gone=True),
    Arm("whole words", {**LATER, "whole_words": True}, closer=True),
    Arm("whole words, moved 4", {**LATER, "whole_words": True, "moved": 4.0}, closer=True),
    Arm("whole words, anchored, behind layer 2", {**BEHIND, "whole_words": True, "anchored": True}, closer=True),
    *(
        Arm(f"whole words, temperature {cooler}", {**LATER, "whole_words": True, "temperature": cooler}, closer=True)
        for cooler in (4, 10, 30)
    ),
    Arm("whole words, behind layer 2", {**BEHIND, "whole_words": True}, closer=True),
    Arm(
        "whole words, behind layer 2, more misspellings",
        {**BEHIND, "whole_words": True, "sources": ("wordnet", "any_sense", "near", *["typos"] * 4, "all")},
        closer=True,
    ),
    Arm("behind layer 2", {**LATER, "layer": 2}, closer=True),
    Arm("anchored", {**LATER, "anchored": True}, closer=True),
    Arm("anchored, behind layer 2", {**LATER, "anchored": True, "layer": 2}, closer=True),
    Arm("anchored, behind layer 2, beta 4", {**LATER, "anchored": True, "layer": 2, "beta": 4.0}, closer=True),
)


def parted() -> Path:
    """A data folder of the training rows, parted by a hash of their texts."""
    folder = RUNS / "data"
    if not (folder / "test.jsonl").is_file():
        rows = load_examples(DataSettings(source=DATA), 0)
        both = [split for split in (rows.train, rows.validation) if split is not None]
        lines = [
            (texts, rows.labels[label])
            for split in both
            for texts, label in zip(split.texts, split.labels, strict=True)
        ]
        lines.sort(key=lambda line: digest("tuning", *line[0]))
        folder.mkdir(parents=True, exist_ok=True)
        for name, size in SIZES.items():
            own, lines = lines[:size], lines[size:]
            written = [json.dumps({"text": texts[0], "label": label}) for texts, label in own]
            write_whole(folder / f"{name}.jsonl", "\n".join(written) + "\n")
    return folder


def trained(arm: Arm) -> Path:
    """The run of an arm, made or gone on with."""
    out = RUNS / arm.name.replace(" ", "-").replace(",", "")
    if not (out / "summary.json").is_file():
        own = {**RISING, **arm.settings} if arm.method == "worst_words" else arm.settings
        method = METHODS[arm.method].model_validate(own)
        model = {"name": "minilm", "max_length": MAX_LENGTH}
        uf.train(str(parted()), out, model, method, {**PLAN, **arm.plan}, 0, resume=True)
    return out


def clean(arm: Arm) -> dict[str, Any]:
    """Accuracy on the rows arms are compared on, and the seconds of training."""
    score = json.loads((trained(arm) / "summary.json").read_text())["scores"]["test accuracy"]
    return {name: score[name] for name in ("value", "low", "high", "n")}


def attacked(arm: Arm, attack: str) -> dict[str, Any]:
    """Accuracy under an attack."""
    encoder = "minilm" if attack == "textfooler" else None
    model = str(trained(arm) / "model")
    done = uf.attack(model, str(parted()), attack, None, limit=arm.attacks[attack], split="test", similarity=encoder)
    held = [one.outcome in SAFE for one in done.records]
    score = proportion(sum(held), len(held), "right and held")
    told = {"value": score.value, "low": score.low, "high": score.high, "n": score.n}
    return told | {"held": "".join(str(int(one)) for one in held)}


def elsewhere(arm: Arm, data: str) -> dict[str, Any]:
    """Accuracy on the first training rows of another domain, as many of each class; negative comes first in all."""
    each = 1500 if arm.closer else 500
    split = load_examples(DataSettings(source=data), 0).train
    places = [[place for place, label in enumerate(split.labels) if label == own][:each] for own in range(2)]
    rows = [place for own in places for place in own]
    said = probabilities(load(str(trained(arm) / "model")), [split.texts[place] for place in rows]).argmax(axis=1)
    right = sum(bool(own == split.labels[place]) for own, place in zip(said, rows, strict=True))
    score = proportion(right, len(rows), "right")
    return {"value": score.value, "low": score.low, "high": score.high, "n": score.n}


def cells(only: tuple[str, ...]) -> Iterator[Cell]:
    """Every number of every arm, or of those named."""
    for arm in ARMS:
        if not arm.gone and (not only or arm.name in only):
            yield Cell({"arm": arm.name, "what": "clean"}, partial(clean, arm))
            for data in ELSEWHERE:
                yield Cell({"arm": arm.name, "what": f"on {data}"}, partial(elsewhere, arm, data))
            for attack in arm.attacks:
                yield Cell({"arm": arm.name, "what": attack}, partial(attacked, arm, attack))


def table() -> str:
    """The arms, a line each."""
    rows = read(ROWS)
    what = ("clean", *(f"on {data}" for data in ELSEWHERE), *ATTACKS)
    lines = []
    for arm in ARMS:
        own = {row["what"]: row["value"] for row in rows if row["arm"] == arm.name}
        if own:
            lines.append([arm.name, *(f"{100 * own[one]:.1f}" if one in own else "" for one in what)])
    return markdown(["arm", *what], lines)


if __name__ == "__main__":
    named = tuple(part for word in sys.argv if word.startswith("--arms=") for part in word[7:].split(";"))
    if "--table" not in sys.argv:
        fill(ROWS, cells(named))
    print(table())
