"""The data sets and the ways of training of ``worst_words.py``."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from unfooled.methods import METHODS

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
    settings: Mapping[str, Any] = field(default_factory=dict)  # of worst_words on these data, chosen on training rows
    elsewhere: tuple[str, ...] = ()  # other domains with the same labels
    contrast: tuple[str, ...] = ()  # human contrast sets

    @property
    def rows_file(self) -> Path:
        """Where its rows are."""
        return Path(f"docs/results/worst_words-{self.name}.jsonl")


ENTAILMENT = {"turns": {"entailment": "contradiction"}, "turned": 0.3, "sisters": True, "of_pairs": "last"}
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
            settings={"turns": {"SUPPORT": "UNDERMINE", "UNDERMINE": "SUPPORT"}},
            contrast=("contrast_perspectrum",),
        ),
        Ground("snli", rows=6000, settings=ENTAILMENT, contrast=("cad_snli",)),
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
    Entry("in half precision", "worst_words", WORST.settings, {"precision": "bf16"}),  # the control of newer lines
    Entry("no average", "worst_words", WORST.settings, {"average": None}),
    Entry("clean choice", "worst_words", WORST.settings, {"choose_by": None}),
    # The look that weights are chosen by has all sources, so that it would not be held out of the choice.
    *(
        Entry(f"without {name}", "worst_words", without(*names), {"choose_by": None})
        for name, names in HELD_OUT.items()
    ),
    *(Entry(f"{name} alone", "worst_words", {"sources": (name,)}) for name in dict.fromkeys(SOURCES[:-1])),
)
