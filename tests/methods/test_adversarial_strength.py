"""Worst cases on a network that was really trained: worse than the texts as they are, and worse with more steps."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import pytest
import torch
from torch import Tensor
from trained import sentences, trained, two

from unfooled.models import TextModel
from unfooled.models.encoders.classifier import still
from unfooled.perturb import FGM, FREELB, PGD, Ascent, k_pgd, worst_case
from unfooled.tokens import encode
from unfooled.types import Tokens

BATCHES, SIZE = 200, 4
ASCENTS = {"fgm": FGM, "pgd": PGD, "freelb": FREELB, "3-pgd": k_pgd(0.1), "restarted": k_pgd(0.1, random_start=True)}
Examples = tuple[Tokens, Tensor]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> TextModel:
    return trained(tmp_path_factory.mktemp("strength"), ("a", "b"), *two(*sentences(120, 0)))


@pytest.fixture(scope="module")
def unseen(model: TextModel) -> Examples:
    """The tokens and labels of texts it has not learnt from."""
    texts, labels = two(*sentences(BATCHES * SIZE, 1))
    return encode(model.tokenizer, texts, 32).pad(range(len(texts))), torch.tensor(labels)


def losses(model: TextModel, examples: Examples, ascent: Ascent) -> tuple[Tensor, Tensor]:
    """Of every batch the loss as it is, and at the end of the ascent.

    All are climbed in one pass: no perturbation depends on its neighbours (tests/methods/test_adversarial.py).
    """
    tokens, label = examples
    loss_of = torch.nn.CrossEntropyLoss(reduction="none")

    def each(delta: Tensor | None) -> Tensor:
        return loss_of(model.classifier(tokens, delta).logits, label)

    with still(model.classifier):
        start = ascent.begin(tokens.mask, model.classifier.width, (0, 0), torch.arange(len(label)))
        moved = worst_case(ascent, start, tokens.mask, lambda delta: each(delta).sum())
        with torch.no_grad():
            return each(None).view(-1, SIZE).mean(dim=1), each(moved).view(-1, SIZE).mean(dim=1)


@pytest.mark.parametrize("name", ASCENTS)
def test_a_worst_case_is_no_better_than_the_text_as_it_is(
    name: str, model: TextModel, unseen: Examples, record_property: Callable[[str, object], None]
) -> None:
    clean, worst = losses(model, unseen, ASCENTS[name])
    share = float((worst >= clean).double().mean())
    record_property("batches", len(clean))
    record_property("smallest share of batches that got worse", share)
    assert len(clean) == BATCHES and share >= 0.99
    assert worst.mean() > 1.01 * clean.mean()  # and by more than rounding


@pytest.mark.parametrize("radius", [0.1, 1.0])
def test_more_steps_are_no_weaker_on_average(radius: float, model: TextModel, unseen: Examples) -> None:
    ascents = [replace(k_pgd(radius, 4), steps=steps) for steps in (0, 1, 2, 4, 8)]  # of one size: more, not others
    means = [float(losses(model, unseen, ascent)[1].mean()) for ascent in ascents]
    assert all(later >= earlier * (1 - 1e-6) for earlier, later in pairwise(means)), means
    assert means[-1] > means[1] > means[0]
