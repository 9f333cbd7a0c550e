"""Masked language modelling is what the network's own loss says."""

import pytest
import torch
from support import Lone
from support_pretraining import TASK, masked_model, view_batch

from unfooled.methods import CLINE, DCL, MLM
from unfooled.methods.mlm import head_steps
from unfooled.models.encoders.masked import pooling
from unfooled.training import Plan
from unfooled.training.optimizer import adamw
from unfooled.types import Progress


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


def test_a_new_head_learns_alone_first_and_then_everything_does() -> None:
    model = masked_model()
    model.new_head = True
    objective = MLM().build(model, TASK)  # a fifth of its 20 steps
    assert "alone for 4 steps" in objective.notes[0]
    encoder = {name: parameter.clone() for name, parameter in model.encoder.named_parameters()}
    head = {name: one.clone() for name, one in model.network.cls.named_parameters() if "decoder.weight" not in name}
    optimizer, batch = adamw(objective, Plan(weight_decay=0.1)), view_batch(MLM().views())
    for step in range(1, 6):
        objective.step(Lone(), batch)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        objective.after_step(Progress(step, 20, 0))
        moved = [name for name, one in model.encoder.named_parameters() if not torch.equal(one, encoder[name])]
        assert bool(moved) == (step == 5), f"step {step}: {moved}"  # words too, though they are the decoder's
    assert all(not torch.equal(one, head[name]) for name, one in model.network.cls.named_parameters() if name in head)
    assert int(objective.state_dict()["steps_done"]) == 5 and not model.encoder_frozen


def test_a_run_gone_on_with_thaws_where_it_would_have() -> None:
    batch = view_batch(MLM().views())

    def gradient(done: int) -> object:
        objective = MLM(head_first=3).build(masked_model(), TASK)
        objective.load_state_dict({**objective.state_dict(), "steps_done": torch.tensor(done)})
        objective.step(Lone(), batch)
        return next(objective.model.encoder.parameters()).grad

    assert gradient(2) is None and gradient(3) is not None


def test_a_head_that_was_there_needs_no_steps_of_its_own() -> None:
    model = masked_model()
    assert [head_steps(None, model, steps) for steps in (20, 10**6)] == [0, 0]
    model.new_head = True
    assert [head_steps(None, model, steps) for steps in (20, 10**6)] == [4, 500]
    assert head_steps(0, model, 20) == 0 and head_steps(7, model, 20) == 7
    assert "steps_done" not in MLM(head_first=0).build(model, TASK).state_dict()


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
