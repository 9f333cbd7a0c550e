"""Differences that speak to claims: of rows of the fair test, or of rows that were made before it."""

import math
from collections.abc import Callable, Sequence
from pathlib import Path

import fair_atcl
import fair_clld
import fair_dcl
from claims_verdict import Evidence
from fair_cells import Place
from fair_differences import Paired, compared, compared_by_origin, matched, over_seeds, paired
from grid import Row, read

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "docs" / "results"


def held(paper: str, first: str, second: str, **key: str) -> Evidence:
    """Second less first by what was held, of rows of the fair test."""

    def find() -> Paired | None:
        return compared(*(learnt(at(paper).found(entry=entry, **key)) for entry in (first, second)))

    return find


def held_by_origin(paper: str, first: str, second: str, **key: str) -> Evidence:
    """The same of runs from several pre-trained encoders: encoders are what is drawn, not each run from one."""

    def find() -> Paired | None:
        return compared_by_origin(*(learnt(at(paper).found(entry=entry, **key)) for entry in (first, second)))

    return find


def learnt(rows: Sequence[Row]) -> list[Row]:
    """The rows of models that learnt something."""
    return [row for row in rows if not row.get("learnt_nothing")]


def valued(paper: str, first: str, second: str, **key: object) -> Evidence:
    """Second less first by values alone, seed by seed."""

    def find() -> Paired | None:
        one, two = matched(*(at(paper).found(entry=entry, **key) for entry in (first, second)))
        return by_seed(one, two, lambda row: float(row["value"]))

    return find


def by_seed(
    first: Sequence[Row], second: Sequence[Row], value: Callable[[Row], float], examples: int | None = None
) -> Paired | None:
    """The differences of rows with the same seed."""
    if examples is None:
        examples = next((int(row.get("n") or 0) for row in first), 0)
    apart = [value(two) - value(one) for one, two in zip(first, second, strict=True)]
    return over_seeds(apart, examples) if apart else None


def at(paper: str) -> Place:
    """Where the rows of a paper are."""
    return Place(paper, root=ROOT)


def earlier(file: str, first: str, second: str, value: Callable[[Row], float], n: int, **key: object) -> Evidence:
    """Second less first of n examples in rows that were made before, seed by seed."""
    name = "encoder" if "table" in key else "entry"

    def find() -> Paired | None:
        rows = [row for row in read(RESULTS / file) if all(row.get(what) == wanted for what, wanted in key.items())]
        sides = [[{"seed": 0, **row} for row in rows if row[name] == entry] for entry in (first, second)]
        return by_seed(*matched(*sides), value, n)

    return find


def attacked(row: Row) -> float:
    """Accuracy under k-PGD .1 of a row that was made before."""
    wanted = ("accuracy_under_attack", 0.1)
    return float(next(one["score"]["value"] for one in row["attacks"] if (one["metric"], one["eps"]) == wanted))


def confused(setting: str, control: str, entry: str) -> Evidence:
    """F1 of the classes that are confused."""

    def find() -> Paired | None:
        found = fair_clld.confused_f1(at("clld"), setting, control, entry)
        return None if found is None else found[0]

    return find


def likeness() -> Paired | None:
    """Zero-shot STS-B of DCL less its control's."""
    rows = matched(*(at("dcl").found(entry=entry, what="STS-B, mean") for entry in ("mlm", "dcl")))
    if not rows[0]:
        return None
    return paired(*([fair_dcl.correlation(one[0]["cosines"], one[0]["truth"])] for one in rows), rows[0][0]["n"])


def bleu() -> Paired | None:
    """BLEU of ATCL less the baseline's."""
    rows = matched(*(at("atcl").found(entry=entry, what="multi30k en-de") for entry in ("baseline", "ATCL")))
    return paired(*([fair_atcl.bleu_of(one[0])] for one in rows), rows[0][0]["n"]) if rows[0] else None


def surprise(control: str) -> Evidence:
    """Nats a word of ATCL less a control's."""

    def find() -> Paired | None:
        return fair_atcl.less(at("atcl"), control, "ATCL")

    return find


def tested(row: Row) -> float:
    """Test accuracy of a row that was made before."""
    return float(row["test"])


def last_hits(row: Row) -> float:
    """Hits by CLS of the last layer."""
    return float(row["cls"]["by_layer"][-1])


def contrast(row: Row) -> float:
    """Consistency of a row of CLINE's earlier table."""
    return float(row["contrast"]["con_pair"]["value"])


def perplexity(row: Row) -> float:
    """The logarithm of a test perplexity."""
    return math.log(row["scores"]["test perplexity"]["value"])
