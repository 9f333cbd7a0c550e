"""When a crew waits, when it goes on without somebody, and when losses are no accident."""

import pytest

from unfooled.errors import BadInput
from unfooled.workers.roll import LOSSES, PATIENCE, Roll, refuse_more


def test_it_waits_for_a_time_while_nobody_has_begun_and_when_all_is_done(capsys: pytest.CaptureFixture[str]) -> None:
    roll = Roll(["one", "two"])
    assert roll.patience(is_done=False) == PATIENCE
    roll.nobody()
    assert "no worker has begun within 30 s" in capsys.readouterr().err
    assert roll.patience(is_done=False) is None  # it is said once
    roll.answered("one", with_record=False)
    assert roll.patience(is_done=True) is None and not roll.is_over(is_done=True)  # one of them is still at work
    roll.busy.remove("one")
    assert roll.is_over(is_done=True) and roll.patience(is_done=True) == PATIENCE
    assert not roll.is_over(is_done=False)


def test_losses_with_nothing_in_hand_count_until_a_record_comes() -> None:
    roll = Roll([])
    for _ in range(LOSSES - 1):
        roll.lost("one", owing=0, reason="exit code -9")
    roll.answered("two", with_record=True)
    roll.lost("two", owing=0, reason="exit code -9")
    roll.lost("two", owing=LOSSES - 1, reason="exit code -9")
    with pytest.raises(BadInput, match="3 workers have ended at the same work"):
        roll.lost("two", owing=LOSSES, reason="exit code -9")


def test_those_that_never_begin_are_not_replaced_without_end(capsys: pytest.CaptureFixture[str]) -> None:
    roll = Roll(["at work"], {"at work"})
    for _ in range(LOSSES):
        assert roll.may_grow
        roll.lost("unborn", owing=0, reason="exit code -9")
    assert not roll.may_grow and capsys.readouterr().err.count("ended before they began") == 1


def test_a_few_losses_are_an_accident() -> None:
    refuse_more(LOSSES - 1, "exit code -9")
    with pytest.raises(BadInput, match=r"\(exit code -9\), perhaps for want of memory"):
        refuse_more(LOSSES, "exit code -9")
