"""Cases of behavioural tests: changes of the texts at hand (INV, DIR) and sentences of known answer (MFT)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from unfooled.text.changes import DIRECTIONAL, INVARIANT, perturbed
from unfooled.text.document import read
from unfooled.text.english.templates import templates_for
from unfooled.types import Texts

Expectation = Literal["INV", "DIR", "MFT"]
Rule = Literal["same", "is", "falls", "not lower", "not higher"]
KINDS: tuple[Expectation, ...] = ("INV", "DIR", "MFT")
# The kinds in words: what a case of each is called, and what it asks for (Ribeiro et al., Beyond Accuracy, 2020).
CALLED: dict[str, str] = {"INV": "meaning kept", "DIR": "meaning turned", "MFT": "known answer"}
ASKS: dict[Expectation, str] = {
    "INV": "the words change and the meaning does not, so the answer must stay (invariance, INV)",
    "DIR": "a change turns the meaning or adds to it, so the model must become more or less sure (direction, DIR)",
    "MFT": "a simple sentence whose right answer is known (minimum functionality, MFT)",
}

CAPABILITIES = {
    "typos": "Robustness", "contractions": "Robustness", "punctuation": "Robustness", "neutral": "Robustness",
    "names": "Entities", "places": "Entities", "numbers": "Entities", "synonyms": "Vocabulary",
    "negation": "Negation", "antonyms": "Vocabulary",
}  # fmt: skip
# Labels that a negation or an antonym turns over, and labels that neither moves.
POLAR = {"negative", "positive", "neg", "pos", "entailment", "contradiction", "support", "undermine", "true", "false"}
POLAR |= {"yes", "no", "supports", "refutes", "favor", "favour", "against", "agree", "disagree"}
BETWEEN = {"neutral", "neither", "none", "unknown", "unk", "other", "mixed", "not enough info"}


def in_words(kind: str) -> str:
    """A kind of case in words, anything else as it is.

    >>> in_words("INV"), in_words("layer 6")
    ('meaning kept (INV)', 'layer 6')
    """
    return f"{CALLED[kind]} ({kind})" if kind in CALLED else kind


@dataclass(frozen=True)
class Case:
    """Texts and what is expected of them; of INV and DIR the first is the original, which cannot fail.

    Rules: ``same``, the prediction is that of the original; ``is``, it is among ``classes``; ``falls``, the probability
    of ``classes`` is lower than for the original; ``not lower`` and ``not higher``, it is lower or higher by
    ``tolerance`` at most. Where a probability is meant and no class is named, it is that of the original's prediction.
    """

    test: str
    kind: Expectation
    capability: str
    texts: tuple[Texts, ...]
    rule: Rule
    classes: tuple[int, ...] = ()
    tolerance: float = 0.0


@dataclass(frozen=True)
class CaseRecord:
    """A case, the predictions and probabilities of its texts, and which of them fail, by place."""

    index: int
    test: str
    kind: Expectation
    capability: str
    texts: tuple[Texts, ...]
    rule: Rule
    classes: tuple[int, ...]
    predictions: tuple[int, ...]
    probabilities: tuple[tuple[float, ...], ...]
    failures: tuple[int, ...]


def invariance_cases(texts: Sequence[Texts], kinds: Sequence[str] = INVARIANT, seed: int = 0) -> list[Case]:
    """Each text with each change that keeps its meaning, one case each, test by test."""
    cases = [
        Case(one.kind, "INV", CAPABILITIES[one.kind], (tuple(texts[one.index]), one.texts), "same")
        for one in perturbed(texts, kinds, seed)
    ]
    return in_order(cases, kinds)


def directional_cases(
    texts: Sequence[Texts],
    labels: Sequence[int],
    names: Sequence[str],
    kinds: Sequence[str] = DIRECTIONAL,
    seed: int = 0,
    longest: int = 40,
) -> list[Case]:
    """Each text with each change that turns its meaning round: the probability of its label must fall.

    Texts of more than ``longest`` words, of which one word turns little, and texts whose label is in between
    (neutral) are left out.
    """
    rows = [
        row
        for row, text in enumerate(texts)
        if names[labels[row]].casefold() not in BETWEEN and len(read(text[-1])) <= longest
    ]
    cases = []
    for one in perturbed([texts[row] for row in rows], kinds, seed):
        row = rows[one.index]
        pair = (tuple(texts[row]), one.texts)
        cases.append(Case(one.kind, "DIR", CAPABILITIES[one.kind], pair, "falls", (int(labels[row]),)))
    return in_order(cases, kinds)


def turns_over(names: Sequence[str]) -> bool:
    """Whether labels are such that a negation turns one into another, by their names.

    >>> turns_over(("negative", "positive")), turns_over(("sport", "politics"))
    (True, False)
    """
    plain = [name.casefold().replace("_", " ") for name in names]
    return all(name in POLAR or name in BETWEEN for name in plain) and sum(name in POLAR for name in plain) > 1


def template_cases(names: Sequence[str], columns: int) -> list[Case]:
    """Sentences whose answer is known, where these labels and so many texts an example fit any."""
    place = {name.casefold(): number for number, name in enumerate(names)}
    return [
        Case(
            one.test,
            "MFT",
            one.capability,
            (one.texts,),
            "is",
            tuple(place[label] for label in one.labels if label in place),
        )
        for one in templates_for(tuple(names), columns)
    ]


def in_order(cases: Sequence[Case], kinds: Sequence[str]) -> list[Case]:
    """The cases test by test."""
    return [case for kind in kinds for case in cases if case.test == kind]
