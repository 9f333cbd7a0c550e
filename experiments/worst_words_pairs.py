"""Which settings of worst_words still hear a change of meaning in pairs: ``python experiments/worst_words_pairs.py``.

snli, on its training and validation rows alone: models are put under PWWS on validation rows, and asked about the
revisions that people wrote of *training* rows (the training split of cad_snli). ``--arms=a;b`` fills these arms alone.
"""

import gzip
import json
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from grid import Cell, fill, markdown, read
from worst_words_models import PLAN, numbers

import unfooled as uf
from unfooled.attacks.records import SAFE
from unfooled.files import write_whole
from unfooled.methods import METHODS
from unfooled.trials.contrast import pairs

RUNS, ROWS = Path("runs/worst_words_pairs"), Path("docs/results/worst_words-pairs.jsonl")
TRAINED, VALIDATION, COMPARED = 4000, 600, 2600  # rows; of validation the first 600, and those behind them
ASKED, UNDER_ATTACK = 400, 150  # originals with four revisions each; rows
TURNS = {"turns": {"entailment": "contradiction"}}
A_THIRD = {"share": (0.1, 0.4), "start_share": 0.3}


@dataclass(frozen=True)
class Arm:
    """A way of training that is tried."""

    name: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    method: str = "worst_words"


ARMS = (
    Arm("plain", method="finetune"),
    Arm("as it is", TURNS),
    Arm("half of the rows turned", {**TURNS, "turned": 0.5}),
    Arm("synonyms of the word's kind, near words, typos", {**TURNS, "sources": ("wordnet", "near", "typos", "all")}),
    Arm("a third of the words", {**TURNS, **A_THIRD}),
    Arm("beta .5", {**TURNS, "beta": 0.5}),
    Arm("the last text alone", {**TURNS, "of_pairs": "last"}),
    Arm("the last text alone, a third of its words", {**TURNS, **A_THIRD, "of_pairs": "last"}),
    Arm("the last text alone, half of the rows turned", {**TURNS, "of_pairs": "last", "turned": 0.5}),
    Arm("other words of a kind", {**TURNS, "sisters": True}),
    Arm("other words of a kind, three in ten turned", {**TURNS, "sisters": True, "turned": 0.3}),
    Arm("other words of a kind, six in ten turned", {**TURNS, "sisters": True, "turned": 0.6}),
    Arm(
        "the last text alone, other words of a kind, three in ten turned",
        {**TURNS, "of_pairs": "last", "sisters": True, "turned": 0.3},
    ),
    Arm(
        "the last text alone, other words of a kind, six in ten turned",
        {**TURNS, "of_pairs": "last", "sisters": True, "turned": 0.6},
    ),
)


def rows_of(data: str, split: str) -> list[dict[str, Any]]:
    """The rows of a split, as they are written."""
    path = Path(os.environ["UNFOOLED_DATA"]) / data / f"{split}.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def folders() -> tuple[Path, Path]:
    """The rows to learn from and to be attacked on, without those that people revised; and the revised ones."""
    learnt, asked = RUNS / "data", RUNS / "revised"
    if not (asked / "test.jsonl").is_file():
        revised = rows_of("cad_snli", "train")
        known = {(row["premise"], row["hypothesis"]) for row in revised}
        training = [row for row in rows_of("snli", "train") if (row["premise"], row["hypothesis"]) not in known]
        validation = rows_of("snli", "validation")
        parts = {
            "train": training[:TRAINED],
            "validation": validation[:VALIDATION],
            "test": validation[VALIDATION:COMPARED],
        }
        for name, own in parts.items():
            written_down(learnt / f"{name}.jsonl", own)
        written_down(asked / "test.jsonl", [row for row in revised if row["pair"] < ASKED])
    return learnt, asked


def written_down(path: Path, rows: list[dict[str, Any]]) -> None:
    """Write rows, a line each."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, "".join(json.dumps(row) + "\n" for row in rows))


def trained(arm: Arm) -> Path:
    """The run of an arm, made or gone on with."""
    out = RUNS / arm.name.replace(" ", "-").replace(",", "").replace("'", "")
    if not (out / "summary.json").is_file():
        method = METHODS[arm.method].model_validate(dict(arm.settings))
        model, plan = {"name": "minilm", "max_length": 64}, {**PLAN, "packed": True, "precision": "auto"}
        uf.train(str(folders()[0]), out, model, method, plan, 0, resume=True)
    return out


def clean(arm: Arm) -> dict[str, Any]:
    """Accuracy on validation rows that weights were not chosen by."""
    score = json.loads((trained(arm) / "summary.json").read_text())["scores"]["test accuracy"]
    return {name: score[name] for name in ("value", "low", "high", "n")}


def attacked(arm: Arm) -> dict[str, Any]:
    """Accuracy on some of them under PWWS."""
    done = uf.attack(str(trained(arm) / "model"), str(folders()[0]), "pwws", None, limit=UNDER_ATTACK, split="test")
    return numbers([one.outcome in SAFE for one in done.records], "right and held")


def revised(arm: Arm) -> dict[str, Any]:
    """An original and its revision right together; and each of them."""
    run, asked = trained(arm), str(folders()[1])
    results = uf.evaluate(str(run / "model"), asked, run / "revised", ["contrast"], contrast=asked)
    scores = {row.metric: row.score for row in results.rows}
    both = [one.right and other.right for one, other in pairs(results.trials[0].records)]
    return {**numbers(both, "both right"), "ori": scores["ori"].value, "rev": scores["rev"].value}


def cells(only: tuple[str, ...]) -> Iterator[Cell]:
    """Every number of every arm, or of those named."""
    for arm in ARMS:
        if not only or arm.name in only:
            for what, found in {"clean": clean, "revised": revised, "pwws": attacked}.items():
                yield Cell({"arm": arm.name, "what": what}, partial(found, arm))


def table() -> str:
    """The arms, a line each, in per cent."""
    lines = []
    for arm in ARMS:
        own = {row["what"]: row for row in read(ROWS) if row["arm"] == arm.name}
        asked = own.get("revised", {})
        values = [own.get(what, {}).get("value") for what in ("clean", "pwws", "revised")]
        values += [asked.get("ori"), asked.get("rev")]
        lines.append([arm.name, *("" if value is None else f"{100 * value:.1f}" for value in values)])
    return markdown(["arm", "clean", "PWWS", "both of a pair right", "original right", "revision right"], lines)


if __name__ == "__main__":
    named = tuple(part for word in sys.argv if word.startswith("--arms=") for part in word[7:].split(";"))
    if "--table" not in sys.argv:
        fill(ROWS, cells(named))
    print(table())
