"""Attacks end to end on a tiny model: folders, resuming under fire, hash seeds."""

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from attack_ground import save_ground
from killed_attack import ATTACKS, attack_by_all, attack_quietly

import unfooled as uf
from unfooled.commands.sessions import sessions
from unfooled.data.splits import Split
from unfooled.errors import BadInput
from unfooled.evaluation.attack_log import LOG, read_attack
from unfooled.files import owned

KILLS = 10


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_ground(tmp_path_factory.mktemp("attacking"))


@pytest.fixture(autouse=True)
def away_from_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNFOOLED_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))
    monkeypatch.delenv("UNFOOLED_DATA", raising=False)


def plain(out: Path) -> dict[int, tuple[Any, ...]]:
    found = read_attack(out / LOG)
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
    assert summary["scores"]["attack_success"]["value"] == found.scores["attack_success"].value
    assert summary["settings"]["pos"] == "same" and summary["parts"] == {"similarity": None}
    assert sum(summary["outcomes"].values()) == 40


def test_a_finished_folder_is_not_attacked_again(ground: Path, unbroken: Path) -> None:
    before = (unbroken / LOG).read_bytes()
    uf.attack(str(ground / "model"), str(ground / "reviews.csv"), "pwws", unbroken, similarity=None, seed=3)
    assert (unbroken / LOG).read_bytes() == before
    with pytest.raises(BadInput, match=r"settings.pos \(same there, any now\)"):
        uf.attack(
            str(ground / "model"), str(ground / "reviews.csv"), uf.PWWS(pos="any"), unbroken, similarity=None, seed=3
        )


def test_ten_kills_change_nothing(ground: Path, unbroken: Path, tmp_path: Path) -> None:
    server = multiprocessing.get_context("forkserver")
    server.set_forkserver_preload(["unfooled.commands.attack", "transformers.models.bert.modeling_bert", "lemminflect"])
    path = tmp_path / LOG
    kills = 0
    while True:
        lines = path.read_bytes().count(b"\n") if path.exists() else 0
        process = server.Process(target=attack_quietly, args=(str(ground), str(tmp_path)))
        process.start()
        while process.is_alive() and kills < KILLS:
            now = path.read_bytes() if path.exists() else b""
            if now.count(b"\n") > max(lines, 1) + kills % 3:
                assert process.pid is not None
                os.kill(process.pid, signal.SIGKILL)
                kills += 1
                break
            time.sleep(0.002)
        process.join(60)
        if kills % 2 and path.exists():  # what a kill in the midst of a line leaves behind
            with path.open("ab") as file:
                file.write(b'{"index": 3, "la')
        if process.exitcode == 0:
            break
    assert kills == KILLS
    assert plain(tmp_path) == plain(unbroken)  # read_attack refuses an example that is there twice


def test_the_same_bytes_under_three_hash_seeds(ground: Path, tmp_path: Path) -> None:
    script = Path(__file__).parents[1] / "killed_attack.py"
    attack_by_all(str(ground), str(tmp_path / "own"))  # whatever this process's hash seed is
    for seed in ("1", "42"):
        # As many threads as this process has: they decide how sums are split, and so the last digits of probabilities.
        environment = {**os.environ, "PYTHONHASHSEED": seed, "OMP_NUM_THREADS": str(torch.get_num_threads())}
        arguments = [sys.executable, str(script), str(ground), str(tmp_path / seed)]
        subprocess.run(arguments, env=environment, check=True, stderr=subprocess.DEVNULL)
    logs = [[(tmp_path / run / name / LOG).read_bytes() for name in ATTACKS] for run in ("own", "1", "42")]
    assert logs[0] == logs[1] == logs[2]
    outcomes = {json.loads(line)["outcome"] for log in logs[0] for line in log.splitlines()[1:]}
    assert {"fooled", "held"} <= outcomes and "error" not in outcomes


def test_two_processes_do_not_attack_into_one_folder(ground: Path, unbroken: Path, tmp_path: Path) -> None:
    arguments = str(ground / "model"), str(ground / "reviews.csv"), "pwws", tmp_path / "out"
    with owned(tmp_path / "out"), pytest.raises(BadInput, match=rf"process \({os.getpid()}\) is writing to .*out"):
        uf.attack(*arguments, similarity=None, seed=3)
    assert not (tmp_path / "out" / LOG).exists()
    uf.attack(*arguments, similarity=None, seed=3)
    assert plain(tmp_path / "out") == plain(unbroken)
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {LOG, "summary.json", "sessions.jsonl"}


def test_sessions_add_up_and_the_log_is_on_the_disk(
    ground: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = str(ground / "model"), str(ground / "reviews.csv"), "pwws", tmp_path
    synchronised: list[str] = []
    fsync = os.fsync

    def noted(handle: int) -> None:
        synchronised.append(Path(f"/proc/self/fd/{handle}").resolve().name)
        fsync(handle)

    monkeypatch.setattr(os, "fsync", noted)
    found = uf.attack(*arguments, similarity=None, seed=3)
    assert LOG in synchronised and not found.warnings
    lines = (tmp_path / LOG).read_bytes().splitlines(keepends=True)
    (tmp_path / LOG).write_bytes(b"".join(lines[:11]))  # as if it had been stopped after ten
    uf.attack(*arguments, similarity=None, seed=3)
    uf.attack(*arguments, similarity=None, seed=3)  # there is nothing left to do
    first, second = sessions(tmp_path)
    assert first.work.examples == 40 and second.work.examples == 30 and first.seconds > 0 < second.seconds
    assert first.work.texts == sum(record.queries for record in found.records) > second.work.texts


def test_batches_that_had_to_be_halved_are_said(tmp_path: Path) -> None:
    def victim(texts: list[str]) -> np.ndarray:
        if len(texts) > 2:
            raise MemoryError("no room")
        return np.array([[0.1, 0.9] if "good" in text else [0.9, 0.1] for text in texts])

    found = uf.attack(victim, Split([("a good film",)], [1]), out=tmp_path, similarity=None)
    [warning] = found.warnings
    assert found.records[0].outcome == "fooled" and "asked again in halves (MemoryError: no room)" in warning
    assert sessions(tmp_path)[0].work.halved > 0


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
    assert not (tmp_path / LOG).exists()
    with pytest.raises(BadInput, match="none is called no; give labels"):
        uf.attack(victim, examples, target="no", similarity=None)
