"""Answers that cost money are kept on the disk, by the hash of their question: nothing is asked twice."""

import hashlib
import json
import threading
from pathlib import Path
from typing import Any

from unfooled.errors import BadInput
from unfooled.parsing import json_value


class AnswerMemory:
    """Answers by question; with a file also those of earlier runs, one line of JSON each, appended only.

    Questions are kept as SHA-256 alone, for texts may be private. A line that is not whole is passed over, so several
    processes may write to one file and each may be killed.
    """

    def __init__(self, file: Path | None) -> None:
        self.file, self.lock = file, threading.Lock()
        self.answers: dict[str, list[float]] = {}
        if file is None:
            return
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            lines = file.read_text(encoding="utf-8", errors="replace").splitlines() if file.is_file() else []
        except OSError as error:
            raise BadInput(
                f"answers cannot be kept in {file} ({error.strerror}); name another folder as cache"
            ) from None
        for line in lines:
            kept = kept_in(line)
            self.answers |= {kept[0]: kept[1]} if kept else {}

    def recall(self, question: str) -> list[float] | None:
        """The answer to a question that was asked before."""
        return self.answers.get(key_of(question))

    def keep(self, question: str, answer: list[float]) -> None:
        """Remember an answer, here and on the disk."""
        line = json.dumps({"question": key_of(question), "answer": answer}) + "\n"
        with self.lock:
            self.answers[key_of(question)] = answer
            if self.file is not None:
                with self.file.open("ab", buffering=0) as file:
                    file.write(line.encode())


def key_of(question: str) -> str:
    """What a question is kept under."""
    return hashlib.sha256(question.encode("utf-8", errors="replace")).hexdigest()


def kept_in(line: str) -> tuple[str, list[float]] | None:
    """The question and answer of a line; None where it is not whole.

    >>> kept_in('{"question": "ab", "answer": [0, -1.5]}'), kept_in('{"question": "ab", "ans')
    (('ab', [0.0, -1.5]), None)
    """
    try:
        kept: Any = json_value(line)
        return str(kept["question"]), [float(value) for value in kept["answer"]]
    except (ValueError, KeyError, TypeError):
        return None
