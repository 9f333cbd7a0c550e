"""Attacks end to end on a tiny model: folders, resuming under fire, hash seeds."""

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import killed_attack
import numpy as np
import pytest
import torch
from attack_ground import save_ground
from killed_attack import ATTACKS, attack_by_all

import unfooled as uf
from unfooled.commands.report import report
from unfooled.data.splits import Split
from unfooled.errors import BadInput
from unfooled.files import owned
from unfooled.journal import JOURNAL
from unfooled.results.log import read_log
from unfooled.results.open import open_results
from unfooled.victims import open_victim


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_ground(tmp_path_factory.mktemp("attacking"))


@pytest.fixture(autouse=True)
def away_from_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNFOOLED_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))
    monkeypatch.delenv("UNFOOLED_DATA", raising=False)


def log_of(out: Path, attack: str = "pwws") -> Path:
    """The one log of an attack in a folder."""
    [path] = out.glob(f"*/{attack}/{JOURNAL}")
    return path


def plain(out: Path) -> dict[int, tuple[Any, ...]]:
    found = read_log(log_of(out))
    assert found is not None
    return {r.index: (r.outcome, r.adversary, r.asked, r.from_cache) for r in found[1]}


@pytest.fixture(scope="module")
def unbroken(ground: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("unbroken")
    uf.attack(str(ground / "model"), str(ground / "reviews.csv"), "pwws", out, similarity=None, seed=3)
    return out


def test_a_folder_holds_the_records_and_their_numbers(ground: Path, unbroken: Path) -> None:
    found = uf.attack(str(ground / "model"), str(ground / "reviews.csv"), "pwws", unbroken, similarity=None, seed=3)
    assert len(found.records) == 40 and found.scores["clean_accuracy"].value == 1.0
    assert 0 < found.scores["attack_success"].value < 1
    summary = json.loads((unbroken / "summary.json").read_text())
    [model] = summary["models"].values()
    own = model["trials"]["pwws"]
    scores = {score["metric"]: score["value"] for score in own["scores"]}
    assert scores == {name: score.value for name, score in found.scores.items() if math.isfinite(score.value)} | {
        name: None for name, score in found.scores.items() if not math.isfinite(score.value)
    }
    assert own["settings"]["attack"]["pos"] == "same" and own["settings"]["parts"] == {"similarity": None}
    assert own["temperature"] == found.header.temperature is not None
    assert own["units"] == 40 and (summary["kind"], summary["schema"]) == ("unfooled evaluation", 2)
    assert {path.name for path in unbroken.iterdir()} == {log_of(unbroken).parent.parent.name, "summary.json"}


def test_a_finished_folder_is_not_attacked_again(ground: Path, unbroken: Path) -> None:
    before = log_of(unbroken).read_bytes()
    uf.attack(str(ground / "model"), str(ground / "reviews.csv"), "pwws", unbroken, similarity=None, seed=3)
    slashed = uf.attack(f"{ground / 'model'}/", str(ground / "reviews.csv"), "pwws", unbroken, similarity=None, seed=3)
    assert log_of(unbroken).read_bytes() == before and slashed.header.model == str(ground / "model")
    with pytest.raises(BadInput, match=r"settings.attack.pos \(same there, any now\)"):
        uf.attack(
            str(ground / "model"), str(ground / "reviews.csv"), uf.PWWS(pos="any"), unbroken, similarity=None, seed=3
        )


def test_the_same_bytes_under_three_hash_seeds(ground: Path, tmp_path: Path) -> None:
    script = Path(killed_attack.__file__)
    attack_by_all(str(ground), str(tmp_path / "own"))  # whatever this process's hash seed is
    for seed in ("1", "42"):
        # As many threads as this process has: they decide how sums are split, and so the last digits of probabilities.
        environment = {**os.environ, "PYTHONHASHSEED": seed, "OMP_NUM_THREADS": str(torch.get_num_threads())}
        arguments = [sys.executable, str(script), str(ground), str(tmp_path / seed)]
        subprocess.run(arguments, env=environment, check=True, stderr=subprocess.DEVNULL)
    logs = [[log_of(tmp_path / run / name, name).read_bytes() for name in ATTACKS] for run in ("own", "1", "42")]
    assert logs[0] == logs[1] == logs[2]
    outcomes = {json.loads(line)["outcome"] for log in logs[0] for line in log.splitlines()[1:]}
    assert {"fooled", "held"} <= outcomes and "error" not in outcomes


def test_two_processes_do_not_attack_into_one_log(ground: Path, unbroken: Path, tmp_path: Path) -> None:
    arguments = str(ground / "model"), str(ground / "reviews.csv"), "pwws", tmp_path
    folder = tmp_path / log_of(unbroken).parent.relative_to(unbroken)
    with owned(folder), pytest.raises(BadInput, match=rf"process \({os.getpid()}\) is writing to .*{folder.name}"):
        uf.attack(*arguments, similarity=None, seed=3)
    assert not (folder / JOURNAL).exists()
    uf.attack(*arguments, similarity=None, seed=3)
    assert plain(tmp_path) == plain(unbroken)
    names = {path.name for path in tmp_path.rglob("*") if path.is_file()}
    assert names == {JOURNAL, "summary.json"}


def test_what_was_stopped_goes_on_where_it_was(ground: Path, unbroken: Path, tmp_path: Path) -> None:
    arguments = str(ground / "model"), str(ground / "reviews.csv"), "pwws", tmp_path
    first = uf.attack(*arguments, similarity=None, seed=3)
    path = log_of(tmp_path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:11]))  # as if it had been stopped after ten
    again = uf.attack(*arguments, similarity=None, seed=3)
    assert path.read_bytes().splitlines(keepends=True)[:11] == lines[:11]
    assert again.records == first.records and again.scores == first.scores and not first.warnings
    assert again.header.temperature == first.header.temperature


