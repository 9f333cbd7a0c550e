"""The papers' claims, what was tested of them, and what came out: ``make claims`` (docs/claims.md, docs/papers/*.md).

A verdict is read off the 95 % interval of a paired difference. *Seen*: it lies on the claimed side of 0. *Not seen*: what
the paper reports lies beyond it, so an effect of that size would have shown. Else it *cannot be told at this size*; and
*not run yet* says just that. Rows of the fair test (``fair.py``) count; where there are none yet, rows made
before the methods were mended stand in, and are called so.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import fair_atcl
import fair_clld
import fair_dcl
from fair_carl import MOVEMENT
from fair_cells import Place
from fair_differences import Paired, compared, matched, over_seeds, paired
from grid import Row, markdown, read

from unfooled.files import write_whole

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "docs" / "results"
HEAD = ["claim of the paper", "our test", "verdict", "difference [95 %]", "paper", "least to be seen", "n", "seeds"]
BEGIN, END = "<!-- claims: made by experiments/claims.py -->", "<!-- end of claims -->"
Evidence = Callable[[], Paired | None]


@dataclass(frozen=True)
class Claim:
    """What a paper says, how it is tested here, and the size it reports (its sign says which way)."""

    paper: str
    where: str
    says: str
    test: str
    reported: float
    fair: Evidence
    before: Evidence = lambda: None  # rows of the method before it was mended
    factor: float = 100  # from the difference to what is printed
    unit: str = "points"
    same: bool = True  # whether what the paper prints is of the same measure

    def line(self) -> list[str]:
        """Its line of the table."""
        found, before = self.fair(), self.before()
        used = found if found is not None else before
        claim = f"{self.where}: {self.says}"
        reported = f"{self.reported:+g} {self.unit}".strip() if self.same else f"{self.reported:+g}, another measure"
        if used is None:
            return [claim, self.test, "not run yet", "", reported, "", "", ""]
        said = verdict(used, self.reported / self.factor, self.same) + (
            "" if found is not None else " (before the mending)"
        )
        known = math.isfinite(used.high)
        digits = 1 if self.factor == 100 or self.unit == "BLEU" else 3
        shown = used.shown(self.factor, digits) if known else f"{self.factor * used.value:+.{digits}f}, no interval"
        least = f"{self.factor * used.least:.{digits}f}" if known else ""
        return [
            claim,
            self.test,
            said,
            shown,
            reported,
            least,
            f"{used.examples:,}" if used.examples else "",
            str(used.seeds),
        ]


def verdict(found: Paired, reported: float, same: bool = True) -> str:
    """What an interval says of a reported difference; of another measure only the direction is asked."""
    low, high = (found.low, found.high) if reported > 0 else (-found.high, -found.low)
    if low > 0:
        return "seen"
    return "not seen" if high < (abs(reported) if same else 0) else "cannot be told at this size"


def held(paper: str, first: str, second: str, **key: str) -> Evidence:
    """Second less first by what was held, of rows of the fair test."""

    def find() -> Paired | None:
        return compared(*(at(paper).found(entry=entry, **key) for entry in (first, second)))

    return find


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
    rows = [at("dcl").found(entry=entry, what="STS-B, mean") for entry in ("mlm", "dcl")]
    if not all(rows):
        return None
    return paired(*([fair_dcl.correlation(one[0]["cosines"], one[0]["truth"])] for one in rows), rows[0][0]["n"])


def bleu() -> Paired | None:
    """BLEU of ATCL less the baseline's."""
    rows = [at("atcl").found(entry=entry, what="multi30k en-de") for entry in ("baseline", "ATCL")]
    return paired(*([fair_atcl.bleu_of(one[0])] for one in rows), rows[0][0]["n"]) if all(rows) else None


def surprise(control: str) -> Evidence:
    """Nats a word of the best arm of ATCL less a control's."""

    def find() -> Paired | None:
        best = fair_atcl.less(at("atcl"), control, fair_atcl.BEST)
        return best if best is not None else fair_atcl.less(at("atcl"), control, "ATCL")

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


