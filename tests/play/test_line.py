import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from unfooled.errors import BadInput
from unfooled.play.line import MOST_WAITING, Crowded, Errand, WaitingLine, trimming


class Heard(list[tuple[str, Any]]):
    """What an errand was told."""

    def __init__(self) -> None:
        super().__init__()
        self.ended = threading.Event()

    def tell(self, name: str, data: Any) -> None:
        self.append((name, data))
        if name in ("done", "error", "stopped"):
            self.ended.set()


def line_of(opening: Callable[..., None] = lambda announce: None) -> WaitingLine:
    line = WaitingLine(opening, lambda: None)
    line.thread.start()
    return line


def sent(line: WaitingLine, work: Callable[[Errand], Any]) -> tuple[Errand, Heard]:
    heard = Heard()
    errand = Errand(work, heard.tell)
    line.join(errand)
    return errand, heard


def test_errands_are_run_in_order_and_hear_their_place() -> None:
    order: list[int] = []
    begun, go = threading.Event(), threading.Event()
    line = line_of()
    _, first = sent(line, lambda errand: begun.set() or go.wait(10))
    assert begun.wait(10)
    heards = [sent(line, lambda errand, number=number: order.append(number))[1] for number in range(50)]
    assert [heard[0] for heard in heards[:2]] == [
        ("place", {"ahead": 1, "news": ""}),
        ("place", {"ahead": 2, "news": ""}),
    ]
    go.set()
    assert all(heard.ended.wait(10) for heard in (first, *heards))
    assert order == list(range(50))
    places = [data["ahead"] for name, data in heards[49] if name == "place"]
    assert places[0] == 50 and places == sorted(places, reverse=True)
    line.close()


def test_who_goes_away_leaves_the_queue_or_halts_what_runs() -> None:
    line, begun = line_of(), threading.Event()

    def endless(errand: Errand) -> None:
        begun.set()
        while True:
            errand.check()

    running, first = sent(line, endless)
    waiting, second = sent(line, lambda errand: "never")
    assert begun.wait(10)
    line.halt(waiting)
    line.halt(running)
    assert first.ended.wait(10) and first[-1][0] == "stopped"
    _, third = sent(line, lambda errand: "answered")
    assert third.ended.wait(10) and third[-1] == ("done", "answered")
    assert not second.ended.is_set()
    line.close()


def test_an_engine_that_survives_every_fault_does_not_survive_a_halt() -> None:
    line = line_of()

    def hardened(errand: Errand) -> str:
        try:
            errand.halted.set()
            errand.check()
        except Exception:
            return "survived"
        return "never checked"

    _, heard = sent(line, hardened)
    assert heard.ended.wait(10) and heard[-1][0] == "stopped"
    line.close()


def test_faults_are_sentences_and_the_line_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    line = line_of()

    def bad(errand: Errand) -> None:
        raise BadInput("mend this")

    def broken(errand: Errand) -> None:
        raise ZeroDivisionError("inside")

    _, first = sent(line, bad)
    _, second = sent(line, broken)
    _, third = sent(line, lambda errand: 1)
    assert all(heard.ended.wait(10) for heard in (first, second, third))
    assert first[-1] == ("error", {"error": "mend this"}) and third[-1] == ("done", 1)
    assert second[-1][0] == "error" and "inside" not in second[-1][1]["error"]
    assert "ZeroDivisionError: inside" in capsys.readouterr().err
    line.close()


def test_what_cannot_be_opened_is_told_to_all_who_wait_and_all_who_come() -> None:
    go, failed = threading.Event(), threading.Event()

    def opening(announce: Callable[[str], None]) -> None:
        announce("opening plain …")
        assert go.wait(10)
        raise BadInput("no model folder at plain")

    line = WaitingLine(opening, failed.set)
    line.thread.start()
    _, early = sent(line, lambda errand: 1)
    go.set()
    assert failed.wait(10) and early.ended.wait(10)
    _, late = sent(line, lambda errand: 1)
    assert [heard[-1] for heard in (early, late)] == [("error", {"error": "no model folder at plain"})] * 2
    assert any(data.get("news") == "opening plain …" for _, data in early)


def test_a_crowd_is_turned_away() -> None:
    line = WaitingLine(lambda announce: None, lambda: None)
    for _ in range(MOST_WAITING):
        sent(line, lambda errand: 1)
    with pytest.raises(Crowded):
        sent(line, lambda errand: 1)


def test_chores_are_done_while_nobody_waits_and_the_end_ends_the_thread() -> None:
    done = threading.Event()
    line = WaitingLine(lambda announce: None, lambda: None)
    line.chores.append(done.set)
    line.thread.start()
    assert done.wait(10)
    line.close()
    line.thread.join(10)
    assert not line.thread.is_alive()


@pytest.mark.skipif(trimming() is None, reason="this C library gives memory back unasked")
def test_what_an_errand_held_goes_back_to_the_system() -> None:
    kept: list[bytes] = []

    def work(errand: Errand) -> None:
        held = [bytes(1000) for _ in range(200_000)]
        kept.extend(held[999::1000])  # a little of it everywhere, as what an attack remembers is

    line = line_of()
    before = resident()
    _, heard = sent(line, work)
    assert heard.ended.wait(60)
    sent(line, lambda errand: None)[1].ended.wait(60)  # by then it was given back
    line.close()
    assert resident() - before < 100 and kept


def resident() -> float:
    """The megabytes that this process holds."""
    return int(re.findall(r"VmRSS:\s+(\d+)", Path("/proc/self/status").read_text())[0]) / 1024
