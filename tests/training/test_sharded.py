import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from forked import run_two
from safetensors.torch import load_file
from shared_out import BROKEN_OFF, MOVED, NAMES, SIX, TWENTY, fit_until, fit_with_no_number, partly_frozen, told
from shared_out import main as in_two
from support import ARCHITECTURES, assert_close, tiny_network
from transformers import pipeline
from two_processes import eager, gradients, prepared

import unfooled as uf
from unfooled.errors import BadInput
from unfooled.methods import Finetune
from unfooled.models import load, probabilities
from unfooled.training import fit
from unfooled.training.sharded import layers_of

# Twenty steps of these are made; of all of NAMES with --all-loops (make test-loops).
SOME = ("pgd", "carl", "rar", "worst_words, behind a layer")


@pytest.fixture(scope="module")
def of_two(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What two real gloo processes that share an encoder out come to, in one launch."""
    folder = tmp_path_factory.mktemp("two")
    for name in MOVED:
        fit_until(prepared(eager(name), folder / "from one" / name, plan=TWENTY), BROKEN_OFF)
    every = request.config.getoption("--all-loops")
    run_two(partial(in_two, NAMES if every else SOME, NAMES if every else SOME[1:2]), folder)
    return folder


def near(found: list[dict[str, Any]], expected: list[dict[str, Any]]) -> None:
    """Every number of two logs is the same up to rounding: absolutely where it is below 1, else in proportion."""
    assert len(found) == len(expected) >= 6
    for mine, other in zip(found, expected, strict=True):
        assert mine.keys() == other.keys()
        for key, value in other.items():
            assert mine[key] == (pytest.approx(value, abs=1e-6, rel=1e-6) if isinstance(value, float) else value), key


@pytest.mark.parametrize("name", NAMES)
def test_the_gradient_of_an_update_is_that_of_one_process(name: str, of_two: Path, tmp_path: Path) -> None:
    one = gradients(prepared(eager(name), tmp_path), updates=2)
    assert_close(load_file(of_two / f"{name}.safetensors"), one)


@pytest.mark.parametrize("name", NAMES)
def test_twenty_steps_are_those_of_one_process(
    name: str, of_two: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if name not in SOME and not request.config.getoption("--all-loops"):
        pytest.skip("one of the others is tried; all with --all-loops")
    fit(prepared(eager(name), tmp_path, plan=TWENTY))
    near(told(of_two / name), told(tmp_path))
    assert [line["step"] for line in told(tmp_path) if line["kind"] == "train"] == list(range(1, 21))


@pytest.mark.parametrize("name", MOVED)
def test_a_run_goes_on_in_another_number_of_processes(name: str, of_two: Path, tmp_path: Path) -> None:
    fit(prepared(eager(name), tmp_path, plan=TWENTY))
    to_one, from_one = of_two / "to one" / name, of_two / "from one" / name
    assert [line["step"] for line in told(to_one)][-1] == BROKEN_OFF
    fit(prepared(eager(name), to_one, plan=TWENTY))
    near(told(to_one), told(tmp_path))
    near(told(from_one), told(tmp_path))


def test_each_process_keeps_its_half_of_the_memory_banks(of_two: Path, tmp_path: Path) -> None:
    fit(prepared(eager("carl"), tmp_path, plan=TWENTY))
    for place in (tmp_path / "checkpoints").iterdir():
        one = load_file(place / "objective.safetensors")
        both = of_two / "carl" / "checkpoints" / place.name
        parts = [load_file(both / f"objective-{number}-of-2.safetensors") for number in (1, 2)]
        for name in ("original.rows", "adversarial.rows"):
            assert abs(len(parts[0][name]) - len(parts[1][name])) <= 1
            assert_close({name: torch.cat([part[name] for part in parts])}, {name: one[name]})


def test_weights_that_are_not_trained_and_rates_of_their_own(of_two: Path, tmp_path: Path) -> None:
    fit(prepared(Finetune(), tmp_path, plan=SIX, change=partly_frozen))
    near(told(of_two / "frozen"), told(tmp_path))


def test_what_is_no_number_in_one_process_is_left_out_by_both(of_two: Path, tmp_path: Path) -> None:
    assert fit_with_no_number(prepared(eager("pgd"), tmp_path, plan=SIX), here=True).skipped == 1
    near(told(of_two / "skipped"), told(tmp_path))


def test_a_checkpoint_is_a_file_of_tensors_for_each_process_and_never_a_pickle(of_two: Path) -> None:
    for place in (of_two / "pgd" / "checkpoints").iterdir():
        kinds = [f"{kind}-{number}-of-2.safetensors" for kind in ("objective", "optimizer") for number in (1, 2)]
        assert sorted(path.name for path in place.iterdir()) == sorted([*kinds, "manifest.json", "state.json"])
        parts = [load_file(place / f"objective-{number}-of-2.safetensors") for number in (1, 2)]
        name = "model.network.bert.encoder.layer.0.intermediate.dense.weight"
        assert [len(part[name]) for part in parts] == [16, 16]
        assert "model.network.classifier.weight" in parts[0] and "model.network.classifier.weight" not in parts[1]


@pytest.mark.parametrize("damage", [lambda file: file.unlink(), lambda file: file.write_bytes(b"x")])
def test_a_piece_that_is_gone_or_damaged_is_refused(damage: Callable[[Path], None], of_two: Path) -> None:
    folder = prepared(Finetune(), of_two / "frozen").folder
    step = folder.steps()[-1]
    file = folder.checkpoints / f"step-{step}" / "objective-2-of-2.safetensors"
    before = file.read_bytes()
    damage(file)
    try:
        with pytest.raises(BadInput, match=r"objective-2-of-2\.safetensors differs from its manifest"):
            folder.load(step)
    finally:
        file.write_bytes(before)
    assert folder.load(step).state.step == step


def test_the_saved_model_opens_in_plain_transformers(of_two: Path) -> None:
    model = of_two / "run" / "model"
    assert json.loads((model / "config.json").read_text())["architectures"] == ["BertForSequenceClassification"]
    texts = ["the film was good", "a very dull plot and a cold story", "quite lovely"]
    ours = probabilities(load(str(model)), [(text,) for text in texts])
    for row, answers in zip(ours, pipeline("text-classification", str(model), top_k=None)(texts), strict=True):
        found = {answer["label"]: answer["score"] for answer in answers}
        assert found == pytest.approx({"negative": row[0], "positive": row[1]}, abs=1e-6)
    assert json.loads((of_two / "run" / "summary.json").read_text())["model_hash"] == load(str(model)).fingerprint()


@pytest.mark.parametrize("kind", ARCHITECTURES)
def test_layers_are_found_in_every_encoder(kind: str) -> None:
    encoder = tiny_network(kind).base_model
    found = layers_of(encoder)
    assert len(found) == (1 if kind == "albert" else 2)  # ALBERT goes through one layer twice
    inside = sum(parameter.numel() for layer in found for parameter in layer.parameters())
    assert inside > 0.5 * sum(parameter.numel() for parameter in encoder.parameters()) - VOCABULARY_AND_REST


VOCABULARY_AND_REST = 60 * 32 + 3000  # of these tiny encoders


@pytest.mark.parametrize(
    ("model", "method", "sentence"),
    [
        ("minilm", "finetune", "shares a network out over processes, and there is one; start several with torchrun"),
        ({"name": "minilm", "lora": {}}, "finetune", "shares out whole networks, and model.lora trains little of one"),
        ("minilm", "mlm", "shares out models that answer text by text, not"),
    ],
)
def test_what_cannot_be_shared_out_is_refused_in_a_sentence(
    model: Any, method: str, sentence: str, tmp_path: Path
) -> None:
    (tmp_path / "data.csv").write_text("text,label\n" + "good film,yes\nbad film,no\n" * 20)
    with pytest.raises(BadInput, match=sentence) as refused:
        uf.train(str(tmp_path / "data.csv"), tmp_path / "run", model, method, {"engine": "fsdp"})
    assert str(refused.value).endswith('use plan={"engine": "replicas"}')


def test_what_is_packed_is_not_shared_out(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("text,label\n" + "good film,yes\nbad film,no\n" * 20)
    with pytest.raises(BadInput, match=r"plan\.engine = fsdp and plan\.packed go by different ways"):
        uf.train(str(tmp_path / "data.csv"), tmp_path / "run", "minilm", plan={"engine": "fsdp", "packed": True})


def test_a_network_without_layers_is_refused(tmp_path: Path) -> None:
    from unfooled.models import ModelSettings, build
    from unfooled.training import Plan, Processes
    from unfooled.training.sharded import ShardedEngine

    model = build(ModelSettings(name="textcnn"), ["no", "yes"], seed=0).classifier
    objective = Finetune().build(model, None)  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="finds no layers in TextCNN"):
        ShardedEngine(objective, Plan(learning_rate=1e-3), Processes())