SST2 = {"data": "sst2"}
CLAIMS = (
    Claim("carl", "Table 2", "CARL is more accurate than FreeLB (SST-2)", "SST-2, clean test texts", 0.54,
          held("carl", "freelb", "carl", what="clean", **SST2),
          earlier("carl-rar-sst2.jsonl", "freelb", "carl", tested, 1821)),
    Claim("carl", "Table 5", "CARL holds better than FreeLB under k-PGD .1 (AG's News)", "SST-2, k-PGD .1", 2.1,
          held("carl", "freelb", "carl", what="k-PGD 0.1", **SST2), earlier("carl-rar-sst2.jsonl", "freelb", "carl", attacked, 200)),
    Claim("carl", "Table 5", "and not for its cost alone", "SST-2, k-PGD .1, against FreeLB with a pass more", 2.1,
          held("carl", "freelb, a pass more", "carl", what="k-PGD 0.1", **SST2)),
    Claim("carl", "Table 4", "representations move less than FreeLB's (1 − cosine at .1: .083 against .101)",
          "movement over class separation at .1, SST-2", -0.018,
          valued("carl", "freelb", "carl", what=MOVEMENT, **SST2), factor=1, unit="", same=False),
    Claim("rar", "Table 2", "RAR is more accurate than FreeLB (SST-2)", "SST-2, clean test texts", 0.5,
          held("carl", "freelb", "rar", what="clean", **SST2),
          earlier("carl-rar-sst2.jsonl", "freelb", "rar", tested, 1821)),
    Claim("rar", "Table 5", "RAR holds better than FreeLB under k-PGD .1 (AG's News)", "SST-2, k-PGD .1", 0.6,
          held("carl", "freelb", "rar", what="k-PGD 0.1", **SST2), earlier("carl-rar-sst2.jsonl", "freelb", "rar", attacked, 200)),
    Claim("rar", "Table 4", "representations move least (1 − cosine at .1: .074 against .101)",
          "movement over class separation at .1, SST-2", -0.027,
          valued("carl", "freelb", "rar", what=MOVEMENT, **SST2), factor=1, unit="", same=False),
    Claim("clld", "Table II", "label distances raise accuracy over plain training (TextCNN, TREC-6)", "trec6, TextCNN, adaptive", 0.6,
          held("clld", "plain", "adaptive", setting="trec6-textcnn", what="accuracy"),
          earlier("clld.jsonl", "finetune", "adaptive", tested, 500, setting="trec6-textcnn")),
    Claim("clld", "Table III", "adaptive distances beat contrast without them (20NG, BERT)", "20ng, TextCNN, adaptive against supcon", 0.26,
          held("clld", "supcon", "adaptive", setting="20ng-textcnn", what="accuracy"),
          earlier("clld.jsonl", "supcon", "adaptive", tested, 7532, setting="20ng-textcnn")),
    Claim("clld", "its aim", "confused labels are told apart better",
          "F1 of the classes confused most, 20ng, TextCNN, adaptive against supcon", 0.26,
          confused("20ng-textcnn", "supcon", "adaptive"), same=False),
    Claim("dcl", "Figure 3", "power normalisation keeps random pairs apart, none does not (.790 against collapse, taken as 1)",
          "random pairs' projections without normalisation less with power, trained encoder, rate 1e-5", 0.21,
          valued("dcl", "power", "none", what="collapse", encoder="trained", rate=1e-5),
          earlier("dcl.jsonl", "dcl", "dcl without norm", lambda row: float(row["alike"]["projection random cosine"]), 128,
                  table="collapse"),
          factor=1, unit=""),
    Claim("dcl", "Table 1", "DCL's texts serve tasks better than its base (GLUE, mean +0.7)", "zero-shot STS-B, DCL less MLM, mean states", 0.7,
          likeness, same=False),
    Claim("dcl", "Table 1", "the same", "linear probe on SST-2, DCL less MLM", 0.7, held("dcl", "mlm", "dcl", what="probe, sst2"),
          same=False),
    Claim("cline", "Table 7", "CLINE tells synonyms from antonyms where its base does not (CLS, BERT +15.6)",
          "Hits by CLS of the last layer, CLINE less MLM of as many steps", 15.6, held("cline", "mlm", "cline", what="hits, cls"),
          earlier("cline.jsonl", "mlm", "cline", last_hits, 467, table="hits")),
    Claim("cline", "Table 6", "it is the hard negatives that do it (PERSPECTRUM, Con +6.3)",
          "Hits by CLS of the last layer, CLINE less random negatives", 6.3, held("cline", "random negatives", "cline", what="hits, cls"),
          earlier("cline.jsonl", "cline with random negatives", "cline", last_hits, 467, table="hits"), same=False),
    Claim("cline", "Table 3", "fine-tuned, it is more consistent on contrast sets (PERSPECTRUM, Con +7.2)",
          "contrast_perspectrum, CLINE less MLM", 7.2, held("cline", "mlm", "cline", what="consistency, perspectrum"),
          earlier("cline.jsonl", "mlm", "cline", contrast, 217, table="contrast", data="perspectrum", method="finetune",
                  fraction=1.0)),
    Claim("cline", "Table 3", "BoolQ, Con +3.9", "contrast_boolq, CLINE less MLM", 3.9, held("cline", "mlm", "cline", what="consistency, boolq")),
    Claim("atcl", "Table 2", "ATCL lowers perplexity (Penn Treebank, 36.1 → 29.1; that model sees the future)",
          "ptb, 100 · log perplexity, best arm less baseline, each at its own rate", -21.7, surprise("baseline"),
          earlier("atcl.jsonl", "baseline", "ATCL n=10", perplexity, 82430, setting="ptb"), unit="log points", same=False),
    Claim("atcl", "Table 2", "and its adversary is what does it", "ptb, the same less the arm whose adversary does not move (eps 0)", -21.7,
          surprise("ATCL, eps 0"), unit="log points", same=False),
    Claim("atcl", "translation", "ATCL raises BLEU (IWSLT En-De, n = 10)", "Multi30k English to German, ATCL n = 10 less baseline", 0.65, bleu,
          factor=1, unit="BLEU"),
)  # fmt: skip
PAPERS = {
    "carl": "CARL", "rar": "RAR", "clld": "CLLD", "dcl": "DCL", "cline": "CLINE", "atcl": "ATCL",
}  # fmt: skip
# Tables of the papers that have no counterpart here, and why.
WITHOUT = {
    "carl": "Yahoo! and Yelp-P of Table 2: full-size data and ALBERT-base are beyond a laptop; SST-2 and AG's News stand for them. "
    "Table 3 lists settings.",
    "rar": "Yahoo! and Yelp-P of Table 2, as for CARL. Table 6 (text-form adversaries) is shown below by examples, which prove nothing of a rate.",
    "clld": "BERT and ALBERT columns of Table II: not to be had here; MiniLM on TREC-6 stands for them. R52: 300 validation rows for 52 "
    "classes gave distances that were noise.",
    "dcl": "QQP, MNLI, QNLI and SQuAD at full size, and everything on BERT-base; RTE and DialogRE at 1,000 rows were learnt by nobody (one "
    "answer for all) and count for nothing. Table 3 (PWWS) has 60 texts a cell here, too few to tell.",
    "cline": "RoBERTa-base and 30,000 steps; AG's News and IMDB of Table 5; the 1 % and 10 % rows of Table 6 ended at the majority answer here.",
    "atcl": "WikiText-103 (Table 2) and all IWSLT pairs, for which Multi30k English to German stands: too long for a laptop. "
    "Nearest words and continuations are shown by examples, which prove nothing of a rate.",
}


