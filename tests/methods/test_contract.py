"""What every method of the table must keep; a new paper joins by being in METHODS."""

import json
from pathlib import Path

import pytest
from exchange_ground import save_neighbours
from forked import run_two
from safetensors.torch import load_file
from support import assert_close
from tiny import save_encoder, save_reviews
from transformers import pipeline
from two_processes import AS_IT_IS, VARIANTS, eager, gradients, light, prepared, trained_with_turns, turns_in_two
from two_processes import main as in_two

import unfooled as uf
from unfooled import perturb
from unfooled.errors import Stopped
from unfooled.methods import METHODS, Method
from unfooled.models import load, probabilities
from unfooled.models.encoders.more_words import WORDS
from unfooled.models.encoders.pretrained import weights_hash
from unfooled.training import fit
from unfooled.training import loop as training_loop

ALL = pytest.mark.parametrize("name", [*METHODS, AS_IT_IS])
# Variants of which what is kept between steps depends on more than the method's own settings.
KEEPING = (
    AS_IT_IS,
    "freelb, remembering",
    "worst_words, turned",
    "worst_words, half of the rows",
    "worst_words, every second step",
    "worst_words, behind a layer",
)
CLASSIFIERS = pytest.mark.parametrize(
    "name", [*(name for name in METHODS if "classification" in METHODS[name].tasks), AS_IT_IS]
)


def test_the_defaults_are_the_presets() -> None:
    """Numbers stand in two places, for two kinds of reader; they must not drift apart."""
    assert [uf.FGM().ascent(), uf.PGD().ascent(), uf.FreeLB().ascent(), uf.SMART().ascent()] == [
        perturb.FGM,
        perturb.PGD,
        perturb.FREELB,
        perturb.SMART,
    ]


@ALL
def test_every_trainable_parameter_receives_a_gradient(name: str, tmp_path: Path) -> None:
    run = prepared(eager(name), tmp_path)
    gradients(run, updates=1)
    without = [
        key
        for key, parameter in run.objective.named_parameters()
        if parameter.requires_grad and (parameter.grad is None or not parameter.grad.abs().sum() > 0)
    ]
    assert not without


def test_worst_words_as_it_is_draws_from_all_its_sources_and_trains_the_words_that_it_adds(tmp_path: Path) -> None:
    run = prepared(eager(AS_IT_IS), tmp_path)
    drawn = ("wordnet", "any_sense", "near", "typos")
    assert set(run.objective.draws) == {*((name,) for name in drawn), drawn}
    gradients(run, updates=1)
    network = run.objective.model.network
    added = network.config.to_dict()[WORDS]
    rows = network.get_input_embeddings().weight.grad[-added:].abs().sum(dim=1)
    assert 0 < (rows > 0).sum() < added  # only candidates that are read


@ALL
def test_switched_off_is_the_baseline(name: str, tmp_path: Path) -> None:
    method = eager(name).switched_off()  # acting from the first step, or nothing would be switched off
    mine = gradients(prepared(method, tmp_path / "off"), updates=2)
    baseline = "mlm" if "pretraining" in method.tasks else "finetune"
    base = gradients(prepared(METHODS[baseline](), tmp_path / "base"), updates=2)
    assert_close({key: value for key, value in mine.items() if key in base}, base)


