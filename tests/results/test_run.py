"""The suite runs, resumes and refuses; what is left does not depend on how often it was broken off."""

import json
import os
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

from unfooled.errors import BadInput
from unfooled.files import owned
from unfooled.models import Classifier, ModelSettings, TextModel, build
from unfooled.results.folder import Results
from unfooled.results.log import Header, read_log
from unfooled.results.run import evaluate, folder_name
from unfooled.trials import require_trial
from unfooled.trials.inputs import Given, Inputs
from unfooled.trials.pgd import PGDSettings
from unfooled.trials.trial import NoSettings

WORDS = ["good", "bad", "film", "story", "actor", "the", "a", "not", "very", "dull", "bright", "slow", "quick"]
DRAW = random.Random(3)
TEXTS = [(" ".join(DRAW.choices(WORDS, k=DRAW.randint(1, 15))),) for _ in range(25)]
LABELS = [DRAW.randrange(2) for _ in TEXTS]
SETTINGS = PGDSettings(eps=(0.0, 0.2, 0.5), steps=2, restarts=2)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> TextModel:
    path = tmp_path_factory.mktemp("vocabulary") / "vocab.txt"
    path.write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]), encoding="utf-8")
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(WORDS) + 5, hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=32, num_labels=2, initializer_range=0.5,
    )  # fmt: skip
    network = BertForSequenceClassification(config)
    return TextModel(Classifier(network), BertTokenizerFast(vocab=str(path)), ("no", "yes"), 32, "runs/tiny")


def other(model: TextModel, seed: int) -> TextModel:
    torch.manual_seed(seed)
    return replace(model, classifier=Classifier(BertForSequenceClassification(model.classifier.network.config)))


def run(models: list[TextModel], out: Path, **changes: object) -> Results:
    own = {
        "texts": TEXTS,
        "labels": LABELS,
        "data_hash": "h",
        "settings": SETTINGS,
        "trials": ["clean", "pgd"],
    } | changes
    texts, labels, data_hash, settings, trials = (
        own.pop(name) for name in ("texts", "labels", "data_hash", "settings", "trials")
    )
    inputs = Inputs(texts, labels, {"data": Given("toy", data_hash)})
    chosen = {name: settings if name == "pgd" else NoSettings() for name in trials}
    return evaluate(models, inputs, out, chosen, **{"batch_size": 4, **own})


def read(path: Path) -> tuple[Header, list[Any]]:
    found = read_log(path)
    assert found is not None
    return found


def stored(out: Path) -> dict[str, list[Any]]:
    return {str(path.relative_to(out)): read(path)[1] for path in out.glob("*/*/examples.jsonl")}


def test_every_model_goes_through_every_trial(tiny: TextModel, tmp_path: Path) -> None:
    second = replace(other(tiny, 5), name="second")
    seen: list[tuple[str, int, int, str]] = []
    results = run([tiny, second], tmp_path, show=lambda *step: seen.append(step))
    assert set(stored(tmp_path)) == {
        f"{slug}/{trial}/examples.jsonl" for slug in ("runs-tiny", "second") for trial in ("clean", "pgd")
    }
    assert all(
        [record.index for record in records] == list(range(25)) and [record.label for record in records] == LABELS
        for records in stored(tmp_path).values()
    )
    assert list(dict.fromkeys(row.model for row in results.rows)) == ["runs/tiny", "second"]
    assert [count for label, count, *_ in seen if label == "pgd runs/tiny"] == list(range(26))
    assert {total for _, _, total, _ in seen} == {25}
    scores = {(row.model, row.eps, row.metric): row.score for row in results.rows}
    for name in ("runs/tiny", "second"):
        under = scores[name, 0.0, "accuracy_under_attack"]
        assert under.value == scores[name, None, "accuracy"].value
        assert under.n == 25
        assert scores[name, 0.5, "mean_distance"].value > scores[name, 0.2, "mean_distance"].value > 0
    written = json.loads((tmp_path / "summary.json").read_text())
    assert written["models"]["second"]["hash"] == second.fingerprint()


def test_a_finished_evaluation_costs_nothing(tiny: TextModel, tmp_path: Path) -> None:
    first = run([tiny], tmp_path)
    passes: list[int] = []
    watch = tiny.classifier.register_forward_hook(lambda *_: passes.append(1))
    try:
        assert run([tiny], tmp_path).rows == first.rows
    finally:
        watch.remove()
    assert passes == []