def test_what_goes_on_goes_on_with_the_temperature_it_began_with(ground: Path, unbroken: Path, tmp_path: Path) -> None:
    arguments = str(ground / "model"), str(ground / "reviews.csv"), "pwws", tmp_path
    path = tmp_path / log_of(unbroken).relative_to(unbroken)
    path.parent.mkdir(parents=True)
    first, *lines = log_of(unbroken).read_text().splitlines(keepends=True)
    warmer = {**json.loads(first), "temperature": 2 * json.loads(first)["temperature"]}
    path.write_text(json.dumps(warmer) + "\n" + "".join(lines[:11]))
    found = uf.attack(*arguments, similarity=None, seed=3)
    assert found.header.temperature == warmer["temperature"]
    there = {record["index"]: record for record in map(json.loads, lines)}
    kept = {json.loads(line)["index"] for line in lines[:11]}
    for record in found.records:
        was, now = (max(before) for before in (there[record.index]["before"], record.before))
        assert (was == now) if record.index in kept else now < was
    assert not uf.verify(unbroken).otherwise and uf.verify(tmp_path).otherwise  # each is asked at its own


def logits(texts: list[str]) -> np.ndarray:
    return np.array([[-500.0, 400.0] if "good" in text else [300.0, -10.0] for text in texts])


def chances(texts: list[str]) -> np.ndarray:
    powers = np.exp(logits(texts) - 400)
    return powers / powers.sum(axis=1, keepdims=True)


def test_a_callable_that_is_too_sure_is_told_to_give_logits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    examples = Split([("a good film",), ("a dull film",)], [1, 0])
    found = uf.attack(chances, examples, out=tmp_path / "chances", similarity=None, labels=("bad", "good"))
    [warning] = found.warnings
    assert "saturated: 2 of 2 texts" in warning and found.header.temperature is None
    assert warning in (tmp_path / "chances" / "summary.json").read_text()
    assert warning in report([tmp_path / "chances"], tmp_path / "page.html").read_text()
    monkeypatch.setattr(logits, "logits", True, raising=False)
    calm = uf.attack(logits, examples, out=tmp_path / "logits", similarity=None, labels=("bad", "good"))
    assert not calm.warnings and calm.header.temperature is not None and calm.header.temperature > 100


def test_logits_do_not_go_on_in_a_log_of_probabilities(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    examples = Split([("a good film",), ("a dull film",)], [1, 0])
    uf.attack(chances, examples, out=tmp_path, similarity=None)
    path = log_of(tmp_path)
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:2]))
    monkeypatch.setattr(chances, "logits", True, raising=False)
    with pytest.raises(BadInput, match="begun with a model that gave probabilities, and chances gives logits"):
        uf.attack(chances, examples, out=tmp_path, similarity=None)