@pytest.mark.parametrize("name", [*METHODS, *KEEPING])
def test_six_steps_are_three_and_a_restart_and_three(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = {"max_steps": 6, "epochs": 4, "save_every": 3, "accumulation": 2, "evaluations_per_epoch": 2, "average": 0.9}
    method = quick(name)
    whole = prepared(method, tmp_path / "whole", dropout=0.2, plan=plan)
    fit(whole)
    broken = prepared(method, tmp_path / "broken", dropout=0.2, plan=plan)
    saved = training_loop.save

    def save_and_stop(run: training_loop.Run, state: training_loop.State) -> None:
        saved(run, state)
        if state.step == 3:
            raise Stopped("here")

    monkeypatch.setattr(training_loop, "save", save_and_stop)
    with pytest.raises(Stopped):
        fit(broken)
    monkeypatch.setattr(training_loop, "save", saved)
    again = prepared(method, tmp_path / "broken", dropout=0.2, plan=plan)
    fit(again)
    assert weights_hash(again.objective) == weights_hash(whole.objective)
    assert metrics(tmp_path / "broken") == metrics(tmp_path / "whole")
    assert weights_hash(broken.objective) != weights_hash(whole.objective)


def quick(name: str) -> Method:
    """A method of the table but for what takes long to make, or one of its variants."""
    return eager(name) if name in VARIANTS else light(name)


def metrics(folder: Path) -> list[dict[str, object]]:
    lines = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    return [{key: value for key, value in line.items() if key != "step_seconds"} for line in lines]


def test_a_term_that_one_process_alone_has_is_logged_as_one_process_would(tmp_path: Path) -> None:
    """Texts turned in part are few: in a step of two processes one may have some, and the other none."""
    run_two(turns_in_two, tmp_path)
    objective = trained_with_turns(tmp_path / "one").objective
    turned = [own for epoch in range(2) for row in range(13) if (own := objective.turn(row, (0, epoch)))]
    assert {own.whole for own in turned} == {True, False}
    one, two = (metrics(tmp_path / name) for name in ("one", "two"))
    assert any(line.get("hinge", 0.0) for line in one) and len(one) == len(two)
    for mine, other in zip(one, two, strict=True):
        assert other == {name: pytest.approx(value, abs=1e-5) for name, value in mine.items()}


@pytest.fixture(scope="module")
def of_two(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The gradients two real gloo processes come to, for all methods in one launch."""
    folder = tmp_path_factory.mktemp("two")
    run_two(in_two, folder)
    return folder


@pytest.mark.parametrize("name", [*METHODS, *VARIANTS])
def test_two_processes_are_one_with_the_doubled_batch(name: str, of_two: Path, tmp_path: Path) -> None:
    one = gradients(prepared(eager(name), tmp_path), updates=2)
    two = load_file(of_two / f"{name}.safetensors")
    assert (of_two / f"{name}.sizes").read_text() == "4+4 3+2"  # the last batch is uneven
    # Batch normalisation divides by what is left of features after their mean: rounding counts for more there.
    assert_close(two, one, 1e-5 if "batch normalisation" in name else 1e-6)


@CLASSIFIERS
def test_a_saved_model_predicts_the_same_here_and_in_plain_transformers(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNFOOLED_DATA", str(save_neighbours(tmp_path / "data")))
    encoder = save_encoder(tmp_path / "encoder")
    data = save_reviews(tmp_path / "reviews.csv", 40)
    method = ready(name, str(data), str(encoder), tmp_path)
    plan = {"max_steps": 4, "batch_size": 8, "average": 0.9, "calibrate": True}
    run = uf.train(str(data), tmp_path / "run", str(encoder), method, plan)
    assert json.loads((tmp_path / "run" / "summary.json").read_text())["temperature"] > 0
    texts = ["the film was good", "a very dull plot and a cold story", "quite lovely"]
    ours = probabilities(load(run.model), [(text,) for text in texts])
    classify = pipeline("text-classification", run.model, top_k=None)
    for row, answers in zip(ours, classify(texts), strict=True):
        found = {answer["label"]: answer["score"] for answer in answers}
        assert found == pytest.approx({"negative": row[0], "positive": row[1]}, abs=1e-6)


def ready(name: str, data: str, encoder: str, folder: Path) -> Method:
    """A method of the table; where it trains on adversaries, with those of a plain model."""
    if name != "adversarial_text":
        return quick(name)
    plain = uf.train(data, folder / "plain", encoder, plan={"epochs": 8, "batch_size": 8, "learning_rate": 1e-2})
    uf.attack(plain.model, data, "deepwordbug", folder / "attack", similarity=None)
    return METHODS[name].model_validate({"adversaries": str(folder / "attack"), "strangers": "leave out"})
