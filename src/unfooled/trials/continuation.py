"""What a language model goes on with behind a moved word, and how it rates that itself (ATCL, Table 4)."""

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from pydantic import Field

from unfooled.errors import BadInput
from unfooled.scores.intervals import proportion
from unfooled.scores.perplexity import bounded_exp
from unfooled.scores.score import Score
from unfooled.settings import Settings
from unfooled.trials.inputs import Inputs
from unfooled.trials.passages import AS_IT_IS, HOW_MARKED, MOVED, Passage, Passages
from unfooled.trials.trial import Answers, Metric, Question, Trial, TrialRun, rows_of
from unfooled.victims.victim import Victim


class ContinuationSettings(Settings):
    """How far the word is moved, how many words are written behind it, and of how many texts at most."""

    radius: float = Field(default=1.0, ge=0)
    count: int = Field(default=3, ge=1)
    most: int = Field(default=100, ge=1)


@dataclass(frozen=True)
class ContinuationRecord:
    """A text up to its moved word, what the model goes on with, and how surprised it is by that itself.

    ``losses`` are -log p of the words written after the move, read without it; a text without a complete word before
    its end has no word, and nothing is written.
    """

    index: int
    text: str
    word: str = ""
    clean: str = ""
    perturbed: str = ""
    losses: tuple[float, ...] = ()


def units(inputs: Inputs, settings: ContinuationSettings, seed: int) -> list[str]:
    """The first texts that are not blank."""
    return [text for (text,) in inputs.texts if text.strip()][: settings.most]


def unable(victim: Victim, units: Sequence[str]) -> str | None:
    """Why nothing can be moved: a text without a known word, or no text with a complete word before its end."""
    from unfooled.data.vocabulary import allowed_tokens

    tokenizer = victim.model.tokenizer
    allowed, some = allowed_tokens(tokenizer), False
    for text in units:
        ids = np.asarray(tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"], dtype=np.int64)
        if len(ids) and (ids == tokenizer.unk_token_id).all():
            return f"every word of {text[:60]!r} is unknown to {victim.name}; give a text in its words"
        some = some or bool(allowed[ids[:-1]].any())
    return None if some else "no text has a complete word to perturb before its end; give longer texts"


def run(trial: TrialRun, done: Collection[int]) -> Iterator[ContinuationRecord]:
    """The last complete word of each text that is not its end is moved, and gone on from greedily."""
    from unfooled.data.vocabulary import allowed_tokens
    from unfooled.trials.inside.word_moves import continued

    model, settings = trial.victim.model, trial.settings
    allowed = allowed_tokens(model.tokenizer)
    for index, text in enumerate(trial.units):
        if index not in done:
            facts = continued(model, text, lambda ids: allowed[ids], settings.radius, settings.count)
            yield ContinuationRecord(index, text) if facts is None else ContinuationRecord(index, *facts)


def known(records: Sequence[ContinuationRecord]) -> list[ContinuationRecord]:
    """The texts behind which something was written."""
    return [record for record in records if record.losses]


def continued_perplexity(records: Sequence[ContinuationRecord]) -> Score:
    """exp of the mean -log p over all words written behind perturbed ones, with its interval over texts."""
    own = known(records)
    sums = np.array([sum(each.losses) for each in own])
    words = sum(len(each.losses) for each in own)
    if not words:
        raise BadInput("no text has a complete word to perturb before its end; give longer texts")
    spread = 1.96 * math.sqrt(len(sums) * float(sums.var(ddof=1)) if len(sums) > 1 else 0.0) / words
    mean = float(sums.sum()) / words
    definition = "exp of the mean -log p of the words a model writes behind a perturbed one, as it rates them itself"
    ends = bounded_exp(mean - spread), bounded_exp(mean + spread)
    return Score(bounded_exp(mean), *ends, words, definition, least=0.0)


def changed(records: Sequence[ContinuationRecord]) -> Score:
    """How often the moved word changes what the model writes."""
    own = known(records)
    definition = "share of continuations that are others once one word is moved by the model's own gradient"
    return proportion(sum(one.clean != one.perturbed for one in own), len(own), definition)


METRICS = {
    "continued_perplexity": Metric(continued_perplexity, "perplexity of what is written", "", "less"),
    "changed": Metric(changed, "changed by the moved word", better="less"),
}
scores = partial(rows_of, METRICS)


def questions(records: Sequence[ContinuationRecord]) -> dict[Question, Answers]:
    """Whether a continuation stays what it was."""
    same = {one.index: one.clean == one.perturbed for one in known(records)}
    return {Question("changed", title="same words behind a moved one"): same}


def passage(record: ContinuationRecord, model: str) -> Passage | None:
    """A text up to its moved word; its last occurrence is the one that was moved."""
    if not record.losses:
        return None
    both = {model: (record.clean, record.perturbed)}
    return Passage(record.text, record.word, "", both, record.text.rfind(record.word))


CONTINUATION = Trial(
    ContinuationRecord,
    units,
    run,
    scores,
    ContinuationSettings,
    tasks=("lm",),
    unit="text",
    unable=unable,
    questions=questions,
    passages=Passages(
        "Continuations",
        "text up to the [moved] word",
        (AS_IT_IS, MOVED),
        lambda settings: (
            "Each text goes as far as its marked word, which is moved by "
            f"{settings.get('radius', 'some length')} up the model's own gradient; each model goes on greedily, "
            f"without the move and with it. {HOW_MARKED}"
        ),
        passage,
    ),
    says="looks how a language model goes on behind a word, with that word moved inside the network and without",
)
