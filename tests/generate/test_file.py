"""A file of versions while it grows: killed, stopped, begun again, and never written over."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from village import TEXTS, left, refused

from unfooled.commands.generate import generate_versions
from unfooled.files import locked
from unfooled.generate import file as version_file
from unfooled.text import languages
from unfooled.text.versions import VersionSettings


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(version_file, "BATCH_ROWS", 8)
    path = tmp_path / "village.txt"
    path.write_text("".join(f"{text}\n\n" for text in TEXTS), encoding="utf-8")
    return path


def test_what_is_finished_is_not_made_again(corpus: Path):
    first = generate_versions(corpus, "out.jsonl", seed=3)
    stamp = first.file.stat().st_mtime_ns
    assert generate_versions(corpus, "out.jsonl", seed=3, workers=2) == first
    assert first.file.stat().st_mtime_ns == stamp


def test_another_job_is_never_written_over(corpus: Path):
    generate_versions(corpus, "out.jsonl", seed=3)
    assert "out.jsonl is there already and differs in seed (3 there, 4 now)" in refused(corpus, "out.jsonl", seed=4)
    said = refused(corpus, "out.jsonl", VersionSettings(policy="released"), seed=3)
    assert "settings.policy (paper there, released now)" in said
    Path("own.jsonl").write_text("mine")
    assert "own.jsonl is there already and not from this command" in refused(corpus, "own.jsonl")
    Path("half.jsonl.part").write_text("mine")
    assert "half.jsonl.part is there already" in refused(corpus, "half.jsonl")
    assert Path("own.jsonl").read_text() == Path("half.jsonl.part").read_text() == "mine"


def test_triplets_are_another_file_than_versions_and_the_same_for_any_workers(corpus: Path):
    made = generate_versions(corpus, "triplets.jsonl", seed=3, format="triplets")
    two = generate_versions(corpus, "two.jsonl", seed=3, format="triplets", workers=2)
    assert made.file.read_bytes() == two.file.read_bytes()
    assert len(made.file.read_text().splitlines()) == made.counts["texts"] - made.counts["left_out"] > 20
    summary = json.loads(made.summary.read_text())
    assert summary["kind"] == "unfooled triplets" and set(summary["definitions"]["lines"]) == {
        "anchor", "positive", "negative",
    }  # fmt: skip
    assert "triplets.jsonl is there already and not from this command" in refused(corpus, "triplets.jsonl", seed=3)
    corpus.write_text("Of the.\nAnd of the.\n")
    assert "has words to replace, so there is no triplet" in refused(corpus, "none.jsonl", format="triplets")
    assert not list(corpus.parent.glob("none*")) and "format" in refused(corpus, "x.jsonl", format="pairs")


def begun(corpus: Path, out: str, workers: int) -> subprocess.Popen[bytes]:
    script = Path(__file__).parents[1] / "grounds" / "killed_generation.py"
    command = [sys.executable, str(script), str(corpus), out, str(workers)]
    return subprocess.Popen(command, stderr=subprocess.DEVNULL, start_new_session=True)


@pytest.mark.parametrize("workers", [1, 2])
def test_killed_at_any_moment_it_goes_on_to_the_same_bytes(corpus: Path, tmp_path: Path, workers: int):
    corpus.write_text("".join(f"{text}\n" for text in TEXTS * 6), encoding="utf-8")
    whole = generate_versions(corpus, "whole.jsonl", seed=3)
    seed = int.from_bytes(os.urandom(4), "big")
    chance, part = random.Random(seed), tmp_path / "broken.jsonl.part"
    process = begun(corpus, "broken.jsonl", workers)
    while process.poll() is None and (not part.exists() or part.stat().st_size == 0):
        time.sleep(0.001)
    time.sleep(chance.uniform(0, 0.05))
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL, "it was quicker than we were"
    note = json.loads((tmp_path / "broken.progress.json").read_text())
    assert 0 <= note["rows"] < len(TEXTS) * 6 and not Path("broken.jsonl").exists()
    with part.open("ab") as file:
        file.write(b'{"index": half a line')  # what a kill in the middle of a write leaves
    (tmp_path / ".broken.progress.json.writing").write_text("{")  # and one in the middle of a note
    made = generate_versions(corpus, "broken.jsonl", seed=3, workers=workers)
    assert made.file.read_bytes() == whole.file.read_bytes(), f"kill drawn by seed {seed}"
    assert made.summary.read_bytes() == whole.summary.read_bytes()
    assert left(tmp_path) == {"whole.jsonl", "whole.summary.json", "broken.jsonl", "broken.summary.json"}


def stopped(corpus: Path, monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
    """Leave behind what a call leaves that is stopped after some rows."""
    save = version_file.VersionFile.save

    def save_and_stop(self: version_file.VersionFile, part: Any, done: int, digest: str) -> None:
        save(self, part, done, digest)
        if done >= rows:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(version_file, "SAVE_SECONDS", 0.0)
        patch.setattr(version_file.VersionFile, "save", save_and_stop)
        with pytest.raises(KeyboardInterrupt):
            generate_versions(corpus, "out.jsonl", seed=3)


def test_a_half_made_file_is_gone_on_with_only_if_nothing_changed(corpus: Path, monkeypatch: pytest.MonkeyPatch):
    stopped(corpus, monkeypatch, 24)
    assert json.loads(Path("out.progress.json").read_text())["rows"] == 24
    said = refused(corpus, "out.jsonl", seed=4)
    assert "out.progress.json is there already and differs in seed (3 there, 4 now)" in said
    content = corpus.read_bytes()
    corpus.write_bytes(content.replace(b"Good", b"Gold"))
    assert "village.txt is no longer what out.jsonl.part was begun with" in refused(corpus, "out.jsonl", seed=3)
    corpus.write_bytes(content)
    whole = generate_versions(corpus, "whole.jsonl", seed=3)
    assert generate_versions(corpus, "out.jsonl", seed=3).file.read_bytes() == whole.file.read_bytes()


def test_a_finished_file_stands_only_for_the_texts_it_was_made_of(corpus: Path):
    made = generate_versions(corpus, "out.jsonl", seed=3, limit=20)
    content = corpus.read_bytes()
    corpus.write_bytes(content[:-5] + b"dull\n")  # as long, and different after the last row read
    assert generate_versions(corpus, "out.jsonl", seed=3, limit=20) == made
    corpus.write_bytes(content.replace(b"Good", b"Gold"))
    assert "out.jsonl was made from other texts than" in refused(corpus, "out.jsonl", seed=3, limit=20)


def test_lines_that_were_lost_are_missed(corpus: Path, monkeypatch: pytest.MonkeyPatch):
    stopped(corpus, monkeypatch, 24)
    with open("out.jsonl.part", "r+b") as file:
        file.truncate(100)
    assert "out.jsonl.part has lost lines" in refused(corpus, "out.jsonl", seed=3)


def test_two_at_once_do_not_write_one_file(corpus: Path, tmp_path: Path):
    handle = locked(tmp_path / ".out.jsonl.lock")
    assert f"another process ({os.getpid()})" in refused(corpus, tmp_path / "out.jsonl")
    os.close(handle)


def test_a_late_error_keeps_what_was_made(corpus: Path, monkeypatch: pytest.MonkeyPatch):
    content = corpus.read_bytes()
    corpus.write_bytes(content + b"\x81\n")
    monkeypatch.setattr(languages, "SAMPLE", 3)
    monkeypatch.setattr(version_file, "SAVE_SECONDS", 0.0)
    assert "row 81: byte" in refused(corpus, "out.jsonl", seed=3)
    assert json.loads(Path("out.progress.json").read_text())["rows"] == 80
    corpus.write_bytes(content + b"mended\n")
    assert generate_versions(corpus, "out.jsonl", seed=3).counts["texts"] == len(TEXTS) + 1


def test_a_note_that_is_not_ours_is_left_alone(corpus: Path):
    Path("out.progress.json").write_text('{"kind": "mine"}')
    assert "out.progress.json is there already and not from this command" in refused(corpus, "out.jsonl", seed=3)
    assert Path("out.progress.json").read_text() == '{"kind": "mine"}'
