"""Texts of trials of language models and translators, each with what every model made of it, side by side."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import TypeAdapter, ValidationError

from unfooled.errors import BadInput
from unfooled.evaluation.language_results import Found
from unfooled.evaluation.metrics import Score, proportion

CHANGED = "changed by the moved word"  # the name of a share
AS_IT_IS, MOVED = "as it is", "with the word moved"
# What a model's column, or columns, of a trial hold.
COLUMNS: dict[str, tuple[str, ...]] = {
    "neighbours": ("nearest words, with their distances",),
    "continuation": (AS_IT_IS, MOVED),
    "quality": ("written",),
    "side_by_side": (AS_IT_IS, MOVED),
}


@dataclass(frozen=True)
class Passage:
    """A text, the word of it that is moved or asked about, its reference, and what each model wrote by column.

    ``start`` is where the word stands in the text, -1 where none is.
    """

    text: str
    word: str
    reference: str
    written: dict[str, tuple[str, ...]]
    start: int = -1

    @property
    def moved(self) -> bool:
        """Whether some model wrote one thing in one column and another in the next."""
        return any(len(set(columns)) > 1 for columns in self.written.values())

    @property
    def cut(self) -> tuple[str, str, str]:
        """The text before the word, the word, and the text behind it.

        >>> Passage("the old man", "old", "", {}, 4).cut
        ('the ', 'old', ' man')
        """
        if self.start < 0 or not self.word:
            return self.text, "", ""
        end = self.start + len(self.word)
        return self.text[: self.start], self.word, self.text[end:]


@dataclass(frozen=True)
class Continued:
    """A text up to its moved word, and how a model went on."""

    text: str
    word: str
    clean: str
    perturbed: str


@dataclass(frozen=True)
class Near:
    """A word and those nearest to it."""

    word: str
    nearest: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class Written:
    """A source, its reference, and what a model wrote."""

    source: str
    reference: str
    written: str


@dataclass(frozen=True)
class SideBySide:
    """A source with one word marked, its reference, and each model's translation, without and with the perturbation."""

    source: str
    word: str
    reference: str | None
    clean: dict[str, str]
    perturbed: dict[str, str]


FORMS: dict[str, TypeAdapter[Any]] = {
    "neighbours": TypeAdapter(Near),
    "continuation": TypeAdapter(Continued),
    "quality": TypeAdapter(Written),
    "side_by_side": TypeAdapter(SideBySide),
}


def passages(found: Sequence[Found], trial: str) -> list[Passage]:
    """The texts of a trial in the order of their first occurrence, each with the models that have it."""
    whole: dict[tuple[str, str], Passage] = {}
    for each in found:
        if each.trial == trial and trial in FORMS:
            for text in each.texts:
                one = passage(each.model, trial, text)
                before = whole.get((one.text, one.word))
                written = {**(before.written if before is not None else {}), **one.written}
                whole[one.text, one.word] = replace(one, written=written)
    return list(whole.values())


def passage(model: str, trial: str, text: Any) -> Passage:
    """One text with what one model made of it."""
    try:
        own = FORMS[trial].validate_python(text)
    except ValidationError:
        raise BadInput(f"a text of {model}, {trial} is damaged; delete its file and run the evaluation again") from None
    if isinstance(own, Near):
        near = ", ".join(f"{word} {distance:.3g}" for word, distance in own.nearest)
        return Passage(own.word, own.word, "", {model: (near,)}, 0)
    if isinstance(own, Continued):
        # The text goes as far as the word, so its last occurrence is the one that was moved.
        return Passage(own.text, own.word, "", {model: (own.clean, own.perturbed)}, own.text.rfind(own.word))
    if isinstance(own, Written):
        return Passage(own.source, "", own.reference, {model: (own.written,)})
    both: dict[str, tuple[str, ...]] = {
        name: (own.clean[name], own.perturbed[name]) for name in own.clean if name in own.perturbed
    }
    both = {model: next(iter(both.values()))} if len(both) == 1 else both  # by the name that a page has for it
    return Passage(own.source, own.word, own.reference or "", both, own.source.find(own.word))


def changed(found: Found) -> Score | None:
    """How often the moved word changes what a model writes; None for trials that move none."""
    if COLUMNS.get(found.trial) != (AS_IT_IS, MOVED):
        return None
    own = [passage(found.model, found.trial, text).written.get(found.model, ()) for text in found.texts]
    pairs = [pair for pair in own if len(pair) == 2]
    what = "continuations" if found.trial == "continuation" else "translations"
    definition = f"share of {what} that are others once one word is moved by the model's own gradient"
    return proportion(sum(pair[0] != pair[1] for pair in pairs), len(pairs), definition)