def test_an_attack_and_an_evaluation_of_it_are_one_thing(ground: Path, unbroken: Path, tmp_path: Path) -> None:
    model, data = str(ground / "model"), str(ground / "reviews.csv")
    how: dict[str, Any] = {"seed": 3, "settings": {"pwws": {"similarity": None}}}
    measured = uf.evaluate(model, data, tmp_path / "evaluated", ["pwws"], **how)
    assert log_of(tmp_path / "evaluated").read_bytes() == log_of(unbroken).read_bytes()
    assert (tmp_path / "evaluated" / "summary.json").read_bytes() == (unbroken / "summary.json").read_bytes()
    # Each goes on with what the other left, and other trials and attacks stand beside it in the folder.
    before = log_of(tmp_path / "evaluated").read_bytes()
    attacked = uf.attack(model, data, "pwws", tmp_path / "evaluated", similarity=None, seed=3)
    assert log_of(tmp_path / "evaluated").read_bytes() == before and attacked.records == measured.trials[0].records
    uf.evaluate(model, data, tmp_path / "evaluated", ["clean"], seed=3)
    uf.attack(model, data, "random", tmp_path / "evaluated", similarity=None, seed=3)
    together = open_results([tmp_path / "evaluated"])
    assert [one.trial for one in together.trials] == ["clean", "pwws", "random"]
    apart = open_results([unbroken, tmp_path / "evaluated"])  # the same trial of the same model is told once
    assert sorted(one.trial for one in apart.trials) == ["clean", "pwws", "random"] and apart.models == together.models
    for folders in ([tmp_path / "evaluated"], [unbroken, tmp_path / "evaluated"]):
        shown = report(folders, tmp_path / "page.html").read_text()
        assert all(f"Accuracy over words changed ({name})" in shown for name in ("pwws", "random"))
    assert uf.verify(tmp_path / "evaluated").holds


def test_batches_that_had_to_be_halved_are_said(tmp_path: Path) -> None:
    def victim(texts: list[str]) -> np.ndarray:
        if len(texts) > 2:
            raise MemoryError("no room")
        return np.array([[0.1, 0.9] if "good" in text else [0.9, 0.1] for text in texts])

    found = uf.attack(victim, Split([("a good film",)], [1]), out=tmp_path, similarity=None)
    [warning] = found.warnings
    assert found.records[0].outcome == "fooled" and "asked again in halves (MemoryError: no room)" in warning


def test_a_callable_is_attacked_with_its_labels() -> None:
    def victim(texts: list[str]) -> np.ndarray:
        return np.array([[0.1, 0.9] if "good" in text else [0.9, 0.1] for text in texts])

    examples = Split([("a good film",), ("a dull film",)], [1, 0])
    found = uf.attack(victim, examples, similarity=None, limit=1)
    assert found.records[0].outcome == "fooled" and found.folder is None and found.header.model_hash == ""
    with pytest.raises(BadInput, match="does not name its classes"):
        uf.attack(victim, "reviews.csv", similarity=None)


def test_a_target_leaves_its_own_examples_out(ground: Path) -> None:
    found = uf.attack(
        str(ground / "model"), str(ground / "reviews.csv"), similarity=None, target="negative", settings={"pos": "any"}
    )
    assert 0 < len(found.records) < 40 and {record.label for record in found.records} == {1}
    with pytest.raises(BadInput, match="did you mean negative"):
        uf.attack(str(ground / "model"), str(ground / "reviews.csv"), similarity=None, target="negativ")


def test_one_text_is_attacked_by_its_label_or_by_the_models_answer(ground: Path) -> None:
    model = str(ground / "model")
    record, labels = uf.attack_text(model, "the good film was a bright story", similarity=None)
    assert record.outcome in ("fooled", "held") and labels == ("negative", "positive")
    assert record.prediction == record.label
    other = labels[1 - record.label]
    again, _ = uf.attack_text(model, "the good film was a bright story", other, similarity=None)
    assert again.outcome == "already wrong"
    own = open_victim(model).answer([record.texts, record.adversary or record.texts])
    assert record.before == again.before == pytest.approx(own[0], abs=2e-6)  # as the model itself has it
    assert record.after == (tuple(own[1].round(6)) if record.adversary else ())
    with pytest.raises(BadInput, match="unknown setting attack.poss; did you mean pos"):
        uf.attack_text(model, "x", settings={"poss": 1}, similarity=None)


def test_settings_given_twice_and_names_for_other_classes_are_refused(tmp_path: Path) -> None:
    def victim(texts: list[str]) -> np.ndarray:
        return np.tile([0.1, 0.8, 0.1], (len(texts), 1))

    examples = Split([("a good film",)], [1])
    with pytest.raises(BadInput, match="has its settings already"):
        uf.attack(victim, examples, uf.PWWS(), settings={"pos": "any"}, similarity=None)
    for labels in (("no", "yes"), ("no", "yes", "yes")):
        with pytest.raises(BadInput, match=r"answers with 3 classes but has 2 names for them \(no, yes"):
            uf.attack(victim, examples, out=tmp_path, labels=labels, similarity=None)
        with pytest.raises(BadInput, match="answers with 3 classes"):
            uf.attack_text(victim, "a good film", labels=labels, similarity=None)
    assert not list(tmp_path.rglob("*"))
    with pytest.raises(BadInput, match="none is called no; give labels"):
        uf.attack(victim, examples, target="no", similarity=None)
