"""A chore is done where its letter says, and what is said of it arrives; what goes wrong is an answer too."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from unfooled.device import device, on_device
from unfooled.errors import on_the_command_line
from unfooled.workers.chores import Chore, is_last, is_letter, run_chore, said_meanwhile


def letter(name: str, **values: Any) -> bytes:
    return Chore("a chore", f"chores_ground:{name}", values, lambda: None).letter()


def answers_of(question: bytes) -> list[dict[str, Any]]:
    said: list[dict[str, Any]] = []
    run_chore(question, said.append)
    return said


def meanwhile(question: bytes) -> list[dict[str, Any]]:
    return list(said_meanwhile(question))


@pytest.mark.parametrize("ask", [answers_of, meanwhile], ids=["in this thread", "as it is said"])
def test_what_is_shown_and_said_inside_is_told_and_then_what_came_of_it(
    ask: Callable[[bytes], list[dict[str, Any]]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    with on_the_command_line():
        question = letter("shown", word="leaves")
    before = Path.cwd()
    os.chdir("/")  # a worker may stand elsewhere
    said = ask(question)
    assert Path.cwd() == before and is_letter(question) and not is_letter(b"[1]") and not is_letter(b'{"model": 1}')
    done = {"done": {"word": "leaves", "folder": str(tmp_path), "option": "--workers"}}
    assert said == [{"at": 0.0}, {"say": "a line about leaves"}, {"at": 1.0}, done]
    assert [is_last(answer) for answer in said] == [False, False, False, True]
    assert capfd.readouterr() == ("", "")


def test_what_is_taken_refused_or_fails_is_an_answer(tmp_path: Path) -> None:
    assert answers_of(letter("taken")) == [{"taken": "another process is at it"}]
    assert answers_of(letter("refused")) == [{"refused": "mend it"}]
    full = {"system": {"number": 28, "reason": "No space left on device", "file": "a.csv"}}
    assert answers_of(letter("full", file="a.csv")) == [full]
    [failed] = answers_of(letter("failing"))
    assert "ValueError: wrong" in failed["failed"]


def test_a_machine_without_the_folder_is_told_what_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    before = Path.cwd()
    os.chdir(gone)
    question = letter("shown", word="x")
    os.chdir(before)
    gone.rmdir()
    [refused] = answers_of(question)
    assert refused["refused"].startswith(f"a worker cannot enter {gone} (No such file")
    assert "give every machine the same folders, by a shared disk" in refused["refused"]


def test_a_worker_computes_on_the_device_that_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chores_ground.taken", device)
    with on_device("cpu"):
        question = letter("taken")
    assert answers_of(question) == [{"done": "cpu"}]
    with on_device("cuda:99"):
        question = letter("taken")
    [refused] = answers_of(question)
    assert "cuda:99" in refused["refused"]
