"""DCL against its equations, and what its released code got wrong."""

import copy
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from support import Lone
from support_pretraining import TASK, masked_model, view_batch
from torch import Tensor

from unfooled.errors import BadInput
from unfooled.methods import DCL
from unfooled.methods.dcl import Align
from unfooled.models.heads.power_norm import BatchNorm, PowerNorm
from unfooled.types import Batch, Progress

SMALL = {"hidden": 12, "width": 6}


def built(dropout: float = 0.0, **given: Any) -> tuple[Align, Batch]:
    method = DCL(**{**SMALL, **given})
    return method.build(masked_model(dropout), TASK), view_batch(method.views())


def texts(encoder: torch.nn.Module, batch: Batch, view: str) -> Tensor:
    tokens = batch.views[view]
    return encoder(input_ids=tokens.ids, attention_mask=tokens.mask.long()).pooler_output


def unit(rows: Tensor) -> Tensor:
    return rows / rows.norm(dim=1, keepdim=True)


def through(head: torch.nn.Sequential, rows: Tensor) -> Tensor:
    """The head's two layers by hand, its normalisation the batch's own quadratic mean: warm-up."""
    hidden = rows @ head[0].weight.T + head[0].bias
    hidden = hidden / (hidden.square().mean(dim=1, keepdim=True) + 1e-5).sqrt()
    hidden = head[1].weight * hidden / (hidden.square().mean(dim=0) + 1e-5).sqrt() + head[1].bias
    return hidden.clamp(min=0) @ head[3].weight.T + head[3].bias


def test_the_loss_is_eq_8_both_ways() -> None:
    objective, batch = built(warmup=5)
    with torch.no_grad():
        for parameter in objective.target.parameters():
            parameter.mul_(1.3)  # so that online and target differ
    encoder, head = objective.target.networks
    online = torch.cat([texts(objective.model.encoder, batch, view) for view in ("original", "synonym")])
    target = torch.cat([texts(encoder, batch, view) for view in ("original", "synonym")])
    predicted = unit(through(objective.predictor, through(objective.projector, online)))
    aimed = unit(through(head, target))
    size = len(batch)
    there = (predicted[:size] - aimed[size:]).square().sum(dim=1)
    back = (predicted[size:] - aimed[:size]).square().sum(dim=1)
    loss = objective(batch)
    assert loss.terms["alignment"].mean.item() == pytest.approx((there + back).mean().item(), rel=1e-4)
    tokens, labels = batch.tokens, batch.targets["masked"]
    own = objective.model.network(input_ids=tokens.ids, attention_mask=tokens.mask.long(), labels=labels).loss
    assert loss.total().item() == pytest.approx(own.item() + (there + back).mean().item(), rel=1e-4)


def test_the_encoder_learns_and_the_target_does_not() -> None:
    """The released code builds both around one encoder and freezes it."""
    objective, batch = built()
    objective(batch).terms["alignment"].sum.backward()
    assert objective.model.encoder is not objective.target.networks[0]
    own = {tensor.data_ptr() for tensor in objective.target.state_dict().values()}
    online = [objective.model.state_dict(), objective.projector.state_dict()]
    assert not own & {tensor.data_ptr() for some in online for tensor in some.values()}
    assert all(parameter.grad is None for parameter in objective.target.parameters())
    trained = [*objective.model.encoder.parameters(), *objective.projector.parameters()]
    assert all(parameter.grad is not None for parameter in trained)
    assert sum(float(parameter.grad.abs().sum()) for parameter in objective.model.encoder.parameters()) > 0


def test_the_target_follows_after_a_step() -> None:
    objective, _ = built(momentum=0.75)
    before = copy.deepcopy(objective.target.networks)
    with torch.no_grad():
        for parameter in [*objective.model.parameters(), *objective.projector.parameters()]:
            parameter += 0.5
    objective.after_step(Progress(1, 20, 0))
    online = [objective.model.encoder, objective.projector]
    pairs = zip(before, online, objective.target.networks, strict=True)
    for old, new, found in (
        (*each,) for some in pairs for each in zip(*(part.parameters() for part in some), strict=True)
    ):
        assert torch.allclose(found, 0.75 * old + 0.25 * new, atol=1e-6)


def powers(objective: Align) -> list[PowerNorm]:
    return [module for module in objective.modules() if isinstance(module, PowerNorm)]


