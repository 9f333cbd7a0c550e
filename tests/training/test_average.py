import json
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from averaged import DECAY, PLAN, fitted
from averaged import main as in_two
from forked import run_two
from safetensors.torch import load_file
from support import assert_close
from torch import Tensor, nn
from two_processes import prepared

from unfooled.errors import Stopped
from unfooled.methods import DCL, Finetune
from unfooled.models.encoders.pretrained import weights_hash
from unfooled.stopping import asked_to_stop
from unfooled.training import Run, fit
from unfooled.training.average import AveragedWeights, warmed_up
from unfooled.types import Evaluation


def test_the_shadow_is_the_average_of_the_formula() -> None:
    module = nn.Linear(3, 2).double()
    average = AveragedWeights(module, 0.6)
    expected = module.weight.detach().clone()
    for done in range(1, 20):
        nn.init.normal_(module.weight)
        decay = min(0.6, (1 + done) / (10 + done))
        expected = decay * expected + (1 - decay) * module.weight.detach()
        average.follow()
    assert torch.allclose(average.get_buffer("weight"), expected, atol=1e-12)
    assert int(average.updates) == 19


def test_the_decay_rises_to_what_was_asked_for() -> None:
    rises = [warmed_up(0.99, updates) for updates in range(1, 2000)]
    assert rises == sorted(rises) and rises[0] == 2 / 11 and rises[-1] == 0.99
    left = 1.0
    for updates in range(1, 95):
        left *= warmed_up(0.99, updates)
    assert left < 1e-6 < 0.38 < 0.99**94  # of the initial weights, with the rise and without


def test_frozen_parameters_and_buffers_are_left_alone() -> None:
    module = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3))
    module[0].bias.requires_grad_(False)
    average = AveragedWeights(module, 0.9)
    assert set(average.state_dict()) == {"updates", "0/weight", "1/weight", "1/bias"}


def test_tied_weights_are_averaged_once() -> None:
    module = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3))
    module[1].weight = module[0].weight
    average = AveragedWeights(module, 0.9)
    assert set(average.state_dict()) == {"updates", "0/weight", "0/bias", "1/bias"}
    with average.in_place():
        assert module[1].weight is module[0].weight


class Interrupted(AveragedWeights):
    """Averages that hear two signals in the midst of each exchange."""

    @property
    def shadow(self) -> Iterator[Tensor]:  # type: ignore[override]
        first, *others = super().shadow
        yield first
        for _ in range(2):
            signal.raise_signal(signal.SIGINT)
        yield from others


def test_not_even_a_second_signal_leaves_an_exchange_half_done() -> None:
    module = nn.Sequential(nn.Linear(3, 2), nn.Linear(2, 3))
    average = Interrupted(module, 0.9)
    nn.init.normal_(module[0].weight)
    nn.init.normal_(module[1].weight)
    before = [parameter.detach().clone() for parameter in module.parameters()]
    with asked_to_stop() as stop, pytest.raises(Stopped), average.in_place(stop.in_peace):
        pytest.fail("the stop was not made")
    assert all(torch.equal(one, other) for one, other in zip(module.parameters(), before, strict=True))


def test_off_holds_and_does_nothing() -> None:
    module = nn.Linear(3, 2)
    average, before = AveragedWeights(module, None), weights_hash(module)
    average.follow()
    average.settle()
    with average.in_place():
        assert weights_hash(module) == before
    assert not average.state_dict()


def test_the_weights_come_back_to_the_bit_even_from_a_look_that_fails() -> None:
    module = nn.Linear(3, 2)
    average = AveragedWeights(module, 0.9)
    nn.init.normal_(module.weight)
    average.follow()
    before, shadow = weights_hash(module), average.get_buffer("weight").clone()
    with pytest.raises(RuntimeError, match="a look"), average.in_place():
        assert torch.equal(module.weight, shadow)
        raise RuntimeError("a look")
    assert weights_hash(module) == before and torch.equal(average.get_buffer("weight"), shadow)
    average.settle()
    assert torch.equal(module.weight, shadow)


def watched(run: Run, seen: list[dict[str, Tensor]]) -> Run:
    """The run with looks that note the weights they were given; the second is the best."""
    scores = iter([0.2, 0.8, 0.4, 0.5])

    def look() -> Evaluation:
        seen.append({name: tensor.clone() for name, tensor in run.objective.state_dict().items()})
        return Evaluation({"accuracy": next(scores)})

    return Run(run.objective, run.engine, run.loader, run.folder, look)


def test_looks_and_the_weights_left_are_averages_and_training_goes_on_with_the_raw_ones(tmp_path: Path) -> None:
    plan = {"epochs": 4, "learning_rate": 1e-2}
    raw: list[dict[str, Tensor]] = []
    plain = watched(prepared(Finetune(), tmp_path / "plain", plan=plan), raw)
    fit(plain)
    seen: list[dict[str, Tensor]] = []
    run = watched(prepared(Finetune(), tmp_path / "averaged", plan={**plan, "average": DECAY}), seen)
    fit(run)
    weight = "model.network.classifier.weight"
    assert all(not torch.equal(mine[weight], theirs[weight]) for mine, theirs in zip(seen, raw, strict=True))
    assert not torch.equal(seen[0][weight], seen[1][weight])
    assert int(run.folder.load(8).objective["average/updates"].read()) == 8
    left = run.objective.state_dict()
    assert all(torch.equal(tensor, seen[1][name]) for name, tensor in left.items())
    last, plain_last = run.folder.load(8).objective, plain.folder.load(8).objective
    assert all(torch.equal(last[name].read(), tensor.read()) for name, tensor in plain_last.items())
    averages = {name.removeprefix("average/") for name in last if name.startswith("average/")}
    assert averages == {"updates", *(name.replace(".", "/") for name, _ in run.objective.named_parameters())}


def test_a_finished_run_is_left_with_the_same_averages(tmp_path: Path) -> None:
    plan = {"max_steps": 2, "average": DECAY, "learning_rate": 1e-2}
    first = prepared(Finetune(), tmp_path, plan=plan)
    fit(first)
    again = prepared(Finetune(), tmp_path, plan=plan)
    fit(again)
    assert weights_hash(again.objective) == weights_hash(first.objective)


def test_a_method_s_own_slow_copy_is_not_averaged(tmp_path: Path) -> None:
    run = prepared(DCL(), tmp_path, plan={"average": DECAY})
    names = set(run.engine.average.state_dict())
    assert any(name.startswith("projector/") for name in names)
    assert not any(name.startswith("target") for name in names)


def test_two_processes_come_to_the_averages_of_one(tmp_path: Path) -> None:
    run_two(in_two, tmp_path / "two")
    first, second = (load_file(tmp_path / "two" / f"fitted-{rank}.safetensors") for rank in (0, 1))
    assert all(torch.equal(first[name], tensor) for name, tensor in second.items())
    # A key's bias cancels in the softmax: its gradient is rounding, which Adam makes as large as any other.
    one = {name: tensor for name, tensor in fitted(tmp_path / "one").items() if "key/bias" not in name}
    assert_close({name: first[name] for name in one}, one, 1e-4)
    looks = [json.loads(line) for line in (tmp_path / "two" / "run" / "metrics.jsonl").read_text().splitlines()]
    assert len([line for line in looks if line["kind"] == "validation"]) == PLAN["epochs"]
