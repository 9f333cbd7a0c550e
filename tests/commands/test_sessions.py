from pathlib import Path

import pytest

from unfooled.attacks.engine import Work
from unfooled.commands.sessions import SESSIONS, session, sessions


def test_a_session_is_written_down_however_it_ends(tmp_path: Path) -> None:
    work = Work()
    with session(tmp_path, work):
        work.examples, work.batches, work.texts = 2, 3, 90
    other = Work()
    with pytest.raises(KeyError), session(tmp_path, other):
        other.texts, other.halved, other.reason = 5, 1, "MemoryError: no room"
        raise KeyError
    first, second = sessions(tmp_path)
    assert first.work == Work(2, 3, 90) and second.work == Work(texts=5, halved=1, reason="MemoryError: no room")
    assert first.seconds >= 0


def test_nothing_done_is_no_session_and_half_a_line_is_none(tmp_path: Path) -> None:
    with session(tmp_path, Work()):
        pass
    assert sessions(tmp_path) == [] and not list(tmp_path.iterdir())
    with session(None, Work(texts=1)):
        pass
    with session(tmp_path, Work(texts=1)):
        pass
    with (tmp_path / SESSIONS).open("ab") as file:
        file.write(b'{"seconds": 1')
    assert len(sessions(tmp_path)) == 1
