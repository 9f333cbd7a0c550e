"""worst_words: the worst case taken from the attackers' own list of words, in one more pass.

Word attacks do not live in a ball around the embeddings: in MiniLM's table a synonym lies as far from its word as a
random word does. So what is searched is the list itself. The gradient that trains anyway says, to first order and for
every candidate of every word at once, what exchanging it would do; the worst exchanges are made, and the network is
trained on that text too. Symbols:

    x_1      the text, or the text with a share rho_0 (``start_share``) of its words exchanged at random
    G        the gradient of the task's loss at the looked-up vectors of x_1, from the backward pass that trains
    gain     of a candidate: its first-order effect on the loss (``substitution.gains``)
    rho      share of the words with candidates that are exchanged, drawn from ``share``, times the rise
    x_2      x_1 with the rho · n words of the largest positive gains exchanged, each for its best candidate
    rise     0 over the first ``begin`` of the steps, which are plain, then up to 1 over ``warmup``; beta is
             ``beta`` times it

    L = ½ · CE(x_1) + ½ · [CE(x_2) + beta · KL(p_1 ‖ p_2)],    p_1 a constant                       (3)

A model that only holds still may become deaf. So ``turned`` of the rows that can be turned are put into the second pass
with their meaning turned round instead (``substitution.turns``). Turned whole: CE to the other label. In part:

    max(0, 1 − (m(x_1) − m(x_turned))),    m = z_y − logsumexp of the other logits,    m(x_1) a constant    (5)

Whether turning changes the label is decided by the data, or told (``turns``). All terms are means over the whole batch.
Before training, candidates that the tokenizer would cut into pieces become whole words with the vector of what they may
stand for (``whole_words``, ``substitution.whole_words``). Everything drawn is drawn for each row and epoch alone.

With ``recognise`` the second pass is also to read each exchanged word as the word it stands for, in the middle of the
network: to the bracket is added ``recognise`` times the rise times R (``substitution.recognition``).
The first steps are plain, and rho and rho_0 rise together with beta, because a network that knows nothing yet and meets
the worst words hardly learns. Equations have the numbers of docs/papers/worst_words.md.
With ``rounds`` = 2 the second pass's gradient finds a third text, and each of the three passes pays a third. With
``anchored`` a pass at the text x itself comes first, x_1 is read in the second one, whose whole loss G is then of, and
both later passes are held to p(x), each paying a third; turned rows are turned in both. With ``layer`` candidates are
compared behind that many layers, not at the table (``substitution.alone``). ``every`` n-th step alone may have a second
pass, and a share of the rows (``rows``) be read in it; what is not read again pays CE(x), as it stands.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import torch
from pydantic import Field, field_validator
from pydantic_core import PydanticCustomError
from torch import Tensor

from unfooled.errors import BadInput
from unfooled.methods.objective import Backward, Measured, Method, Objective, TrainingTask, task_term
from unfooled.methods.worst_words_passes import (
    Reading,
    as_it_stands,
    first_paid,
    held,
    over_all,
    read_again,
    spans,
    told,
)
from unfooled.models.encoders.classifier import Classifier
from unfooled.models.encoders.pretrained import TextModel
from unfooled.seeds import digest
from unfooled.substitution.alone import words_alone
from unfooled.substitution.gains import gains
from unfooled.substitution.reading import Documents
from unfooled.substitution.recognition import exchanged_words, middle, recognition
from unfooled.substitution.sources import READ_TYPOS, SOURCES, TYPING, TYPOS, Candidates, usable
from unfooled.substitution.turns import Turned, decided, kin_of, turned
from unfooled.substitution.whole_words import in_pieces, read_whole
from unfooled.substitution.worst import WordRow, blind, last_alone, random_start, without_shared, worst
from unfooled.text.document import read
from unfooled.types import Batch, Loss, Output, Progress, Term, Texts

ALL: Literal["all"] = "all"  # sources at once: those that are named besides or, where none is, all there are
Share = Annotated[float, Field(ge=0, le=1)]
Source = Literal["wordnet", "any_sense", "near", "inflections", "typos", "mask", "all"]


class WorstWords(Method):
    """The task loss, and that of the same texts with their worst words exchanged, held to the same answer."""

    off: ClassVar = {"share": (0.0, 0.0), "turns": "off", "whole_words": False, "moved": 0.0} | dict.fromkeys(
        ("start", "beta", "recognise"), 0.0
    )  # two equal passes
    exchanges_words: ClassVar = True

    sources: tuple[Source, ...] = Field(
        ("wordnet", "any_sense", "near", "typos", "typos", "all"), min_length=1
    )  # one is drawn for each row and epoch; one that is named twice, twice as often
    look_alikes: bool = False  # whether misspellings are also all by look-alike letters
    whole_words: bool = True  # whether candidates in pieces become whole words, read as what they may stand for
    moved: float = Field(0.0, ge=0)  # how much those that are whole already are moved there too
    of_pairs: Literal["both", "last"] = "both"  # the texts of a pair whose words are exchanged; attacks change the last
    share: tuple[float, float] = (0.2, 1.0)  # rho is drawn between these
    start: float = Field(1.0, ge=0, le=1)  # of the rows that begin at a random exchange
    start_share: float = Field(0.8, ge=0, le=1)  # the largest rho_0
    beta: float = Field(2.0, ge=0)
    virtual: bool = False  # whether exchanged texts are held to the first answer alone, not to their label too
    recognise: float = Field(0.0, ge=0)  # how much reading what stands for a word as that word weighs
    begin: Share | Literal["auto"] = "auto"  # of the steps, those that are plain before any word is exchanged
    warmup: Share | Literal["auto"] = "auto"  # of the steps, over which beta and rho rise then
    rounds: int = Field(1, ge=1)
    anchored: bool = False  # whether a pass at the text itself comes first, to whose answer the others are held
    layer: Annotated[int, Field(ge=0)] | Literal["auto"] = 0  # behind which candidates are compared; 0: at the table
    renewed: float = Field(0.2, gt=0, le=1)  # of the steps, after which words that stand alone are read anew
    every: int = Field(1, ge=1)  # the later passes are made at every n-th step, the others are plain
    rows: float = Field(1.0, gt=0, le=1)  # of the rows, those that the later passes read
    pick: Literal["worst", "blind"] = "worst"  # "blind" is the control: as many words, drawn
    temperature: float = Field(1.0, gt=0)  # logits are divided by it while training
    turns: Literal["auto", "off"] | dict[str, str] = "auto"  # what a label becomes in a turned text
    turned: float = Field(0.1, ge=0, le=1)  # of the rows that can be
    sisters: bool = False  # whether pairs are also turned by another word of the same kind: a woman where a man was

    @field_validator("share")
    @classmethod
    def _from_less_to_more(cls, given: tuple[float, float]) -> tuple[float, float]:
        """Refuse bounds that are none."""
        if not 0 <= given[0] <= given[1] <= 1:
            raise PydanticCustomError("share", "give two numbers from 0 to 1, the smaller one first")
        return given

    def prepared(self, model: TextModel, texts: Sequence[Texts]) -> TextModel:
        """The model, with candidates read whole."""
        return read_whole(model, texts, self.named, self.whole_words, self.moved)

    @property
    def named(self) -> tuple[str, ...]:
        """The sources without ``all``; where none is named besides, all there are."""
        return tuple(name for name in self.sources if name != ALL) or SOURCES

    def build(self, model: Classifier, task: TrainingTask) -> "WorstCase":
        """The passes over the model."""
        if task.reader is None:
            raise BadInput("worst_words needs the training texts; train it on examples")
        return WorstCase(model, self, task)


class WorstCase(Objective):
    """A pass at the text, and one at its worst words."""

    settings: WorstWords
    done: Tensor

    def __init__(self, model: Classifier, settings: WorstWords, task: TrainingTask) -> None:
        super().__init__(model, settings)
        assert task.reader is not None
        self.texts, self.reader, self.steps = task.texts, task.reader, task.steps
        self.plain_steps, self.rising_steps = spans(settings.begin, settings.warmup, task.steps)
        self.sources, self.notes = usable(settings.named, task.reader.mask, task.texts)
        self.notes += in_pieces(model, self.sources) if settings.whole_words else ()
        self.word_reader = words_alone(model, settings.layer, task.reader)
        if settings.layer == "auto" and self.word_reader is None:
            self.notes += ("the network has no layers to compare words behind: they are compared at its table",)
        typos = TYPOS if self.word_reader is None else READ_TYPOS
        self.candidates = Candidates.of(self.sources, task.reader.mask, settings.look_alikes, typos)
        single = [(name,) for name in self.sources] if set(settings.sources) != {ALL} else []
        self.draws = single + [tuple(dict.fromkeys(self.sources))] * settings.sources.count(ALL)
        self.layers = middle(model.depth) if settings.recognise > 0 and not model.is_one_piece else ()
        if settings.recognise and not self.layers:
            self.notes += ("the network has no layers of token states: words are not to be recognised",)
        self.names, self.labels = task.names, [int(label) for label in task.labels]
        self.targets, self.leanings, self.evidence = decided(settings.turns, task.names, task.texts, self.labels)
        self.kin = kin_of(task.texts) if settings.sisters and self.targets and len(task.texts[0]) > 1 else None
        if settings.sisters and self.kin is None:
            self.notes += ("sisters: nothing is turned by other words of its kind but pairs whose turns are told",)
        self.register_buffer("done", torch.zeros((), dtype=torch.int64))  # steps, by which beta and rho rise
        self.read: dict[int, Documents] = {}

    def step(self, engine: Backward, batch: Batch) -> Loss:
        """Pass 1 at x_1, or at x and then at x_1; for each round a pass at the worst words the one before has found."""
        anchored, indices = self.settings.anchored, batch.index.tolist()
        passes = 1 + anchored + self.settings.rounds
        if int(self.done) < self.plain_steps or (int(self.done) + 1) % self.settings.every:
            return self.plain_step(engine, batch)
        again = [place for place, index in enumerate(indices) if read_again(batch.key, index, self.settings.rows)]
        turned = {place: own for place in again if (own := self.turn(indices[place], batch.key))}
        moves = set(again) - set(turned)
        rows = [self.row(index, batch.key, place in moves) for place, index in enumerate(indices)]
        here = self.reading([as_it_stands(row.original) for row in rows] if anchored else rows, {}, batch)
        losses = [first_paid(here.output, batch, again, passes)]  # (3): CE(x_1), or (3c): CE(x)
        engine.backward(losses[0], share=1 / passes)
        chosen = again or [0]  # a process with none of the rows reads one for nothing: all make the same passes
        first = here = here.at(chosen)
        part = replace(batch, index=batch.index[chosen], label=batch.label[chosen])
        turned = {chosen.index(place): own for place, own in turned.items()}
        for number in range(1, passes):
            if anchored and number == 1:
                rows = [rows[place] for place in chosen]
            else:
                rows = self.exchanged(here, part, number) if again else here.rows
            here = self.reading(rows, turned, part)
            losses.append(over_all(self.later(first, here, part, turned), len(batch), weight=float(bool(again))))
            engine.backward(losses[-1], share=1 / passes)
        return told(losses, len(again))  # (3), or (3c); (3a) where not all rows are read again

    def plain_step(self, engine: Backward, batch: Batch) -> Loss:
        """A pass at the texts alone."""
        rows = [self.documents(index) for index in batch.index.tolist()]
        tokens = self.reader.located(rows).tokens.to(batch.index.device)
        loss = Loss({"task": task_term(self.cooled(self.model(tokens)), batch)})
        engine.backward(loss)
        return loss

    def reading(self, rows: list[WordRow], turned: Mapping[int, Turned], batch: Batch) -> Reading:
        """A pass at rows as they stand, or as they are turned."""
        texts = [turned[place].documents if place in turned else row.documents for place, row in enumerate(rows)]
        located = self.reader.located(texts)
        tokens = located.tokens.to(batch.index.device)
        delta = torch.zeros(*tokens.ids.shape, self.model.width, device=tokens.ids.device, requires_grad=True)
        if self.word_reader is None:
            return Reading(rows, located, self.cooled(self.model(tokens, delta, layers=self.layers)), delta)
        output = self.model(tokens, delta, layers=(*self.layers, self.word_reader.layers - 1))
        output.layers[-1].retain_grad()
        return Reading(rows, located, self.cooled(replace(output, layers=output.layers[:-1])), output.layers[-1])

    def later(self, first: Reading, here: Reading, batch: Batch, turned: Mapping[int, Turned]) -> Loss:
        """The loss of a pass after the first."""
        beta, virtual = self.settings.beta * self.rise(), self.settings.virtual
        loss = held(first.output, here.output, batch, turned, beta, virtual, bool(self.targets))
        if not self.layers:
            return loss
        words = exchanged_words((first.rows, here.rows), (first.located, here.located), turned)
        unlike = recognition(first.output.layers, here.output.layers, words)  # (3b)
        term = Term(unlike, len(batch), weight=self.settings.recognise * self.rise())
        return Loss({**loss.terms, "recognition": term})

    def rise(self) -> float:
        """How much of beta and of rho there is at this step."""
        since = int(self.done) - self.plain_steps
        return max(0.0, min(since / self.rising_steps, 1.0)) if self.rising_steps else float(since >= 0)

    def after_step(self, progress: Progress) -> None:
        """One step more."""
        self.done.fill_(progress.step)

    def measures(self, progress: Progress) -> int:
        """Words that stand alone are read anew when the second passes begin, and every ``renewed`` of the steps."""
        first, every = math.ceil(self.plain_steps), math.ceil(self.settings.renewed * self.steps)
        return int(self.word_reader is not None and progress.step >= first and (progress.step - first) % every == 0)

    def measure(self, batches: Sequence[Batch]) -> Measured:
        """Nothing is measured: the lower layers are copied as they are now."""
        if self.word_reader is not None:
            self.word_reader.renew(self.model)
        return Measured({})

    def cooled(self, output: Output) -> Output:
        """What the network says, at the training temperature."""
        temperature = self.settings.temperature
        return output if temperature == 1 else replace(output, logits=output.logits / temperature)

    def turn(self, index: int, key: tuple[int, int]) -> Turned | None:
        """A row's turned version, where one is drawn for it in an epoch and it can be turned."""
        label = self.labels[index]
        if label not in self.targets:
            return None
        random = np.random.default_rng(digest(*key, index, "turn"))
        if random.random() >= self.settings.turned:
            return None
        return turned(self.documents(index), label, self.targets[label], self.leanings, random, self.kin)

    def row(self, index: int, key: tuple[int, int], moves: bool = True) -> WordRow:
        """What is drawn for a row in an epoch: its source, its share, its start; one that does not move is as it is."""
        random = np.random.default_rng(digest(*key, index, "worst words"))
        settings, documents = self.settings, self.documents(index)
        if not moves:
            return as_it_stands(documents)
        names = self.draws[int(random.integers(len(self.draws)))]
        share, rise = float(random.uniform(*settings.share)), self.rise()
        starts, rho = random.random() < settings.start, float(random.uniform(0, settings.start_share))
        own = without_shared(documents, tuple(self.candidates.lists(one, names, random) for one in documents))
        lists = last_alone(own) if settings.of_pairs == "last" else own
        row = WordRow(documents, lists, {}, share * rise, lasting=TYPING not in names)
        return random_start(row, rho * rise, random) if starts else row

    def documents(self, index: int) -> Documents:
        """A training example as documents, read once."""
        if index not in self.read:
            self.read[index] = tuple(map(read, self.reader.within(self.texts[index])))
        return self.read[index]

    def exchanged(self, here: Reading, batch: Batch, number: int) -> list[WordRow]:
        """The rows with their worst words, or with random ones, others in every round."""
        if self.settings.pick == "blind":
            keys = (digest(*batch.key, int(index), "blind", number) for index in batch.index)
            return [blind(row, np.random.default_rng(key)) for row, key in zip(here.rows, keys, strict=True)]
        gradient, ids = here.searched.grad, here.located.tokens.ids
        if gradient is None:
            raise RuntimeError("the texts received no gradient: what is searched by was not used")
        table, behind = self.model.table, self.word_reader
        known = partial(gains, gradient, ids, table) if behind is None else partial(behind.gains, gradient, ids)
        return worst(here.rows, here.located, known, self.reader)  # by (1) and (2), or by (2a)

    def report(self) -> Mapping[str, Any]:
        """The sources in use, and whether texts were turned, and why."""
        turns = {self.names[label]: self.names[target] for label, target in self.targets.items()}
        evidence = self.evidence and vars(self.evidence)
        return {"word_sources": list(self.sources), "turns": turns, "turns_decided_by": evidence}
