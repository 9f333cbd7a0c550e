"""``robust``: a method around somebody's own model, for somebody's own loop. The passes are ours, the optimiser theirs.

    robust = uf.robust(model, tokenizer, texts, labels, "worst_words", steps=3 * len(loader))
    optimizer = torch.optim.AdamW(robust.parameters(), lr=5e-5)
    for rows in loader:                      # numbers of rows, as in DataLoader(range(len(robust)), …)
        loss = robust.learn(rows)            # every pass, forward and back: gradients are left in .grad
        optimizer.step()
        optimizer.zero_grad()

An update is what is learnt between two steps of the optimiser: ``learn`` takes all of its batches, and every mean is
over all of them and over all processes, whose gradients are added up once (no DistributedDataParallel around the
model). Everything drawn is keyed by seed, step and row, and no random state of the program's own is touched.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
import torch
import torch.distributed as dist
from torch import Tensor, nn

from unfooled.data.batches.examples import ExampleBatches
from unfooled.errors import BadInput
from unfooled.gather import (
    add_up_gradients,
    added_up,
    added_up_by_name,
    in_step,
    refusing_what_is_no_number,
    together,
)
from unfooled.loops.building import chosen_method, longest, names_of, objective_over, task_of, training_set
from unfooled.loops.inputs import batch_of, reduced_precision
from unfooled.methods.objective import Method, Objective
from unfooled.progress import Display
from unfooled.seeds import begin_pass
from unfooled.terminal import say
from unfooled.tokens import Encoded, encode
from unfooled.training.manifest import refuse_other_tensors
from unfooled.training.run_folder import unshared
from unfooled.types import Batch, Evaluation, Loss, Progress, Term, Texts

MODEL = "objective.model."  # what the names of the model's own tensors begin with


class Robust(nn.Module):
    """A method's objective over somebody's model: ``learn`` from rows, then step.

    ``encoded`` gives the training set as tokens, for whoever asks for rows by number or sweeps over all of them.
    """

    def __init__(
        self,
        objective: Objective,
        encoded: Callable[[], Encoded],
        labels: Tensor,
        kind: str,
        steps: int,
        seed: int = 0,
        batch_size: int | None = None,
    ) -> None:
        super().__init__()
        self.objective, self.encoded, self.labels, self.kind = objective, encoded, labels, kind
        self.steps, self.seed, self.batch_size = steps, seed, batch_size
        self.step = self.seen = self.epoch = self.turn = 0  # updates, rows, passes over the set; passes of this update
        self.moved = True  # whether the objective knows of the last update
        self.counts: Mapping[str, int] = {}
        self.sums: dict[str, list[float]] = {}  # of each term since the last ``means``

    def __len__(self) -> int:
        return len(self.labels)

    def learn(self, *batches: Any) -> Tensor:
        """One update's gradients, left in ``.grad``; its mean loss. A batch is numbers of rows, or inputs with them."""
        if not batches:
            raise BadInput("there is nothing to learn from; give the numbers of rows")
        if torch.is_autocast_enabled(self.device.type):
            self.objective.model.autocast = reduced_precision(torch.get_autocast_dtype(self.device.type))
        with torch.autocast(self.device.type, enabled=False):  # passes are in it, losses are not
            update = [self.batch(batch, self.seen // len(self)) for batch in batches]
            self.begin(update)
            losses = [self.one_pass(batch).total(self.counts).detach() for batch in update]
            norm = torch.nn.utils.get_total_norm(self.reduced())
        if not torch.isfinite(norm):
            raise self.not_finite()
        return added_up(torch.stack(losses).sum())

    def begin(self, batches: Sequence[Batch]) -> None:
        """Before the passes of an update: what the objective wants first, and the counts that means are over."""
        self.settle()
        units = sorted(batches[0].counts)
        mine = [sum(batch.counts[unit] for batch in batches) for unit in units]
        total = added_up(torch.tensor(mine, device=self.device)).tolist()
        self.counts, self.turn, self.epoch = dict(zip(units, total, strict=True)), 0, batches[0].key[1]
        self.batch_size = self.batch_size or max(self.counts["examples"] // len(batches), 1)
        self.seen += self.counts["examples"]
        progress = Progress(self.step, self.steps, self.epoch)
        if self.objective.sweep_due(progress):
            self.sweep()
        if wanted := self.objective.measures(progress):
            self.measure(wanted)
        self.moved = False

    def one_pass(self, batch: Batch) -> Loss:
        """The method's passes over one batch, forward and back."""
        self.objective.train()
        with in_step(), self.drawing("dropout", self.step, self.turn):
            try:
                loss = self.objective.step(self, batch.to(self.device))
            except FloatingPointError:  # so that all processes stop, and say the same
                for parameter in self.trained():
                    parameter.grad = torch.full_like(parameter, torch.nan)
                loss = Loss({"task": Term(torch.tensor(torch.nan, device=self.device), len(batch))})
        self.turn += 1
        for name, term in loss.terms.items():
            sums = self.sums.setdefault(name, [0.0, 0.0])
            sums[0] += term.sum.item()
            sums[1] += term.count
        return loss

    def backward(self, loss: Loss, share: float = 1.0) -> None:
        """Add ``share`` of the loss's gradient to the parameters', its means taken over the whole update."""
        (loss.total(self.counts) * share).backward()

    def reduced(self) -> list[Tensor]:
        """After the last pass: every gradient, summed over processes."""
        return add_up_gradients(self.trained())

    def not_finite(self) -> BadInput:
        """The sentence for a gradient that is not a number."""
        return BadInput(
            f"training stopped at step {self.step + 1}: the gradient is not finite; lower the learning rate or the "
            "method's radius and start again"
        )

    def settle(self) -> None:
        """Let the objective know that the optimiser has moved the parameters, where it does not yet."""
        if not self.moved:
            self.moved = True
            self.step += 1
            self.objective.after_step(Progress(self.step, self.steps, self.epoch))

    def looked(self, evaluation: Evaluation) -> None:
        """Tell the method what a look at validation texts has found; some learn from it."""
        self.settle()
        self.objective.after_eval(evaluation)

    def listens(self) -> bool:
        """Whether the method does anything with what is found on validation texts."""
        return type(self.objective).after_eval is not Objective.after_eval

    def sweep(self) -> None:
        """Go through the training set once for the objective's own ends."""
        batches = list(self.shared_out().sweep())
        with Display("filling the memory", len(batches), show=self.rank == 0) as display:
            self.objective.train(False)
            with refusing_what_is_no_number():
                for number, batch in enumerate(batches, start=1):
                    self.objective.sweep(batch.to(self.device))
                    display.at(number)

    def measure(self, wanted: int) -> None:
        """Let the method measure itself on so many batches."""
        batches = [batch.to(self.device) for batch in islice(self.shared_out().sweep(), wanted)]
        self.objective.train()
        with refusing_what_is_no_number(), self.drawing("measured", self.step):
            found = self.objective.measure(batches)
        if found.warning and self.rank == 0:
            say(found.warning, error=True)

    def means(self) -> dict[str, float]:
        """The mean of each term of the loss since this was last asked, over all processes."""
        total = added_up_by_name(self.sums, self.device)
        self.sums = {}
        return {name: own / max(count, 1) for name, (own, count) in total.items()}

    @cached_property
    def examples(self) -> ExampleBatches:
        """The training set as tokens."""
        return ExampleBatches(self.encoded(), self.labels, 1, self.seed, kind=self.kind)

    def shared_out(self) -> ExampleBatches:
        """The training set in batches by address, of which each process has its share."""
        count = dist.get_world_size() if together() else 1
        return replace(self.examples, batch_size=self.batch_size or 1, rank=self.rank, processes=count)

    def batch(self, given: Any, epoch: int) -> Batch:
        """Rows by their numbers, or a loader's inputs that hold these, as the objectives see them."""
        if isinstance(given, Mapping):
            return batch_of(given, self.kind, (self.seed, epoch))
        rows = np.asarray(given).reshape(-1)
        if not len(rows) or rows.dtype.kind not in "iu" or not 0 <= rows.min() <= rows.max() < len(self):
            raise BadInput(f"{str(given)[:60]} are no numbers of the {len(self):,} rows; give some from 0 on")
        return self.examples.tensors(rows, epoch)

    @contextmanager
    def drawing(self, *keys: int | str) -> Iterator[None]:
        """While open, what is drawn is a function of the keys; what others draw afterwards is as if nothing was."""
        devices = [self.device] if self.device.type == "cuda" else []
        with torch.random.fork_rng(devices=devices):
            begin_pass(self.seed, *keys, self.rank)
            yield

    @property
    def rank(self) -> int:
        """The number of this process."""
        return dist.get_rank() if together() else 0

    @property
    def device(self) -> torch.device:
        """Where the model is."""
        return next(self.objective.model.parameters()).device

    def trained(self) -> list[nn.Parameter]:
        """Everything that is trained, of the model and of the method."""
        return [parameter for parameter in self.objective.parameters() if parameter.requires_grad]

    def own_parameters(self) -> list[nn.Parameter]:
        """What is trained of the method alone, such as a head of its own."""
        models = set(self.objective.model.parameters())
        return [parameter for parameter in self.trained() if parameter not in models]

    def get_extra_state(self) -> Tensor:
        """How far training is."""
        self.settle()  # asked before any buffer is
        return torch.tensor([self.step, self.seen])

    def set_extra_state(self, state: Tensor) -> None:
        """Go on from there."""
        self.step, self.seen = (int(number) for number in state)

    def own_state(self) -> dict[str, Tensor]:
        """What a checkpoint must hold besides the model: heads, banks, counts."""
        return unshared({name: one for name, one in self.state_dict().items() if not name.startswith(MODEL)})

    def load_own_state(self, stored: Mapping[str, Tensor], where: str) -> None:
        """Put it back, to the bit: all, or none."""
        own = self.state_dict()
        refuse_other_tensors(stored, self.own_state(), where)
        for name, tensor in stored.items():
            own[name].copy_(tensor)
        self.set_extra_state(stored["_extra_state"])


def robust(
    model: Any,
    tokenizer: Any,
    texts: Sequence[str | Texts],
    labels: Sequence[Any],
    method: str | Method = "worst_words",
    *,
    steps: int,
    seed: int = 0,
    max_length: int | None = None,
) -> Robust:
    """A method around a classifier of transformers, for a loop of one's own.

    ``texts`` are strings or pairs, ``labels`` numbers or names of the model's labels; ``steps`` is how often the
    optimiser will step, by which methods warm up. Rows are numbered from 0 to ``len`` of what is returned, which is
    more than there are texts where the method adds some. ``max_length`` is where texts are cut.
    """
    task, names = task_of(model), names_of(model)
    chosen = chosen_method(method, task)
    rows = [(text,) if isinstance(text, str) else tuple(text) for text in texts]
    if not rows or steps < 1:
        raise BadInput("there is nothing to train; give at least one text and one step")
    known = training_set(chosen, task, names, labels, rows, seed)
    for note in known.notes:
        say(note, error=True)
    objective = objective_over(model, chosen, known, steps, seed, tokenizer, max_length)
    for note in objective.notes:
        say(note, error=True)
    limit = longest(tokenizer, model, max_length)
    return Robust(objective, lambda: encode(tokenizer, known.texts, limit), known.labels, task.loss, steps, seed)
