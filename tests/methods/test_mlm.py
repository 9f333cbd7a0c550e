"""Masked language modelling is what the network's own loss says."""

import pytest
import torch
from support_pretraining import TASK, masked_model, view_batch

from unfooled.methods import CLINE, DCL, MLM
from unfooled.models.encoders.masked import pooling


def test_the_loss_is_the_networks_own() -> None:
    objective = MLM().build(masked_model(), TASK)
    batch = view_batch(MLM().views())
    tokens = batch.tokens
    given = {"input_ids": tokens.ids, "attention_mask": tokens.mask.long(), "labels": batch.targets["masked"]}
    own = objective.model.network(**given).loss
    loss = objective(batch)
    assert loss.total().item() == pytest.approx(own.item(), rel=1e-5)
    assert loss.terms["masked"].count == int((batch.targets["masked"] != -100).sum())
    expected = torch.autograd.grad(own, list(objective.model.encoder.embeddings.parameters()))
    found = torch.autograd.grad(loss.total(), list(objective.model.encoder.embeddings.parameters()))
    assert all(torch.allclose(*pair, atol=1e-6) for pair in zip(found, expected, strict=True))


def test_a_perturbation_moves_the_loss() -> None:
    objective = MLM().build(masked_model(), TASK)
    batch = view_batch(MLM().views())
    delta = torch.randn(*batch.tokens.ids.shape, objective.model.width, generator=torch.Generator().manual_seed(0))
    assert objective(batch, 0 * delta).total().item() == objective(batch).total().item()
    assert objective(batch, delta).total().item() != objective(batch).total().item()


def test_the_pooler_waits_for_fine_tuning() -> None:
    objective = MLM().build(masked_model(), TASK)
    assert not any(parameter.requires_grad for parameter in pooling(objective.model.encoder).parameters())


def test_more_masking_asks_for_more() -> None:
    few, many = (view_batch(MLM(masking=share).views()).counts["masked"] for share in (0.15, 0.5))
    assert many > 3 * few


@pytest.mark.parametrize(
    "method", [MLM(), CLINE(), DCL(), CLINE(mode="released")], ids=lambda method: repr(method)[:30]
)
def test_passes_in_half_precision_and_losses_in_single(method: MLM | CLINE | DCL) -> None:
    objective, batch = method.build(masked_model(), TASK), view_batch(method.views())
    exact = objective(batch)
    objective.model.autocast = torch.bfloat16
    rough = objective(batch)
    rough.total().backward()
    for name, term in rough.terms.items():
        assert term.sum.dtype == torch.float32
        assert term.mean.item() == pytest.approx(exact.terms[name].mean.item(), rel=0.1, abs=0.1)
