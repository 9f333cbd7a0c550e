from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from two_processes import prepared

from unfooled.methods import Finetune
from unfooled.types import Loss, Term


def test_passes_of_an_update_share_one_mean(tmp_path: Path) -> None:
    """Two accumulated batches of 8 and 5 give the gradient of one of 13, not the mean of two means."""
    run = prepared(Finetune(), tmp_path, plan={"accumulation": 2})
    (batches,) = run.loader.updates(0)
    assert [len(batch) for batch in batches] in ([8, 5], [5, 8])
    run.engine.begin(batches)
    assert run.engine.counts["examples"] == 13
    for batch in batches:
        run.objective.step(run.engine, batch)
    run.engine.reduced()
    found = {name: parameter.grad.clone() for name, parameter in run.objective.named_parameters()}
    run.engine.leave_out()
    total = sum(run.objective(batch).terms["task"].sum for batch in batches) / 13
    total.backward()
    run.engine.reduced()
    for name, parameter in run.objective.named_parameters():
        assert torch.allclose(found[name], parameter.grad, atol=1e-7)


def test_terms_are_divided_by_the_units_they_count(tmp_path: Path) -> None:
    run = prepared(Finetune(), tmp_path)
    run.engine.counts = {"examples": 4, "tokens": 10}
    value = torch.ones((), requires_grad=True)
    loss = Loss({"a": Term(8 * value, 2), "b": Term(30 * value, 5, "tokens", weight=0.5)})
    run.engine.backward(loss, share=0.5)
    assert value.grad == 0.5 * (8 / 4 + 0.5 * 30 / 10)


@pytest.mark.parametrize("clip", [None, 0.1])
def test_the_whole_gradient_is_clipped_by_its_norm(tmp_path: Path, clip: float | None) -> None:
    run = prepared(Finetune(), tmp_path, plan={"clip": clip})
    seen: list[float] = []
    step = run.engine.optimizer.step

    def watch(closure: Callable[[], float] | None = None) -> None:
        seen.append(float(torch.cat([p.grad.flatten() for p in run.engine.parameters if p.grad is not None]).norm()))
        step(closure)

    run.engine.optimizer.step = watch  # type: ignore[method-assign]
    batches = next(run.loader.updates(0))
    run.engine.begin(batches)
    run.objective.step(run.engine, batches[0])
    norm = run.engine.update(1e-3)
    assert norm > 0.1
    assert seen[0] == pytest.approx(norm if clip is None else clip, rel=1e-3)
    assert all(parameter.grad is None for parameter in run.engine.parameters)


def test_a_gradient_that_is_no_number_moves_nothing(tmp_path: Path) -> None:
    run = prepared(Finetune(), tmp_path)
    before = [parameter.detach().clone() for parameter in run.engine.parameters]
    for parameter in run.engine.parameters:
        parameter.grad = torch.full_like(parameter, float("nan"))
    with pytest.raises(FloatingPointError):
        run.engine.update(1e-3)
    assert all(torch.equal(old, new) for old, new in zip(before, run.engine.parameters, strict=True))


def test_half_precision_passes_decide_alike(tmp_path: Path) -> None:
    run = prepared(Finetune(), tmp_path)
    tokens = run.loader.encoded.pad(range(13))
    model = run.objective.model.eval()
    with torch.no_grad():
        full = model(tokens).logits
        model.autocast = torch.bfloat16
        half = model(tokens).logits
    assert half.dtype == torch.bfloat16
    assert (full - half).abs().max() < 0.05
    sure = (full[:, 0] - full[:, 1]).abs() > 4 * (full - half).abs().max()
    assert sure.any() and torch.equal(full.argmax(1)[sure], half.argmax(1)[sure])
