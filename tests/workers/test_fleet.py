"""Who does which chore: workers are threads here, lost at any moment; each chore is done once, and all stop."""

import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from chores_ground import Numbers, numbers_in, squares
from hypothesis import given, settings
from hypothesis import strategies as st

from unfooled.errors import BadInput, Stopped, Taken
from unfooled.progress import Part, Whole, overall
from unfooled.workers import fleet as fleets
from unfooled.workers.crew import Lost
from unfooled.workers.fleet import Fleet, one_after_another


class Thread:
    """A worker that is lost in the midst of some of the chores that its site is given, counted from 1."""

    def __init__(self, site: "Site") -> None:
        self.site, self.calls = site, []  # type: ignore[var-annotated]

    def run(self, letter: bytes) -> Iterator[dict[str, Any]]:
        with self.site.turn:
            self.site.letters.append(letter)
            count = len(self.site.letters)
        yield {"at": 0.5}
        if count in self.site.losses:
            raise Lost("exit code -9")
        if count in self.site.says:
            yield self.site.says[count]
            return
        [number] = numbers_in([letter])
        yield {"done": self.site.numbers.here(number)}

    def stop(self) -> None:
        self.calls.append("stop")

    def leave(self) -> None:
        self.calls.append("leave")

    def end(self) -> None:
        self.calls.append("end")


class Site:
    """Where such workers are; ``says`` are answers instead of the work."""

    def __init__(self, numbers: Numbers, losses: tuple[int, ...] = (), says: dict[int, Any] | None = None) -> None:
        self.numbers, self.losses, self.says = numbers, losses, says or {}
        self.turn = threading.Lock()
        self.letters: list[bytes] = []
        self.hired: list[Thread] = []

    def hire(self) -> Thread:
        self.hired.append(Thread(self))
        return self.hired[-1]


def run(site: Site, workers: int = 2, wait: bool = False, whole: Whole | None = None) -> list[Any]:
    """All chores done by a fleet; the workers that are left."""
    hands: list[Any] = []
    with overall(show=False) as quiet:
        (whole or quiet).foretell([Part("all", "all")])
        Fleet(site, workers, hands)(site.numbers, "all", whole or quiet, wait)  # type: ignore[arg-type]
    return hands


@settings(max_examples=25)
@given(st.integers(1, 4), st.integers(0, 9), st.lists(st.integers(1, 14), max_size=4))
def test_every_chore_is_done_once_whoever_is_lost(workers: int, total: int, losses: list[int]) -> None:
    site = Site(Numbers(total), tuple(losses))
    with suppress(BadInput):  # where too many are lost in a row
        hands = run(site, workers)
        assert site.numbers.answers == squares(total)
        assert len(hands) <= workers and all(not hand.calls for hand in hands)  # who is left stays for the next job
    assert len(set(site.numbers.order)) == len(site.numbers.order) and set(site.numbers.answers) <= set(
        site.numbers.order
    )
    lost = [hand for hand in site.hired if hand.calls]
    assert all(hand.calls[-1] == "end" for hand in lost)


def test_workers_lost_one_after_the_other_are_no_accident() -> None:
    with pytest.raises(BadInput, match=r"3 workers have ended at the same work .* \(exit code -9\), perhaps"):
        run(Site(Numbers(4), (1, 2, 3)), 1)
    site = Site(Numbers(4), (1, 2, 4, 5))
    run(site, 1)
    assert site.numbers.answers == squares(4)


class Preempted(Thread):
    """A worker that is lost at the next of the shares that its site has left, if any."""

    site: "Market"

    def run(self, letter: bytes) -> Iterator[dict[str, Any]]:
        if self.site.shares:
            yield {"at": self.site.shares.pop(0)}
            raise Lost("preempted")
        yield from super().run(letter)


class Market(Site):
    """Where workers are preempted."""

    def __init__(self, shares: list[float]) -> None:
        super().__init__(Numbers(1))
        self.shares = shares

    def hire(self) -> Thread:
        self.hired.append(Preempted(self))
        return self.hired[-1]


def test_a_chore_that_comes_further_each_time_may_lose_many_workers_and_one_that_does_not_may_not() -> None:
    site = Market([0.1, 0.2, 0.3, 0.4, 0.45])
    run(site, 1)
    assert site.numbers.answers == squares(1)
    with pytest.raises(BadInput, match="3 workers have ended at the same work"):
        run(Market([0.1, 0.4, 0.4, 0.4, 0.4]), 1)  # it resumes earlier, and ends at the same step


