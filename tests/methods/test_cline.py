"""CLINE against its equations, each view passed through the plain network by itself."""

import math
from dataclasses import replace
from typing import Any

import pytest
import torch
from support import Lone
from support_pretraining import TASK, masked_model, view_batch
from torch import Tensor

from unfooled.errors import BadInput
from unfooled.methods import CLINE
from unfooled.methods.cline import ThreeLosses
from unfooled.models.encoders.masked import pooling
from unfooled.training import Plan
from unfooled.training.optimizer import adamw, set_rate
from unfooled.types import Batch, Progress


def built(**given: Any) -> tuple[ThreeLosses, Batch]:
    method = CLINE(**given)
    return method.build(masked_model(), TASK), view_batch(method.views())


def states(objective: ThreeLosses, batch: Batch, view: str) -> Tensor:
    tokens = batch.views[view]
    return objective.model.encoder(input_ids=tokens.ids, attention_mask=tokens.mask.long())[0]


def test_every_loss_is_its_equation() -> None:
    objective, batch = built()
    loss = objective(batch)
    original, synonym, antonym = (states(objective, batch, view) for view in ("original", "synonym", "antonym"))
    w = objective.detector.weight[0]
    for name, some in (("synonym", synonym), ("antonym", antonym)):
        delta, p = batch.targets[f"replaced_{name}"], torch.sigmoid(some @ w)  # Eqs. 2 and 3
        losses = -torch.where(delta == 1, p.log(), (1 - p).log())  # Eq. 4
        expected = losses[delta >= 0].mean().item()
        assert loss.terms[f"replaced {name}"].mean.item() == pytest.approx(expected, rel=1e-4)
    f = [torch.exp((original[:, 0] * some[:, 0]).sum(dim=1)) for some in (synonym, antonym)]  # Eq. 5
    expected = -(f[0] / (f[0] + f[1])).log().mean().item()  # Eq. 6
    assert loss.terms["contrast"].mean.item() == pytest.approx(expected, rel=1e-4)
    tokens, labels = batch.tokens, batch.targets["masked"]
    own = objective.model.network(input_ids=tokens.ids, attention_mask=tokens.mask.long(), labels=labels).loss
    assert loss.terms["masked"].mean.item() == pytest.approx(own.item(), rel=1e-4)
    assert loss.total().item() == pytest.approx(sum(term.mean.item() for term in loss.terms.values()), rel=1e-5)


def exchanged(batch: Batch, **views: str) -> Batch:
    """The batch with some views in the place of others."""
    return replace(batch, views={**batch.views, **{name: batch.views[other] for name, other in views.items()}})


def test_equal_versions_give_log_two_and_exchanged_ones_the_difference() -> None:
    objective, batch = built()
    same = objective(exchanged(batch, antonym="synonym")).terms["contrast"]
    assert same.mean.item() == pytest.approx(math.log(2), abs=1e-6)
    there, back = objective(batch), objective(exchanged(batch, synonym="antonym", antonym="synonym"))
    rows = [states(objective, batch, view)[:, 0] for view in ("original", "synonym", "antonym")]
    products = ((rows[0] * rows[1]).sum(1) - (rows[0] * rows[2]).sum(1)).mean().item()
    away = back.terms["contrast"].mean.item() - there.terms["contrast"].mean.item()
    assert away == pytest.approx(products, abs=1e-5) and abs(products) > 1e-3


@pytest.mark.parametrize(("rtd", "each"), [("binary_all", math.log(2)), ("ternary_candidates", math.log(3))])
def test_an_even_detector_pays_the_same_for_every_token(rtd: str, each: float) -> None:
    objective, batch = built(rtd=rtd)
    for parameter in objective.detector.parameters():
        parameter.data.zero_()
    terms = objective(batch).terms
    for name in ("synonym", "antonym"):
        assert terms[f"replaced {name}"].mean.item() == pytest.approx(each, abs=1e-5)
        assert terms[f"replaced {name}"].count == int((batch.targets[f"replaced_{name}"] != -100).sum()) > 0


def test_guesses_do_not_see_the_versions_and_all_views_take_one_pass() -> None:
    objective, batch = built()
    sizes: list[int] = []
    objective.model.encoder.register_forward_hook(lambda _, given, found: sizes.append(len(found[0])))
    whole = objective(batch).terms["masked"].sum.item()
    other = objective(exchanged(batch, synonym="antonym")).terms["masked"].sum.item()
    assert other == pytest.approx(whole, rel=1e-6) and sizes == [3 * len(batch)] * 2


def test_learned_weights_pay_their_price_and_are_not_decayed() -> None:
    objective, batch = built()
    with torch.no_grad():
        objective.logs.copy_(torch.tensor([0.5, -0.3, 0.2]))
    loss = objective(batch)
    means = {name: term.mean.item() for name, term in loss.terms.items()}
    detected = means["replaced synonym"] + means["replaced antonym"]
    parts = zip((0.5, -0.3, 0.2), (means["masked"], detected, means["contrast"]), strict=True)
    expected = sum(math.exp(-s) * value + max(s, 0) for s, value in parts)
    assert loss.total().item() == pytest.approx(expected, rel=1e-5)
    counts = {unit: 2 * count for unit, count in batch.counts.items()}  # half of an update of two equal passes
    assert 2 * loss.total(counts).item() == pytest.approx(expected, rel=1e-5)
    decayed = [group["params"] for group in adamw(objective, Plan()).param_groups if group["weight_decay"]]
    assert not any(parameter is objective.logs for some in decayed for parameter in some)
    assert objective.report()["task_weights"]["masked"] == pytest.approx(math.exp(-0.5))
    loss.total().backward()
    assert (objective.logs.grad != 0).all()


