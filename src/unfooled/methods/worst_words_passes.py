"""What the passes of worst_words pay: the first all rows, the later ones those that are read again.

A row that is read again pays 1/n of the task's weight in each of n passes; one that is not pays all of it in the
first. So every row's weights of the task add up to 1, whichever rows are read again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import torch
import torch.nn.functional as F
from torch import Tensor

from unfooled.losses.divergence import kl
from unfooled.losses.margins import margins
from unfooled.methods.objective import task_term
from unfooled.seeds import digest
from unfooled.substitution.reading import Documents, Located
from unfooled.substitution.turns import Turned
from unfooled.substitution.worst import WordRow
from unfooled.types import Batch, Loss, Output, Term

LARGEST = 2**63  # what digests stay below
PLAIN, RISING = 50.0, 75.0  # steps that a training should have before the worst words, where it has many


@dataclass(frozen=True)
class Reading:
    """The rows of a pass, their tokens, what the network made of them, and where the gradient of the search is taken.

    That is at the states behind a layer or, where the table is searched, at a delta of 0 [B, T, d].
    """

    rows: list[WordRow]
    located: Located
    output: Output
    searched: Tensor

    def at(self, places: Sequence[int]) -> "Reading":
        """Some of the rows, as constants."""
        output = replace(self.output, logits=self.output.logits.detach())
        if len(places) == len(self.rows):
            return replace(self, output=output)
        chosen = list(places)
        output = replace(output, logits=output.logits[chosen], layers=tuple(one[chosen] for one in output.layers))
        searched = self.searched.detach()[chosen]
        searched.grad = None if self.searched.grad is None else self.searched.grad[chosen]
        return Reading([self.rows[place] for place in chosen], self.located.at(chosen), output, searched)


def as_it_stands(documents: Documents) -> WordRow:
    """A row whose words stay."""
    return WordRow(documents, tuple([()] * len(document) for document in documents), {}, 0.0)


def read_again(key: tuple[int, int], index: int, share: float) -> bool:
    """Whether a row is in S of (3a) in an epoch: in a ``share`` of all epochs, as evenly as can be, from its own on.

    >>> [read_again((0, epoch), 7, 0.5) for epoch in range(4)]
    [False, True, False, True]
    """
    seed, epoch = key
    return (digest(seed, index, "read again") / LARGEST + epoch * share) % 1 < share


def spans(begin: float | Literal["auto"], warmup: float | Literal["auto"], steps: int) -> tuple[float, float]:
    """How many steps are plain, and over how many words rise then: a fifth of all each, unless told.

    A short training has more of both, as far as it goes: a network that knows little yet and meets the worst words at
    once unlearns what it knows.

    >>> spans("auto", "auto", 1000), spans("auto", "auto", 160), spans("auto", 0.5, 40), spans(0.1, 0.1, 40)
    ((200.0, 200.0), (48.0, 75.0), (12.0, 20.0), (4.0, 4.0))
    """
    plain = max(steps / 5, min(PLAIN, 0.3 * steps)) if begin == "auto" else begin * steps
    rising = max(steps / 5, min(RISING, 0.5 * steps)) if warmup == "auto" else warmup * steps
    return plain, rising


def first_paid(output: Output, batch: Batch, again: Sequence[int], passes: int) -> Loss:
    """The task's loss of the first pass, times the number of passes for rows that no later one reads: (3a)."""
    task = task_term(output, batch)
    if len(again) < len(batch):
        weights = torch.full((len(batch),), float(passes), device=output.logits.device)
        weights[list(again)] = 1.0
        losses = F.cross_entropy(output.logits.float(), batch.label, reduction="none")
        task = replace(task, sum=(losses * weights).sum())
    return Loss({"task": task})


def held(
    first: Output,
    output: Output,
    batch: Batch,
    turned: Mapping[int, Turned],
    beta: float,
    virtual: bool = False,
    turns: bool = True,
) -> Loss:
    """The bracket of (3), the loss of a later pass: CE and divergence; of turned texts CE to the new label or a hinge.

    With ``virtual`` labels exchanged texts are held to the first answer alone. Where data ``turns`` there is a hinge,
    of nothing perhaps, so that all processes have the same terms.
    """
    stays = torch.ones(len(batch), dtype=torch.bool, device=batch.label.device)
    stays[list(turned)] = False
    whole = {place: one.label for place, one in turned.items() if one.whole}
    label = batch.label.clone()
    for place, target in whole.items():
        label[place] = target
    labelled = torch.zeros_like(stays) if virtual else stays.clone()
    labelled[list(whole)] = True
    task = task_term(output, batch)
    if turned or virtual:
        losses = F.cross_entropy(output.logits.float(), label, reduction="none")
        task = replace(task, sum=losses[labelled].sum())
    terms = {"task": task}
    if beta:
        apart = kl(first.logits[stays], output.logits[stays]).sum()  # KL(p_1 ‖ p_2) of (3)
        terms["divergence"] = Term(apart, len(batch), weight=beta)
    if turns:
        partly = ~stays
        partly[list(whole)] = False
        before, after = (margins(one.logits[partly].float(), batch.label[partly]) for one in (first, output))
        terms["hinge"] = Term((1 - (before - after)).clamp(min=0).sum(), len(batch))  # (5)
    return Loss(terms)


def over_all(loss: Loss, examples: int, weight: float = 1.0) -> Loss:
    """The loss of some rows with its means over all examples of their batch; for nothing at weight 0."""
    return Loss({name: replace(one, sum=one.sum * weight, count=examples) for name, one in loss.terms.items()})


def told(losses: list[Loss], again: int) -> Loss:
    """The passes as one loss, for the log: the mean of the task's, that of rows read ``again``, the rest."""
    first, last = losses[0].terms["task"], losses[-1].terms["task"]
    mean = replace(first, sum=torch.stack([loss.terms["task"].sum.detach() for loss in losses]).mean())
    terms = {"task": mean, "worst words": replace(last, sum=last.sum.detach(), count=again, weight=0.0)}
    for name in ("divergence", "hinge", "recognition"):
        if name in losses[-1].terms:
            own = losses[-1].terms[name]
            terms[name] = replace(own, sum=own.sum.detach(), weight=own.weight / len(losses))
    return Loss(terms)
