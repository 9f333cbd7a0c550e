from pathlib import Path

import pytest

from unfooled.errors import BadInput
from unfooled.victims.servers.memory import AnswerMemory


def test_answers_are_kept_for_the_next_run_and_texts_are_not(tmp_path: Path) -> None:
    file = tmp_path / "chat" / "mine.jsonl"
    memory = AnswerMemory(file)
    memory.keep("a private text", [0.0, -1.25])
    AnswerMemory(file).keep("another", [1.0, 0.0])
    assert memory.recall("another") is None and "private" not in file.read_text()
    again = AnswerMemory(file)
    assert again.recall("a private text") == [0.0, -1.25] and again.recall("another") == [1.0, 0.0]


def test_a_line_that_is_not_whole_is_passed_over(tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonl"
    AnswerMemory(file).keep("one", [1.0])
    whole = file.read_bytes()
    file.write_bytes(b'[3]\n{"question": 3}\n\xff\n' + whole + whole[:30])
    assert (
        AnswerMemory(file).answers.keys() == AnswerMemory(file).answers.keys() and len(AnswerMemory(file).answers) == 1
    )


def test_without_a_file_nothing_is_written_and_a_bad_folder_is_said(tmp_path: Path) -> None:
    memory = AnswerMemory(None)
    memory.keep("one", [1.0])
    assert memory.recall("one") == [1.0]
    (tmp_path / "taken").write_text("")
    with pytest.raises(BadInput, match="answers cannot be kept in .*name another folder as cache"):
        AnswerMemory(tmp_path / "taken" / "mine.jsonl")