def masked_weight_after(steps: int, **given: Any) -> tuple[float, float]:
    """lambda_1 after some steps at a small rate, and the loss it belongs to."""
    objective, batch = built(**given)
    plan = Plan(learning_rate=1e-4)
    optimizer = adamw(objective, plan, objective.own_rates())
    for _ in range(steps):
        set_rate(optimizer, 1e-4, plan)
        objective.step(Lone(), batch)
        optimizer.step()
        optimizer.zero_grad()
    weight = objective.report()["task_weights"]["masked"]
    return weight, objective(batch).terms["masked"].mean.item()


def test_learned_weights_settle_at_one_over_the_loss_in_a_short_run() -> None:
    weight, loss = masked_weight_after(80)
    assert loss > 2 and weight == pytest.approx(1 / loss, rel=0.25)  # exp(-s) L + s is least where exp(s) is L
    assert masked_weight_after(80, weights_rate=None)[0] > 0.98


def test_fixed_weights_are_a_sixth_for_the_masked_tokens_unless_told() -> None:
    objective, _ = built(weights="fixed")
    assert objective.lambdas() == {"masked": 0.16, "replaced": 1.0, "contrast": 1.0} and not objective.own_rates()


def test_while_a_new_head_learns_alone_the_encoder_hears_of_no_loss() -> None:
    objective, batch = built(head_first=2)
    objective.step(Lone(), batch)
    assert all(parameter.grad is None for parameter in objective.model.encoder.parameters())
    assert all(parameter.grad is not None for parameter in objective.detector.parameters())
    objective.after_step(Progress(2, 20, 0))
    objective.step(Lone(), batch)
    assert any(parameter.grad is not None for parameter in objective.model.encoder.parameters())


def test_fixed_weights_are_taken_as_they_are() -> None:
    objective, batch = built(weights="fixed", masked_weight=0.5, replaced_weight=2.0, contrast_weight=3.0)
    loss = objective(batch)
    means = {name: term.mean.item() for name, term in loss.terms.items()}
    expected = (
        0.5 * means["masked"] + 2 * (means["replaced synonym"] + means["replaced antonym"]) + 3 * means["contrast"]
    )
    assert loss.total().item() == pytest.approx(expected, rel=1e-5)


def test_the_released_mode() -> None:
    method = CLINE(mode="released")
    assert (method.rtd, method.contrast, method.policy) == ("ternary_candidates", "decisions", "released")
    assert CLINE(mode="released", rtd="off").rtd == "off" and CLINE().rtd == "binary_all"
    assert method.views().versions.policy == "released"
    objective, batch = built(mode="released")
    loss = objective(batch).terms["contrast"].mean.item()
    rows = [
        pooling(objective.model.encoder)(states(objective, batch, view)) for view in ("original", "synonym", "antonym")
    ]
    like, unlike = (torch.sigmoid((rows[0] * some).mean(dim=1)) for some in rows[1:])
    assert loss == pytest.approx((-like.log() - (1 - unlike).log()).mean().item() / 2, rel=1e-4)
    assert all(parameter.requires_grad for parameter in pooling(objective.model.encoder).parameters())


def test_the_ablations() -> None:
    objective, batch = built(rtd="off")
    assert objective.detector is None and set(batch.targets) == {"masked"} and not objective.keepsakes()
    assert set(objective(batch).terms) == {"masked", "contrast", "price of weights"}
    objective, batch = built(hard_negative=False)
    terms = objective(batch).terms
    assert terms["replaced antonym"].count == 0 and terms["replaced antonym"].sum.item() == 0.0
    assert torch.isfinite(objective(batch).total()) and "replaced_tokens" in objective.keepsakes()


def test_switched_off_makes_no_versions() -> None:
    objective, batch = built(**CLINE().switched_off().model_dump())
    assert set(batch.views) == {"original"} and set(objective(batch).terms) == {"masked"}


def test_a_perturbation_moves_the_original_alone() -> None:
    objective, batch = built()
    delta = torch.randn(*batch.tokens.ids.shape, objective.model.width, generator=torch.Generator().manual_seed(0))
    plain, moved = objective(batch).terms, objective(batch, delta).terms
    assert moved["masked"].sum.item() != plain["masked"].sum.item()
    assert moved["replaced antonym"].sum.item() == pytest.approx(plain["replaced antonym"].sum.item(), rel=1e-6)


def test_an_unknown_mode_is_refused() -> None:
    from unfooled.recipe.config import recipe_from

    with pytest.raises(BadInput, match="method.mode"):
        recipe_from({"data": "x", "method": {"name": "cline", "mode": "papers"}})