def test_each_network_is_called_once_a_step_and_the_target_has_statistics_of_its_own() -> None:
    objective, batch = built(dropout=0.3)
    for step in range(1, 4):
        objective(batch).total().backward()
        assert [int(norm.it) for norm in powers(objective)] == [step] * 3
        objective.after_step(Progress(step, 20, 0))
    online, target = objective.projector[1], objective.target.networks[1][1]
    assert not torch.equal(online.psi2, target.psi2)
    assert online.nu.abs().sum() > 0 and not target.nu.any()


def test_exchanging_the_views_leaves_the_alignment_after_warm_up_too() -> None:
    objective, batch = built(warmup=1)
    for _ in range(3):
        objective(batch).total().backward()
    again = copy.deepcopy(objective)
    views = {"original": batch.views["synonym"], "synonym": batch.views["original"]}
    hidden = {"masked": torch.full_like(batch.targets["masked"], -100)}
    there = objective(batch).terms["alignment"].mean.item()
    back = again(replace(batch, views=views, targets=hidden)).terms["alignment"].mean.item()
    assert back == pytest.approx(there, abs=1e-5) and 0 < there < 8


def test_the_warm_up_is_a_tenth_of_a_short_run_and_never_more_than_a_thousand() -> None:
    def warmup(steps: int, **given: Any) -> int:
        return DCL(**SMALL, **given).build(masked_model(), replace(TASK, steps=steps)).projector[1].warmup

    assert [warmup(200), warmup(10**6), warmup(200, warmup=7)] == [20, 1000, 7]
    accumulated = DCL(**SMALL, warmup=7).build(masked_model(), replace(TASK, passes=4))
    assert accumulated.projector[1].warmup == 28  # of passes: 7 steps


def test_other_normalisations_and_the_released_one() -> None:
    kinds = {norm: built(norm=norm)[0].projector[1] for norm in ("batch", "none", "power")}
    assert isinstance(kinds["batch"], BatchNorm) and isinstance(kinds["none"], torch.nn.Identity)
    assert kinds["power"].group_scaling and not kinds["power"].batch_backward
    released = built(mode="released", group_scaling=False)[0].predictor[1]
    assert released.batch_backward and released.cumulative_warmup and not released.group_scaling
    for norm in ("batch", "none"):
        objective, batch = built(norm=norm)
        objective(batch).total().backward()
        assert all(parameter.grad is not None for parameter in objective.predictor.parameters())


def test_the_second_view_has_synonyms_only() -> None:
    made = DCL().views().versions
    assert made.synonym_kinds == ("synonym",) and made.synonym_ratio == 0.3
    assert set(view_batch(DCL().views()).views) == {"original", "synonym"}


def test_switched_off_needs_no_second_view() -> None:
    objective, batch = built(weight=0.0)
    assert set(batch.views) == {"original"} and set(objective(batch).terms) == {"masked"}


def test_texts_are_represented_by_state_and_projection() -> None:
    objective, batch = built()
    objective.eval()
    reading = objective.model(batch.tokens)
    found = objective.represent(reading)
    assert torch.equal(found["text"], reading.states[:, 0]) and found["projection"].shape == (len(batch), 6)
    assert set(objective.keepsakes()) == {"projector", "predictor"}


def test_frozen_layers_stay_as_they_are_and_the_rest_learns() -> None:
    objective, batch = built(frozen_layers=1)
    objective.step(Lone(), batch)
    encoder = objective.model.encoder
    still = [*encoder.embeddings.parameters(), *encoder.encoder.layer[0].parameters()]
    assert all(parameter.grad is None and not parameter.requires_grad for parameter in still)
    trained = [*encoder.encoder.layer[1].parameters(), *encoder.pooler.parameters(), *objective.projector.parameters()]
    assert all(parameter.grad is not None for parameter in trained)
    objective.after_step(Progress(1, 20, 0))
    with pytest.raises(BadInput, match="3 layers to be frozen, where the encoder has 2"):
        built(frozen_layers=3)


def test_the_recipes_have_the_rate_of_the_paper() -> None:
    recipes = Path(__file__).parents[2] / "recipes"
    rates = {path.name: tomllib.loads(path.read_text())["plan"]["learning_rate"] for path in recipes.glob("dcl-*.toml")}
    assert set(rates.values()) == {1e-5} and len(rates) == 2
