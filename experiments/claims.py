"""The papers' claims, what was tested of them, and what came out: ``make claims`` (docs/claims.md, docs/papers/*.md).

A verdict is read off the 95 % interval of a paired difference. *Seen*: it lies on the claimed side of 0. *Not seen*:
what the paper reports lies beyond it, so an effect of that size would have shown. Else it *cannot be told at this
size*; and *not run yet* says just that. Rows of the fair test (``fair.py``) count; where there are none yet, rows
made before the methods were mended stand in, and are called so.
"""

from itertools import groupby
from pathlib import Path

from claims_evidence import ROOT
from claims_list import CLAIMS
from grid import markdown

from unfooled.files import write_whole

HEAD = ["claim of the paper", "our test", "verdict", "difference [95 %]", "paper", "least to be seen", "n", "seeds"]
BEGIN, END = "<!-- claims: made by experiments/claims.py -->", "<!-- end of claims -->"

PAPERS = {"carl": "CARL", "rar": "RAR", "clld": "CLLD", "dcl": "DCL", "cline": "CLINE", "atcl": "ATCL"}
# Tables of the papers that have no counterpart here, and why.
WITHOUT = {
    "carl": "Yahoo! and Yelp-P of Table 2: full-size data and ALBERT-base are beyond a laptop; SST-2 and AG's News "
    "stand for them. Table 3 lists settings.",
    "rar": "Yahoo! and Yelp-P of Table 2, as for CARL. Table 6 (text-form adversaries) is shown below by examples, "
    "which prove nothing of a rate.",
    "clld": "BERT and ALBERT columns of Table II: not to be had here; MiniLM on TREC-6 stands for them. R52: 300 "
    "validation rows for 52 classes gave distances that were noise."
    " Table III stands with TextCNN in BERT's place, its contrast alone as the control.",
    "dcl": "QQP, MNLI, QNLI and SQuAD at full size, and everything on BERT-base; RTE and DialogRE at 1,000 rows were "
    "learnt by nobody (one answer for all) and count for nothing. Table 3 (PWWS) has 60 texts a cell here, too few to "
    "tell.",
    "cline": "RoBERTa-base and 30,000 steps; the IMDB and SNLI columns of Table 3, for which PERSPECTRUM and BoolQ "
    "stand (what is below of IMDB and SNLI is of one seed, before the mending); AG's News and IMDB of Table 5; the 1 % "
    "and 10 % rows of Table 6 ended at the majority answer here.",
    "atcl": "WikiText-103 (Table 2) and all IWSLT pairs, for which Multi30k English to German stands: too long for a "
    "laptop. Nearest words, continuations and Table 7 (a translation and the same with a word moved, side by side) are "
    "shown by examples, which prove nothing of a rate.",
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
    parts = ["# What the papers claim, and what was seen here", INTRODUCTION, many(len(CLAIMS))]
    for paper, claims in groupby(CLAIMS, key=lambda claim: claim.paper):
        own = [claim.line() for claim in claims]
        parts += [
            f"## [{PAPERS[paper]}](papers/{paper}.md)",
            markdown(HEAD, own),
            f"No counterpart here: {WITHOUT[paper]}",
        ]
    return "\n\n".join(parts) + "\n"


def many(tests: int) -> str:
    """How many tests a page shows, and how many of them chance alone would call seen."""
    chance = 0.025 * tests
    return (
        f"*Many tests*: this page has {tests} at 95 %, none of them corrected for the others. Were no claim true, some "
        f"{chance:.1f} would be called seen by chance; tests of one paper share models and texts, and err together."
    )


INTRODUCTION = """This page is made from rows (`docs/results/*.jsonl`) by `make claims`; it fills as cells of
`make results-fair` come.
Every difference is paired: the same seeds and the same texts on both sides; its interval draws both again (one seed:
texts alone, and it speaks of these two models only).

- **seen**: the whole interval lies on the claimed side of 0.
- **not seen**: what the paper reports lies beyond the interval; an effect of that size would have shown.
- **cannot be told at this size**: neither. *Least to be seen* is the difference that this design would have found in
  80 % of cases.
- **not run yet**: no rows. **before the mending**: rows made with the method as it was before its settings were put
  right (CARL's weight, R behind dropout, RAR's head without a lead, CLLD's twins behind dropout, ten times DCL's
  rate, CLINE's cut versions, ATCL's inert adversary); they say little of the method as it is now.

*paper* is the size that the paper prints, for its own models and data. Where that is of another measure, only its
direction is asked for."""


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
