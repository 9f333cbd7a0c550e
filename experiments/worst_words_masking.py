"""Whether what worst_words withstands is robustness or masking: ``python experiments/worst_words_masking.py``.

On the models of mr with the first seed, which ``worst_words.py`` trains: adversaries of
other models, other orders of words, every combination, the network's own gradients. Held-out sources are among the
ablations there; that attacks do not see how sure a model says it is, is a test of the suite.
"""

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from grid import Cell, Row, fill, markdown, read
from random_order import RandomOrder
from worst_words import FREELB, GROUNDS, PLAIN, WORST, Entry, numbers, trained

import unfooled as uf
from unfooled.attacks import PWWS_PEER
from unfooled.attacks.records import SAFE

ROWS = Path("docs/results/worst_words-masking.jsonl")
GROUND = GROUNDS["mr"]
ENTRIES = (PLAIN, FREELB, WORST)
TEXTS = 100
ORDERS = 5
EPS = (0.0, 0.1, 0.3, 1.0, 3.0, 10.0)  # a token's vector is 1.12 long


def run_of(entry: Entry) -> Path:
    """The run of an entry with the first seed."""
    return trained(GROUND, entry, 0)


def held_under(entry: Entry, attack: Any, name: str, seed: int = 0) -> list[bool]:
    """Which of the first texts are right and hold; the records stay beside the model."""
    out = run_of(entry) / "masking" / f"{name}-{seed}"
    limits = {"queries": None}
    done = uf.attack(
        str(run_of(entry) / "model"), "mr", attack, out, limit=TEXTS, limits=limits, similarity=None, seed=seed
    )
    return [one.outcome in SAFE for one in done.records]


def own(entry: Entry) -> dict[str, Any]:
    """Under PWWS itself, which every other number here is held against."""
    return numbers(held_under(entry, "pwws", "pwws"), "right and held")


def carried_over(entry: Entry, made_against: Entry) -> dict[str, Any]:
    """On the adversaries that PWWS made against another model."""
    held_under(made_against, "pwws", "pwws")
    stored = run_of(made_against) / "masking" / "pwws-0"
    out = run_of(entry) / "masking" / f"from-{made_against.name}"
    results = uf.evaluate(str(run_of(entry) / "model"), "mr", out, ["transfer"], adversaries=stored)
    return shares(results.rows)


def in_other_orders(entry: Entry) -> dict[str, Any]:
    """The worst of the peer's order and of five random ones, no limit of questions."""
    runs = [held_under(entry, PWWS_PEER, "pwws_peer")]
    runs += [held_under(entry, RandomOrder(), "random_order", seed) for seed in range(ORDERS)]
    one, every = (
        numbers(held, "right and held") for held in (runs[0], [all(held) for held in zip(*runs, strict=True)])
    )
    return {**every, "peer": one["value"]}


def every_combination(entry: Entry) -> dict[str, Any]:
    """The greedy attack and every combination of its substitutes, on texts that have few enough."""
    out = run_of(entry) / "masking" / "exhaustive"
    results = uf.evaluate(str(run_of(entry) / "model"), "mr", out, ["exhaustive"], limit=400)
    return shares(results.rows)


def by_gradients(entry: Entry) -> dict[str, Any]:
    """Under the white-box attack, ten starts of ten gradients."""
    return numbers(held_under(entry, "worst_words", "white_box"), "right and held")


def in_a_ball(entry: Entry) -> dict[str, Any]:
    """Under k-PGD at growing radii: it must end at nothing."""
    out, how = run_of(entry) / "masking" / "pgd", {"eps": EPS, "steps": 5}
    results = uf.evaluate(str(run_of(entry) / "model"), "mr", out, ["pgd"], pgd=how, limit=TEXTS)
    return {f"accuracy {row.eps}": row.score.value for row in results.rows if row.metric == "accuracy_under_attack"} | {
        "n": TEXTS
    }


def shares(rows: Any) -> dict[str, Any]:
    """The numbers of a trial by name, each with its interval and its n."""
    return {row.metric: {name: getattr(row.score, name) for name in ("value", "low", "high", "n")} for row in rows}


def cells() -> Iterator[Cell]:
    """The cheapest first."""
    tests = {
        "own": own,
        "adversaries of plain": partial(carried_over, made_against=PLAIN),
        "adversaries of freelb": partial(carried_over, made_against=FREELB),
        "k-PGD": in_a_ball,
        "every combination": every_combination,
        "gradients": by_gradients,
        "orders": in_other_orders,
    }
    for name, test in tests.items():
        for entry in ENTRIES:
            yield Cell({"entry": entry.name, "test": name}, partial(test, entry))


def table() -> str:
    """The tests, a line each, a column for each model."""
    rows = {(row["test"], row["entry"]): row for row in read(ROWS)}
    tests = dict.fromkeys(test for test, _ in rows)
    cells = [[test, *(told(rows.get((test, entry.name))) for entry in ENTRIES)] for test in tests]
    return markdown(["", *(entry.name for entry in ENTRIES)], cells)


def told(row: Row | None) -> str:
    """A cell in per cent."""
    if row is None:
        return ""
    if "accuracy_under_exhaustive" in row:
        pair = row["accuracy_under_greedy"], row["accuracy_under_exhaustive"]
        return " → ".join(f"{100 * one['value']:.1f}" for one in pair) + f" (n = {pair[0]['n']})"
    if "attack_success" in row:
        one = row["attack_success"]
        return f"{100 * one['value']:.1f} fooled [{100 * one['low']:.1f}, {100 * one['high']:.1f}] (n = {one['n']})"
    if "value" in row:
        return f"{100 * row['value']:.1f} [{100 * row['low']:.1f}, {100 * row['high']:.1f}]"
    return " · ".join(f"{100 * value:.0f}" for name, value in row.items() if name.startswith("accuracy"))


if __name__ == "__main__":
    if "--table" not in sys.argv:
        fill(ROWS, cells())
    print(table())