def test_killed_at_any_byte_it_resumes_to_the_same_records(tiny: TextModel, tmp_path: Path) -> None:
    whole = run([tiny], tmp_path / "whole")
    expected = stored(tmp_path / "whole")
    draw = random.Random(0)
    out = tmp_path / "broken"
    for _ in range(6):
        run([tiny], out)
        (out / "summary.json").unlink()
        for path in out.glob("*/*/examples.jsonl"):
            content = path.read_bytes()
            path.write_bytes(content[: draw.randrange(len(content))])
        again = run([tiny], out)
        assert stored(out) == expected
        assert again.rows == whole.rows


def test_an_interrupted_run_keeps_what_it_showed(tiny: TextModel, tmp_path: Path) -> None:
    def interrupt(label: str, done: int, *_: object) -> None:
        if label.startswith("pgd") and done == 11:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run([tiny], tmp_path, show=interrupt)
    counts = {name: len(records) for name, records in stored(tmp_path).items()}
    assert counts == {"runs-tiny/clean/examples.jsonl": 25, "runs-tiny/pgd/examples.jsonl": 11}
    assert not (tmp_path / "summary.json").exists()
    run([tiny], tmp_path)
    run([tiny], tmp_path / "whole")
    for name, records in stored(tmp_path / "whole").items():
        assert read(tmp_path / name)[1] == records


def test_one_log_has_one_writer_and_another_trial_may_be_written_beside_it(tiny: TextModel, tmp_path: Path) -> None:
    with owned(tmp_path / "runs-tiny" / "pgd"):
        with pytest.raises(
            BadInput, match=rf"another process \({os.getpid()}\) is writing to .*pgd; wait until it ends"
        ):
            run([tiny], tmp_path, trials=["pgd"])
        assert [row.trial for row in run([tiny], tmp_path, trials=["clean"]).rows] == ["clean"] * 3
    run([tiny], tmp_path)
    assert {path.name for path in tmp_path.rglob("*") if path.is_file()} == {"examples.jsonl", "summary.json"}
    assert {name: len(records) for name, records in stored(tmp_path).items()} == {
        "runs-tiny/clean/examples.jsonl": 25,
        "runs-tiny/pgd/examples.jsonl": 25,
    }


def test_the_log_is_on_the_disk_when_a_trial_ends(
    tiny: TextModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synchronised: list[str] = []
    fsync = os.fsync

    def noted(handle: int) -> None:
        synchronised.append(Path(f"/proc/self/fd/{handle}").resolve().name)
        fsync(handle)

    monkeypatch.setattr(os, "fsync", noted)
    run([tiny], tmp_path, trials=["clean"])
    assert synchronised[0] == "examples.jsonl" and len(synchronised) == 2


def test_the_batch_size_may_change_on_resume(tiny: TextModel, tmp_path: Path) -> None:
    run([tiny], tmp_path, trials=["clean"])
    run([tiny], tmp_path, trials=["clean", "pgd"], batch_size=7)
    assert len(stored(tmp_path)) == 2


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        (
            {"settings": PGDSettings(eps=(0.0, 0.3))},
            r"settings\.eps \(0\.0, 0\.2, 0\.5 there, 0\.0, 0\.3 now\)",
        ),
        ({"settings": PGDSettings(eps=(0.0, 0.2, 0.5), steps=3, restarts=2)}, r"settings\.steps"),
        ({"seed": 1}, "seed"),
        ({"data_hash": "g"}, "data_hash"),
        ({"labels": [1 - LABELS[0], *LABELS[1:]]}, "examples_hash"),
        ({"texts": TEXTS[:9], "labels": LABELS[:9]}, r"examples \(25 there, 9 now\)"),
    ],
)
def test_a_changed_evaluation_is_refused_and_nothing_is_lost(
    tiny: TextModel, tmp_path: Path, changes: dict, key: str
) -> None:
    run([tiny], tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    for model in (tiny, replace(tiny, name="another")):
        with pytest.raises(BadInput, match=key):
            run([model], tmp_path, **changes)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_a_retrained_model_is_refused_and_clean_does_not_mind_the_attack(tiny: TextModel, tmp_path: Path) -> None:
    run([tiny], tmp_path, trials=["clean"])
    with pytest.raises(BadInput, match="model_hash"):
        run([other(tiny, 8)], tmp_path, trials=["pgd"])
    run([tiny], tmp_path, trials=["clean"], settings=PGDSettings(steps=9))


def test_models_are_added_to_a_folder(tiny: TextModel, tmp_path: Path) -> None:
    run([tiny], tmp_path)
    results = run([replace(other(tiny, 5), name="second")], tmp_path, trials=["pgd"])
    assert list(dict.fromkeys((row.model, row.trial) for row in results.rows)) == [
        ("second", "pgd"),
        ("runs/tiny", "clean"),
        ("runs/tiny", "pgd"),
    ]


def test_two_models_of_one_name_get_two_folders(tiny: TextModel, tmp_path: Path) -> None:
    twin = other(tiny, 5)
    results = run([tiny, twin], tmp_path, trials=["clean"])
    names = [f"runs-tiny-{model.fingerprint()[:8]}" for model in (tiny, twin)]
    assert list(dict.fromkeys(row.model for row in results.rows)) == names
    with pytest.raises(BadInput, match="give each model once"):
        run([tiny, tiny], tmp_path / "same")


@pytest.mark.parametrize(
    "name", ["..", "/", "", "a/../b", "C:\\x\\y", "x" * 300, "naïve modèle", "summary.json", ".hidden"]
)
def test_folder_names_are_safe(name: str) -> None:
    safe = folder_name(name)
    assert 0 < len(safe) <= 80
    assert set(safe) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
    assert not safe.startswith("-")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"trials": ["claen"]}, "no trial called claen; did you mean clean"),
        ({"trials": []}, "at least one model and one trial"),
        ({"texts": [], "labels": []}, "no examples"),
        ({"labels": LABELS[:-1]}, "25 texts have 24 labels"),
        ({"labels": [2, *LABELS[1:]]}, r"example 0 has label 2, but runs/tiny knows 2 classes \(no, yes\)"),
        ({"labels": [*LABELS[:-1], -1]}, "example 24 has label -1"),
        ({"texts": ["good film", *TEXTS[1:]]}, "example 0 is no text or pair"),
        ({"texts": ["ab"] * 25}, "example 0 is no text or pair"),
        ({"texts": [*TEXTS[:-1], ("a", "b")]}, "example 24 is no text or pair"),
        ({"batch_size": 0}, "batch size is 0"),
    ],
)
def test_bad_input_is_refused_before_anything_is_written(
    tiny: TextModel, tmp_path: Path, changes: dict, message: str
) -> None:
    with pytest.raises(BadInput, match=message):
        run([tiny], tmp_path / "out", **changes)
    assert not (tmp_path / "out").exists()