def test_the_chore_of_whoever_never_finds_room_is_done_by_others(monkeypatch: pytest.MonkeyPatch) -> None:
    gone, real = threading.Event(), Thread.run

    def waits(hand: Thread, letter: bytes) -> Iterator[dict[str, Any]]:
        if hand is hand.site.hired[0]:
            gone.wait(60)  # as an actor does for which a cluster has no processor
            raise Lost("ended")
        yield from real(hand, letter)

    monkeypatch.setattr(Thread, "run", waits)
    monkeypatch.setattr(fleets, "SECONDS", 0.05)
    site = Site(Numbers(4))
    hands = run(site, 2)
    assert site.numbers.answers == squares(4) and not gone.is_set()
    assert site.hired[0].calls == ["end"] and site.hired[0] not in hands
    gone.set()


def test_what_another_process_is_at_is_passed_over_and_returned_to() -> None:
    for way in ("fleet", "here"):
        numbers = Numbers(3, elsewhere={0: 2})
        run(Site(numbers), 1) if way == "fleet" else one_after_another(numbers, wait=False)
        assert numbers.answers == squares(3) and numbers.order[0] == 1


def test_a_worker_that_comes_second_gives_the_chore_back() -> None:
    site = Site(Numbers(2), says={1: {"taken": "by another"}})
    run(site, 1)
    assert numbers_in(site.letters) == [0, 0, 1] and site.numbers.answers == squares(2)
    numbers, met = Numbers(2), [0]

    def here(number: int) -> int:
        met[0] += 1
        if met[0] == 1:
            raise Taken("by another")
        return number * number

    numbers.here = here  # type: ignore[method-assign]
    one_after_another(numbers, wait=False)
    assert numbers.answers == squares(2) and met[0] == 3


def test_what_others_never_end_is_waited_for_or_refused_in_the_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(fleets, "GRACE", 0.05)
    for way in ("fleet", "here"):
        numbers = Numbers(3, elsewhere={1: 10**9})
        with pytest.raises(Taken, match=r"another process is at 1; everything else is done\. Wait .*\(wait=True\)"):
            run(Site(numbers)) if way == "fleet" else one_after_another(numbers, wait=False)
        assert sorted(numbers.answers) == [0, 2]
        numbers = Numbers(3, elsewhere={1: 30})  # longer than the grace
        run(Site(numbers), 1, wait=True) if way == "fleet" else one_after_another(numbers, wait=True)
        assert numbers.answers == squares(3)
    assert "another process is at 1; waiting until it ends" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("says", "error", "told"),
    [
        ({"refused": "mend it"}, BadInput, "mend it"),
        ({"system": {"number": 28, "reason": "No space", "file": "a.csv"}}, OSError, "No space: 'a.csv'"),
        ({"failed": "Traceback: ValueError"}, RuntimeError, "a worker failed at number 0:\nTraceback: ValueError"),
    ],
)
def test_what_a_worker_refuses_is_refused_and_all_are_stopped(says: Any, error: type[Exception], told: str) -> None:
    site = Site(Numbers(9), says={1: says})
    with pytest.raises(error, match=told):
        run(site, 2)
    assert all(hand.calls[0] == "stop" and hand.calls[-1] == "end" for hand in site.hired)


def test_a_stop_is_waited_for_and_a_second_one_is_not(capsys: pytest.CaptureFixture[str]) -> None:
    for again in (False, True):
        site = Site(Numbers(9))
        hands: list[Any] = []
        fleet = Fleet(site, 2, hands)  # type: ignore[arg-type]

        def stop(*_: Any) -> None:
            raise Stopped("stopped")

        fleet.hear = stop  # type: ignore[method-assign]
        if again:
            site.hire = lambda site=site: kept(site, stop)  # type: ignore[method-assign, misc]
        with pytest.raises(Stopped), overall() as whole:
            whole.foretell([Part("all", "all")])
            fleet(site.numbers, "all", whole, False)
        assert not hands and all(hand.calls[0] == "stop" and hand.calls[-1] == "end" for hand in site.hired)
        assert again or all("leave" in hand.calls for hand in site.hired)
        assert "stopping at the end of the update under way" in capsys.readouterr().err


def kept(site: Site, leave: Any) -> Thread:
    """A worker whose end is not waited for."""
    site.hired.append(Thread(site))
    site.hired[-1].leave = leave  # type: ignore[method-assign]
    return site.hired[-1]


def test_one_bar_is_over_all_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, float, int, str]] = []
    lines: list[str] = []
    with overall(show=False) as whole:
        monkeypatch.setattr(whole, "over", lambda *given: seen.append(given))
        monkeypatch.setattr(whole, "say", lines.append)
        monkeypatch.setattr(Thread, "run", lambda self, letter: iter([{"at": 0.5}, {"say": "a note"}, {"done": 0}]))
        run(Site(Numbers(2)), 1, whole=whole)
    assert [done for _, done, _, _ in seen] == [0.0, 0.5, 0.5, 1.0, 1.5, 1.5, 2.0] and {one[2] for one in seen} == {2}
    assert seen[1] == ("all", 0.5, 2, "number 0 50%") and lines == ["a note (number 0)", "a note (number 1)"]
