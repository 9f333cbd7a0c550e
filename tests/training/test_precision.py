"""Half precision on a network that was really trained, and who decides on it."""

import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from forked import run_two
from precise_ground import in_two
from tiny import save_encoder, save_reviews
from trained import sentences, trained, two

import unfooled as uf
from unfooled.errors import BadInput, Stopped
from unfooled.models.encoders.classifier import still
from unfooled.tokens import encode
from unfooled.training import Plan, precision
from unfooled.training import loop as training_loop
from unfooled.training.precision import autocast_dtype, decided, times_as_fast

HELD = 500  # texts


def test_half_precision_decides_alike_on_texts_it_has_not_seen(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    model = trained(tmp_path, ("a", "b"), *two(*sentences(120, 0)))
    texts, _ = two(*sentences(HELD, 1))
    tokens = encode(model.tokenizer, texts, 32).pad(range(HELD))
    with still(model.classifier), torch.inference_mode():
        full = model.classifier(tokens).logits
        model.classifier.autocast = torch.bfloat16
        half = model.classifier(tokens).logits
    assert half.dtype == torch.bfloat16 and not torch.equal(full, half.float())
    alike = float((full.argmax(dim=1) == half.argmax(dim=1)).double().mean())
    record_property("texts", HELD)
    record_property("smallest share decided alike", alike)
    assert alike >= 0.99 and 0.1 < float(full.argmax(dim=1).double().mean()) < 0.9


def test_reduced_precision_is_refused_where_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    cpu = torch.device("cpu")
    assert autocast_dtype(Plan(), cpu) is None
    monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda: False)
    with pytest.raises(BadInput, match="no bf16"):
        autocast_dtype(Plan(precision="bf16"), cpu)
    monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda: True)
    assert autocast_dtype(Plan(precision="bf16"), cpu) is torch.bfloat16
    with pytest.raises(ValueError, match="has not been decided on"):
        autocast_dtype(Plan(precision="auto"), cpu)


def test_a_short_product_says_how_much_faster_half_precision_is() -> None:
    assert 0.001 < times_as_fast(torch.device("cpu")) < 1000


@pytest.mark.parametrize("times, choice", [(3.14, "bf16"), (1.2, "bf16"), (1.1, "fp32"), (0.13, "fp32")])
def test_half_precision_is_chosen_where_it_is_clearly_faster(
    times: float, choice: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cpu = torch.device("cpu")
    monkeypatch.setattr(precision, "has_half", lambda device: True)
    monkeypatch.setattr(precision, "times_as_fast", lambda device: times)
    for plan in (Plan(precision="auto"), Plan(precision="auto", packed=True)):
        assert decided(plan, cpu) == (choice, f"because products in bf16 are {times:.1f} times as fast here")
    assert decided(Plan(precision="auto", packed=True), torch.device("cuda"))[0] == "fp32"  # not measured there
    monkeypatch.setattr(precision, "has_half", lambda device: False)
    monkeypatch.setattr(precision, "times_as_fast", lambda device: pytest.fail("nothing is to be measured"))
    assert decided(Plan(precision="auto"), cpu) == ("fp32", "because this machine has no bf16 arithmetic")


def test_the_choice_is_said_kept_and_never_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data, encoder, out = (
        str(save_reviews(tmp_path / "reviews.csv", 40)),
        str(save_encoder(tmp_path / "encoder")),
        tmp_path / "run",
    )
    plan = {"max_steps": 4, "save_every": 2, "precision": "auto"}
    monkeypatch.setattr(precision, "has_half", lambda device: True)
    monkeypatch.setattr(precision, "times_as_fast", lambda device: 2.0)
    saved = training_loop.save

    def save_and_stop(run: training_loop.Run, state: training_loop.State) -> None:
        saved(run, state)
        raise Stopped("here")

    monkeypatch.setattr(training_loop, "save", save_and_stop)
    with pytest.raises(Stopped):
        uf.train(data, out, encoder, plan=plan)
    assert "precision: bf16, because products in bf16 are 2.0 times as fast here (plan=" in capsys.readouterr().err
    assert tomllib.loads((out / "recipe.toml").read_text())["plan"]["precision"] == "bf16"
    monkeypatch.setattr(training_loop, "save", saved)
    monkeypatch.setattr(precision, "times_as_fast", lambda device: pytest.fail("decided again"))
    seen: list[object] = []
    fit = training_loop.fit

    def watched(run: training_loop.Run) -> training_loop.State:
        seen.append(run.objective.model.autocast)
        return fit(run)

    monkeypatch.setattr("unfooled.commands.train.fit", watched)
    uf.train(data, out, encoder, plan=plan, resume=True)
    assert seen == [torch.bfloat16] and "precision: bf16, as the run was begun" in capsys.readouterr().err
    uf.train(data, out, encoder, plan={**plan, "precision": "bf16"}, resume=True)
    with pytest.raises(BadInput, match=r"plan\.precision: bf16 → fp32"):
        uf.train(data, out, encoder, plan={**plan, "precision": "fp32"}, resume=True)


def test_single_precision_is_the_default_and_nothing_is_said_of_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(precision, "times_as_fast", lambda device: pytest.fail("measured"))
    data, encoder = save_reviews(tmp_path / "reviews.csv", 40), save_encoder(tmp_path / "encoder")
    uf.train(str(data), tmp_path / "run", str(encoder), plan={"max_steps": 2})
    assert "precision:" not in capsys.readouterr().err
    assert tomllib.loads((tmp_path / "run" / "recipe.toml").read_text())["plan"]["precision"] == "fp32"


def test_of_two_processes_the_first_decides(tmp_path: Path) -> None:
    run_two(in_two, tmp_path)
    assert [(tmp_path / f"{rank}").read_text() for rank in range(2)] == ["bf16"] * 2
