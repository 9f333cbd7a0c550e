"""Signals end a command wherever it is, and a run of training where nothing is lost."""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator

import pytest

from unfooled.errors import Stopped
from unfooled.stopping import SIGNALS, asked_to_stop, goes_on, stoppable, told_by_another, under_way

LONG = 20.0  # seconds that nobody waits


@pytest.fixture(autouse=True)
def signals_as_before() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in (*SIGNALS, signal.SIGALRM)}
    yield
    assert {number: signal.getsignal(number) for number in before} == before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_stops_and_is_told_by_the_exit_code(number: int, code: int) -> None:
    with pytest.raises(Stopped, match="the same command goes on") as stopped, stoppable():
        os.kill(os.getpid(), number)
        time.sleep(LONG)
    assert stopped.value.code == code


def test_what_catches_exceptions_does_not_catch_it() -> None:
    with pytest.raises(Stopped), stoppable():
        try:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(LONG)
        except Exception:
            pytest.fail("a stop was taken for a fault")


def test_what_swallows_everything_is_told_again() -> None:
    with pytest.raises(Stopped) as stopped, stoppable():
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(LONG)
        except BaseException:
            pass
        time.sleep(LONG)
    assert stopped.value.code == 143


class Dying:
    def __init__(self, last: Callable[[], None]) -> None:
        self.last = last

    def __del__(self) -> None:
        self.last()


def test_a_stop_that_falls_where_an_object_is_taken_away_is_neither_lost_nor_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown = []
    hook = lambda one: shown.append(one.exc_type)  # noqa: E731
    monkeypatch.setattr(sys, "unraisablehook", hook)
    with pytest.raises(Stopped), stoppable():
        Dying(lambda: {}["missing"])  # as whatever is raised in __del__, this one is ignored, and so is the next
        Dying(lambda: os.kill(os.getpid(), signal.SIGINT))
        time.sleep(LONG)
    assert shown == [KeyError] and sys.unraisablehook is hook


class Named:
    def __set_name__(self, owner: type, name: str) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(LONG)


def test_a_stop_of_which_another_error_was_made_is_a_stop() -> None:
    with pytest.raises(Stopped) as stopped, stoppable():
        type("Owner", (), {"named": Named()})  # Python up to 3.11 makes a RuntimeError of it
    assert stopped.value.code == 143
    with pytest.raises(KeyError), stoppable():
        raise KeyError


def test_who_clears_up_is_left_in_peace() -> None:
    cleared = False
    with pytest.raises(Stopped), stoppable():
        try:
            os.kill(os.getpid(), signal.SIGINT)
        finally:
            try:
                raise OSError("while clearing up")
            except OSError:
                time.sleep(0.5)  # longer than a stop is waited for
            cleared = True
    assert cleared
    assert not under_way(None) and not under_way(ValueError()) and under_way(Stopped(""))


def test_training_is_asked_and_stopped_at_once_the_second_time(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(Stopped) as stopped, asked_to_stop() as asked:
        assert not asked
        os.kill(os.getpid(), signal.SIGTERM)
        assert asked and asked.number == signal.SIGTERM
        assert "stopping at the end of the update under way" in capfd.readouterr().err
        os.kill(os.getpid(), signal.SIGINT)
        pytest.fail("it was asked twice")
    assert stopped.value.code == 130


def test_where_nothing_is_lost_nobody_waits() -> None:
    with asked_to_stop() as asked:
        with pytest.raises(Stopped), asked.at_once():
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(LONG)
        with pytest.raises(Stopped), asked.at_once():
            pytest.fail("it was asked before")
        with asked.at_once(when=False):
            pass


def test_a_stop_inside_tells_of_the_command_alone() -> None:
    with pytest.raises(Stopped, match=r"^stopped; the same command goes on from what was finished$"), goes_on():
        raise Stopped("stopped at step 3 of 6; the same command with --resume goes on")


def test_who_is_asked_by_another_process_says_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    with told_by_another(), asked_to_stop() as asked:
        os.kill(os.getpid(), signal.SIGTERM)
        assert asked.number == signal.SIGTERM
    assert capfd.readouterr().err == ""