def test_attacks_on_different_examples_are_refused_before_anything_is_computed(tiny: TextModel, tmp_path: Path) -> None:
    told = {name: require_trial(name, "classification").settings(most=len(name)) for name in ("pwws", "random")}
    with pytest.raises(BadInput, match="random cannot stand in one table with pwws: they differ in examples"):
        evaluate([tiny], Inputs(TEXTS, LABELS, {"data": Given("toy", "h")}), tmp_path / "out", told)
    assert not (tmp_path / "out").exists()


def test_a_folder_of_something_else_is_refused(tiny: TextModel, tmp_path: Path) -> None:
    (tmp_path / "summary.json").write_text('{"kind": "unfooled search", "schema": 1}')
    with pytest.raises(BadInput, match="not from an evaluation"):
        run([tiny], tmp_path)
    (tmp_path / "summary.json").unlink()
    (tmp_path / "examples.jsonl").write_text('{"kind": "unfooled attack", "schema": 1, "attack": "pwws"}\n')
    with pytest.raises(BadInput, match="has schema version 1, this unfooled reads 2; measure again into a new folder"):
        run([tiny], tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["examples.jsonl"]
    (tmp_path / "file").write_text("x")
    with pytest.raises(BadInput, match="is a file"):
        run([tiny], tmp_path / "file")


def test_a_victim_without_gradients_is_warned_of(tiny: TextModel, tmp_path: Path) -> None:
    masked = other(tiny, 0)
    masked.classifier.network.classifier.register_forward_hook(lambda _, given, logits: logits.round())
    sound, useless = run([tiny], tmp_path / "sound"), run([masked], tmp_path / "masked")
    assert sound.warnings == ()
    assert "gradient masking" in useless.warnings[0] and "zero gradient" in useless.warnings[-1]
    assert json.loads((tmp_path / "masked" / "summary.json").read_text())["warnings"] == list(useless.warnings)


@pytest.mark.parametrize("name", ["minilm", "textcnn"])
def test_real_networks_are_evaluated(name: str, tmp_path: Path) -> None:
    model = build(ModelSettings(name=name), ("negative", "positive"), seed=0)
    texts = [("a film of rare beauty",), ("dull, dull, dull",), ("🙂 ‮ naïve",), ("",)]
    results = run([model], tmp_path, texts=texts, labels=[1, 0, 1, 0], settings=PGDSettings())
    scores = {(row.eps, row.metric): row.score.value for row in results.rows}
    assert scores[0.0, "accuracy_under_attack"] == scores[None, "accuracy"]
    assert pytest.approx(scores[0.0, "mean_cosine"]) == 1 and scores[0.1, "mean_cosine"] < 1
