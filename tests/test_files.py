import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path

import pytest

from unfooled import __version__
from unfooled.errors import BadInput, Stopped, Taken
from unfooled.files import (
    LOCK,
    alone,
    cache_folder,
    in_other_hands,
    lock_beside,
    naming,
    owned,
    refuse_link,
    taken,
    turn,
    versions,
    write_whole,
)  # fmt: skip
from unfooled.stopping import stoppable

HOLD = """
import sys, time
from pathlib import Path
from unfooled.files import owned
with owned(Path(sys.argv[1])):
    print("mine", flush=True)
    time.sleep(60)
"""


def test_a_text_is_replaced_whole(tmp_path: Path) -> None:
    write_whole(tmp_path / "a.json", "first")
    write_whole(tmp_path / "a.json", "second é")
    assert (tmp_path / "a.json").read_text(encoding="utf-8") == "second é"
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


def test_a_write_that_fails_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_whole(tmp_path / "a.json", "first")

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_whole(tmp_path / "a.json", "second")
    assert (tmp_path / "a.json").read_text() == "first"


@contextmanager
def full_disk(size: int) -> Iterator[None]:
    """While open, no file grows beyond a size: the system's own error, as of a full disk, names no file."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_names_the_file_and_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    write_whole(path, "first")
    with pytest.raises(OSError, match=r"'.*a\.json'") as error, full_disk(1000):
        write_whole(path, "x" * 100_000)
    assert error.value.filename == str(path)
    assert [(one.name, one.read_text()) for one in tmp_path.iterdir()] == [("a.json", "first")]


def test_a_stop_while_writing_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(handle: int) -> None:
        raise Stopped("here")

    monkeypatch.setattr(os, "fsync", stop)
    with pytest.raises(Stopped):
        write_whole(tmp_path / "a.json", "first")
    assert not list(tmp_path.iterdir())


def test_an_error_that_names_its_file_keeps_that_name(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="'other'"), naming(tmp_path / "a"):
        raise OSError(28, "No space left on device", "other")
    with pytest.raises(KeyError), naming(tmp_path / "a"):
        raise KeyError


def test_the_versions_that_matter_are_named() -> None:
    assert versions()["unfooled"] == __version__
    assert {"python", "torch", "transformers", "tokenizers", "lemminflect", "textblob"} <= set(versions())


def test_a_folder_belongs_to_one_process_until_that_is_gone(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    other = subprocess.Popen([sys.executable, "-c", HOLD, str(folder)], stdout=subprocess.PIPE, text=True)
    try:
        assert other.stdout is not None and other.stdout.readline() == "mine\n"
        with (
            pytest.raises(BadInput, match=rf"process \({other.pid}\) is writing to .*folder; wait"),
            owned(folder),
        ):
            pass
        assert (folder / LOCK).read_text() == str(other.pid)
    finally:
        os.kill(other.pid, signal.SIGKILL)
        other.wait()
        assert other.stdout is not None
        other.stdout.close()
    with owned(folder):
        assert (folder / LOCK).read_text() == str(os.getpid())
        with pytest.raises(BadInput, match="is writing to"), owned(folder):
            pass
    assert not list(folder.iterdir())


def test_a_second_writer_waits_where_it_is_told_to(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    order = []

    def second() -> None:
        with owned(tmp_path / "new", wait=True):
            order.append("second")

    with ThreadPoolExecutor(1) as pool:
        with owned(tmp_path / "new"):  # an empty folder, which is taken away while the other one waits for it
            waiting = pool.submit(second)
            assert not wait([waiting], timeout=0.3).done
            order.append("first")
        waiting.result(timeout=10)
    assert order == ["first", "second"] and not list(tmp_path.rglob(LOCK))
    assert f"another process ({os.getpid()}) is writing to {tmp_path / 'new'}; waiting" in capsys.readouterr().err


def test_who_waits_can_be_stopped(tmp_path: Path) -> None:
    with owned(tmp_path / "new"), pytest.raises(Stopped), stoppable():
        signal.setitimer(signal.ITIMER_REAL, 0.2)  # the alarm asks again for a stop that nobody has asked for yet
        signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGTERM))
        with owned(tmp_path / "new", wait=True):
            pytest.fail("there was another writer")


def test_a_file_is_written_by_one_process_at_a_time(tmp_path: Path) -> None:
    busy = pytest.raises(BadInput, match="is writing to .*; wait until it ends")
    with alone(tmp_path / "a.html"), alone(tmp_path / "b.html"), busy, alone(tmp_path / "a.html"):
        pass
    assert not list(tmp_path.iterdir())


def test_a_folder_is_let_go_of_after_an_error_and_a_file_is_left_to_whoever_wanted_a_folder(tmp_path: Path) -> None:
    with pytest.raises(KeyError), owned(tmp_path / "a"):
        raise KeyError
    assert not (tmp_path / "a").exists()
    with owned(tmp_path / "a"), owned(tmp_path / "a", when=False):
        assert (tmp_path / "a" / LOCK).exists()
    (tmp_path / "b").write_text("x")
    with owned(tmp_path / "b"):
        assert (tmp_path / "b").read_text() == "x"


def test_a_turn_is_waited_for(tmp_path: Path) -> None:
    order = []

    def second() -> None:
        with turn(tmp_path / "lock"):
            order.append("second")

    with ThreadPoolExecutor(1) as pool:
        with turn(tmp_path / "lock"):
            waiting = pool.submit(second)
            assert not wait([waiting], timeout=0.2).done
            order.append("first")
        waiting.result(timeout=10)
    assert order == ["first", "second"]


def test_the_cache_is_where_the_environment_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNFOOLED_CACHE", str(tmp_path / "own"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "all"))
    assert cache_folder() == tmp_path / "own"
    monkeypatch.delenv("UNFOOLED_CACHE")
    assert cache_folder() == tmp_path / "all" / "unfooled"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path.home() / ".cache" / "unfooled"


def test_a_lock_is_seen_from_outside_and_one_that_was_left_behind_is_free(tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert not in_other_hands(run)
    for hold in (alone, owned):
        with hold(run):
            assert in_other_hands(run) and in_other_hands(run)
        assert not in_other_hands(run)
    run.mkdir(exist_ok=True)
    (run / LOCK).write_text("1")  # as of a process that was killed
    lock_beside(run).write_text("1")
    assert not in_other_hands(run) and not taken(run / LOCK)
    with owned(run), pytest.raises(Taken, match="is writing to"), owned(run):
        pass


def test_a_link_is_never_written_through(tmp_path: Path) -> None:
    theirs = tmp_path / "theirs.txt"
    theirs.write_text("theirs")
    for name in (".a.json.writing", ".lock", "log"):
        (tmp_path / name).symlink_to(theirs)
    write_whole(tmp_path / "a.json", "ours")
    assert (tmp_path / "a.json").read_text() == "ours" and theirs.read_text() == "theirs"
    assert not taken(tmp_path / ".lock")
    for hold in (owned(tmp_path), turn(tmp_path / ".lock")):
        with pytest.raises(BadInput, match=r"\.lock is a link, and what is written to it would go elsewhere"), hold:
            pass
    with pytest.raises(BadInput, match="log is a link"):
        refuse_link(tmp_path / "log")
    nowhere = tmp_path / "nowhere"
    (tmp_path / ".b.json.lock").symlink_to(nowhere)
    with pytest.raises(BadInput, match="is a link"), alone(tmp_path / "b.json"):
        pass
    assert theirs.read_text() == "theirs" and not nowhere.exists()
