"""Whether what worst_words withstands is robustness or masking: cells of ``worst_words.py``, on mr, of the first seed.

Adversaries of other models, other orders of words, every combination, the network's own gradients. Held-out sources are
among the ablations; that attacks do not see how sure a model says it is, is a test of the suite.
"""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from grid import Cell
from random_order import RandomOrder
from worst_words_grounds import FREELB, GROUNDS, PLAIN, WORST, Entry
from worst_words_models import numbers, trained

import unfooled as uf
from unfooled.attacks import PWWS_PEER
from unfooled.attacks.records import SAFE

GROUND = GROUNDS["mr"]
ENTRIES = (PLAIN, FREELB, WORST)
TEXTS = 100
ORDERS = 5
EPS = (0.0, 0.1, 0.3, 1.0, 3.0, 10.0)  # a token's vector is 1.12 long


def run_of(entry: Entry) -> Path:
    """The run of an entry with the first seed."""
    return trained(GROUND, entry, 0)


def outcomes(entry: Entry, attack: Any, name: str) -> list[str]:
    """What became of the texts, which are always the same; the records stay beside the model."""
    model, out = str(run_of(entry) / "model"), run_of(entry) / "masking" / name
    done = uf.attack(model, "mr", attack, out, limit=TEXTS, limits={"queries": None}, similarity=None)
    return [one.outcome for one in done.records]


def held_under(entry: Entry, attack: Any, name: str) -> list[bool]:
    """Which of the texts are right and hold."""
    return [outcome in SAFE for outcome in outcomes(entry, attack, name)]


def own(entry: Entry) -> dict[str, Any]:
    """Under PWWS itself, which every other number here is held against."""
    found = outcomes(entry, "pwws", "pwws")
    fooled = [outcome == "fooled" for outcome in found if outcome != "already wrong"]
    return {**numbers([outcome in SAFE for outcome in found], "right and held"), "fooled": sum(fooled) / len(fooled)}


def carried_over(entry: Entry, made_against: Entry) -> dict[str, Any]:
    """On the adversaries that PWWS made against another model."""
    held_under(made_against, "pwws", "pwws")
    stored = run_of(made_against) / "masking" / "pwws"
    out = run_of(entry) / "masking" / f"from-{made_against.name}"
    results = uf.evaluate(str(run_of(entry) / "model"), "mr", out, ["transfer"], adversaries=stored)
    return shares(results.rows)


def in_other_orders(entry: Entry) -> dict[str, Any]:
    """The worst of the peer's order and of five random ones, no limit of questions."""
    runs = [held_under(entry, PWWS_PEER, "pwws_peer")]
    runs += [held_under(entry, RandomOrder(order=order), f"random_order-{order}") for order in range(ORDERS)]
    one, every = (
        numbers(held, "right and held") for held in (runs[0], [all(held) for held in zip(*runs, strict=True)])
    )
    return {**every, "peer": one["value"]}


def every_combination(entry: Entry, most: int) -> dict[str, Any]:
    """The greedy attack and every combination of its substitutes, on ``most`` texts that have few enough."""
    out = run_of(entry) / "masking" / f"exhaustive-{most}"
    how, limit = {"exhaustive": {"most": most}}, 8 * most  # at least an eighth of the texts are small enough
    results = uf.evaluate(str(run_of(entry) / "model"), "mr", out, ["exhaustive"], settings=how, limit=limit)
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


def masking_cells() -> Iterator[Cell]:
    """The cheapest first."""
    tests: dict[str, Callable[[Entry], dict[str, Any]]] = {
        "own": own,
        "adversaries of plain": partial(carried_over, made_against=PLAIN),
        "adversaries of freelb": partial(carried_over, made_against=FREELB),
        "k-PGD": in_a_ball,
        "every combination": partial(every_combination, most=50),
        "gradients": by_gradients,
        "orders": in_other_orders,
        "every combination, more texts": partial(every_combination, most=200),
    }
    for name, test in tests.items():
        for entry in ENTRIES:
            yield Cell({"data": "mr", "entry": entry.name, "seed": 0, "what": name}, partial(test, entry))
