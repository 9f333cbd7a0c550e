"""A look at a split while training: accuracy, loss and confusion, shared out over the processes."""

from collections.abc import Sequence

import torch
import torch.nn.functional as F

from unfooled.models.encoders.classifier import still
from unfooled.models.encoders.packed import pass_of
from unfooled.tokens import Encoded, by_length
from unfooled.training.engine import Processes
from unfooled.types import Evaluation


def validate(
    model: torch.nn.Module,
    encoded: Encoded,
    labels: Sequence[int],
    classes: int,
    processes: Processes,
    batch_size: int = 64,
) -> Evaluation:
    """Accuracy, mean loss and confusion of a classifier over a whole split, dropout off."""
    logits_of, truth = pass_of(model), torch.tensor(labels)
    confusion = torch.zeros(classes, classes, dtype=torch.int64)
    loss = torch.zeros((), dtype=torch.float64)
    with still(model), torch.no_grad():
        for turn, rows in enumerate(by_length(encoded, batch_size)):
            if turn % processes.count != processes.rank:
                continue
            logits = logits_of(encoded.pad(rows).to(processes.device)).float().cpu()
            true = truth[torch.from_numpy(rows)]
            loss += F.cross_entropy(logits, true, reduction="sum").double()
            confusion += torch.bincount(true * classes + logits.argmax(1), minlength=classes**2).view(classes, classes)
    device = processes.device
    confusion = processes.add_up(confusion.to(device)).cpu()
    total = float(processes.add_up(loss.to(device)))
    scores = {"accuracy": float(confusion.trace()) / len(labels), "loss": total / len(labels)}
    return Evaluation(scores=scores, confusion=confusion)
