"""A loop of one's own around ``uf.robust`` trains what our loop trains."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from loop_ground import BATCH, LABELS, RATE, STEPS, method_of, model_of, our_run, our_steps, split

import unfooled as uf
from unfooled.errors import BadInput
from unfooled.loops.robust import Robust
from unfooled.models.encoders.pretrained import weights_hash

PLAN = {"schedule": "constant"}


def around(folder: Path, method: Any, steps: int = STEPS, dropout: float = 0.1) -> Robust:
    model, rows = model_of(folder, dropout), split()
    texts = [text for (text,) in rows.texts]
    return uf.robust(model.classifier.network, model.tokenizer, texts, rows.labels, method, steps=steps, max_length=32)


def optimizer_of(robust: Robust) -> torch.optim.Optimizer:
    """AdamW as our loop has it: matrices decay."""
    groups = [[one for one in robust.parameters() if (one.ndim >= 2) == matrix] for matrix in (True, False)]
    decays = [{"params": some, "weight_decay": decay} for some, decay in zip(groups, (0.01, 0.0), strict=True)]
    return torch.optim.AdamW(decays, lr=RATE, fused=True)


def batches(robust: Robust, epochs: int = 99) -> Iterator[list[int]]:
    for _ in range(epochs):
        for start in range(0, len(robust), BATCH):
            yield list(range(start, min(start + BATCH, len(robust))))


@pytest.mark.parametrize("name", ["worst_words", "freelb", "carl"])
def test_a_plain_loop_trains_what_we_train(name: str, tmp_path: Path) -> None:
    method = method_of(name, tmp_path)
    ours = our_steps(our_run(method, tmp_path, PLAN, dropout=0.1))
    robust = around(tmp_path, method)
    optimizer = optimizer_of(robust)
    for rows, expected in zip(batches(robust), ours, strict=False):
        robust.learn(torch.tensor(rows))
        found = robust.means()
        assert found == pytest.approx({key: expected[key] for key in found}, abs=1e-6)
        optimizer.step()
        optimizer.zero_grad()
    assert robust.step == STEPS - 1  # the last is known of when it is asked for
    robust.settle()
    assert robust.step == STEPS


def test_several_batches_are_one_update(tmp_path: Path) -> None:
    one, several = around(tmp_path, "fgm", dropout=0.0), around(tmp_path, "fgm", dropout=0.0)
    whole = one.learn(range(8))
    parts = several.learn(range(3), [3, 4, 5, 6, 7])
    assert float(parts) == pytest.approx(float(whole), abs=1e-6)
    for mine, other in zip(one.parameters(), several.parameters(), strict=True):
        assert torch.allclose(mine.grad, other.grad, atol=1e-6)


def test_what_is_drawn_is_nobody_elses(tmp_path: Path) -> None:
    robust = around(tmp_path, "carl")
    before = torch.get_rng_state()
    robust.learn(range(8))
    assert torch.equal(torch.get_rng_state(), before)


def test_a_state_goes_on_to_the_same_bits(tmp_path: Path) -> None:
    def steps(robust: Robust, optimizer: torch.optim.Optimizer, some: list[list[int]]) -> None:
        for rows in some:
            robust.learn(rows)
            optimizer.step()
            optimizer.zero_grad()

    whole, broken, again = (around(tmp_path, method_of("carl", tmp_path, start=0.5), 8) for _ in range(3))
    every = list(batches(whole, 2))
    optimizers = [optimizer_of(robust) for robust in (whole, broken, again)]
    steps(whole, optimizers[0], every)
    steps(broken, optimizers[1], every[:5])
    again.load_state_dict(broken.state_dict())
    optimizers[2].load_state_dict(optimizers[1].state_dict())
    assert (again.step, again.seen) == (5, 40)
    steps(again, optimizers[2], every[5:])
    assert weights_hash(again.objective) == weights_hash(whole.objective) != weights_hash(broken.objective)


def test_an_epoch_is_as_many_rows_as_there_are(tmp_path: Path) -> None:
    robust = around(tmp_path, "freelb")
    epochs = []
    for rows, _ in zip(batches(robust), range(9), strict=False):
        robust.learn(rows)
        epochs.append(robust.epoch)
    assert epochs == [0] * 4 + [1] * 4 + [2]


def test_labels_may_be_names_and_methods_may_add_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, rows = model_of(tmp_path), split()
    names = [LABELS[label] for label in rows.labels]
    robust = uf.robust(model.classifier.network, model.tokenizer, rows.texts, names, "augment", steps=4)
    added = len(robust) - len(rows)
    assert added > 0 and f"augment adds {added} synonym versions" in capsys.readouterr().err
    assert robust.labels[: len(rows)].tolist() == rows.labels


def test_reduced_precision_is_what_the_loop_is_under(tmp_path: Path) -> None:
    robust = around(tmp_path, "fgm")
    with torch.autocast("cpu", dtype=torch.bfloat16):
        half = float(robust.learn(range(8)))
    full = float(around(tmp_path, "fgm").learn(range(8)))
    assert half == pytest.approx(full, rel=0.05) and half != full
    with torch.autocast("cpu", dtype=torch.float16), pytest.raises(BadInput, match="use bfloat16, not torch.float16"):
        robust.learn(range(8))


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([32], r"\[32\] are no numbers of the 32 rows; give some from 0 on"),
        ([-1], "no numbers of the 32 rows"),
        ([], "no numbers of the 32 rows"),
        ([0.5], "no numbers of the 32 rows"),
    ],
)
def test_rows_that_are_none_are_refused(rows: list[float], sentence: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=sentence):
        around(tmp_path, "freelb").learn(rows)


def test_nothing_to_learn_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="there is nothing to learn from; give the numbers of rows"):
        around(tmp_path, "freelb").learn()
    with pytest.raises(BadInput, match="give at least one text and one step"):
        around(tmp_path, "freelb", steps=0)


def test_a_gradient_that_is_no_number_stops_the_loop(tmp_path: Path) -> None:
    robust = around(tmp_path, "freelb")
    with torch.no_grad():
        robust.objective.model.network.classifier.weight.fill_(torch.inf)
    with pytest.raises(BadInput, match="training stopped at step 1: the gradient is not finite"):
        robust.learn(range(8))