def lines(paper: str) -> list[list[str]]:
    """The lines of a paper's table."""
    return [claim.line() for claim in CLAIMS if claim.paper == paper]


def block(paper: str) -> str:
    """What stands in a paper's page."""
    told = "Verdicts are read off intervals as [claims.md](../claims.md) says."
    return "\n\n".join([BEGIN, markdown(HEAD, lines(paper)), told, f"No counterpart here: {WITHOUT[paper]}", END])


def page() -> str:
    """docs/claims.md."""
    parts = ["# What the papers claim, and what was seen here", INTRODUCTION]
    for paper, claims in groupby(CLAIMS, key=lambda claim: claim.paper):
        own = [claim.line() for claim in claims]
        parts += [
            f"## [{PAPERS[paper]}](papers/{paper}.md)",
            markdown(HEAD, own),
            f"No counterpart here: {WITHOUT[paper]}",
        ]
    return "\n\n".join(parts) + "\n"


INTRODUCTION = """This page is made from rows (`docs/results/*.jsonl`) by `make claims`; it fills as cells of `make results-fair` come.
Every difference is paired: the same seeds and the same texts on both sides; its interval draws both again (one seed: texts alone, and it speaks of
these two models only).

- **seen**: the whole interval lies on the claimed side of 0.
- **not seen**: what the paper reports lies beyond the interval; an effect of that size would have shown.
- **cannot be told at this size**: neither. *Least to be seen* is the difference that this design would have found in 80 % of cases.
- **not run yet**: no rows. **(before the mending)**: rows made with the method as it was before its settings were put right (CARL's weight, R behind dropout, RAR's head
  without a lead, CLLD's twins behind dropout, ten times DCL's rate, CLINE's cut versions, ATCL's inert adversary); they say little of the method as it is now.

*paper* is the size that the paper prints, for its own models and data. Where that is of another measure, only its direction is asked for."""


def written(text: str, paper: str) -> str:
    """A paper's page with its table as it is now; the place is marked in it."""
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    if not rest or not after:
        raise ValueError(f"docs/papers/{paper}.md has no place for its claims: {BEGIN} … {END}")
    return before + block(paper) + after


def pages() -> dict[Path, str]:
    """Every page that is made of claims, as it should be now."""
    made = {ROOT / "docs" / "claims.md": page()}
    for paper in PAPERS:
        path = ROOT / "docs" / "papers" / f"{paper}.md"
        made[path] = written(path.read_text(encoding="utf-8"), paper)
    return made


if __name__ == "__main__":
    for path, text in pages().items():
        write_whole(path, text)
        print(f"wrote {path.relative_to(ROOT)}")
