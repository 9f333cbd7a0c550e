import pytest

from unfooled.progress import Display, Part, heard, overall, quietly


def test_without_a_terminal_there_are_few_lines_and_no_bar(capsys: pytest.CaptureFixture[str]) -> None:
    with Display("training", 100) as display:
        for step in range(1, 101):
            display.at(step, f"loss {step}")
        display.say("done <b>")
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("training: 1/100, about ")
    assert lines[-2:] == ["training: 100/100, about 0 s left loss 100", "done <b>"]
    assert len(lines) == 3


def test_other_processes_are_silent(capsys: pytest.CaptureFixture[str]) -> None:
    with Display("training", 2, show=False) as display:
        display.at(2)
        display.say("nothing")
    assert capsys.readouterr() == ("", "")


def test_parts_are_counted_one_after_another(capsys: pytest.CaptureFixture[str]) -> None:
    with Display("", 1) as display:
        display.over("a", 0, 2)
        display.over("a", 2, 2)
        display.over("b", 3, 3)
    assert [line.split(",")[0] for line in capsys.readouterr().err.splitlines()][1:] == ["a: 2/2", "b: 3/3"]


def test_quiet_work_says_warnings_alone(capsys: pytest.CaptureFixture[str]) -> None:
    with quietly(), Display("training", 2) as display:
        display.at(2)
        display.say("a note")
        display.say("WARNING: mind this")
    with quietly(), overall() as whole:
        whole.foretell([Part("a", "a")])
        whole.over("a", 1, 1)
    assert capsys.readouterr().err == "WARNING: mind this\n"


def test_one_bar_says_which_part_is_running(capsys: pytest.CaptureFixture[str]) -> None:
    with overall() as whole:
        whole.foretell([Part("train plain", "plain"), Part("train robust", "robust"), Part("measure", "measure")])
        whole.begin("train plain")
        with Display("training", 4) as inner:
            inner.at(2, "loss 1")
            inner.say("a note")
        whole.begin("measure")  # the robust model was there already
        with overall() as same:
            assert same is whole
            same.foretell([Part("clean plain", "clean"), Part("clean robust", "clean")])
            same.over("clean plain", 0, 5)
            same.over("clean robust", 3, 5)
    lines = [line.split(",")[0] for line in capsys.readouterr().err.splitlines()]
    parts = ["3 of 4: clean plain: 0/5", "4 of 4: clean robust: 3/5"]
    assert lines == ["1 of 3: train plain: 0/4 training", "a note", *parts]
    with Display("alone", 1) as display:
        assert display.whole is None


def test_what_is_left_is_told_by_parts_of_the_same_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("unfooled.progress.time.monotonic", lambda: now[0])
    with overall(show=False) as whole:
        whole.foretell([Part("a0", "a"), Part("b0", "b"), Part("a1", "a"), Part("b1", "b")])
        whole.over("a0", 0, 10)
        assert whole.left() is None
        now[0] = 50.0
        whole.over("a0", 5, 10)
        assert whole.left() == 50 + 3 * 100  # kinds that were not seen are like the one that was
        now[0] = 100.0
        whole.over("a0", 10, 10)
        whole.over("b0", 0, 10)
        now[0] = 101.0
        whole.over("b0", 1, 10)
        assert whole.left() == pytest.approx(9 + 100 + 10)
        now[0] = 110.0
        whole.over("b0", 10, 10)
        whole.over("a1", 8, 10)  # what an earlier call has done takes no time, and says nothing of how long it takes
        assert whole.left() == pytest.approx(20 + 10)


def test_a_part_that_was_passed_over_is_named_when_it_is_begun_after_all(capsys: pytest.CaptureFixture[str]) -> None:
    with overall() as whole:
        whole.foretell([Part("a", "x"), Part("b", "x"), Part("c", "x"), Part("last", "y")])
        for label in ("b", "c", "a", "last"):
            whole.begin(label)
            Display("training", 2).at(1)
    lines = [line.split(" training")[0].split(",")[0] for line in capsys.readouterr().err.splitlines()]
    assert lines == ["2 of 4: b: 0/2", "3 of 4: c: 0/2", "3 of 4: a: 0/2", "4 of 4: last: 0/2"]


def test_pieces_of_a_part_tell_how_long_one_of_another_kind_takes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = [0.0]
    monkeypatch.setattr("unfooled.progress.time.monotonic", lambda: now[0])
    with overall() as whole:
        whole.foretell([Part("train 4 models", "train", 4), Part("measure", "measure")])
        whole.over("train 4 models", 0.0, 4)
        now[0] = 50.0
        whole.over("train 4 models", 2.0, 4)
        assert whole.left() == 50 + 25  # what is measured once takes as long as one training
        now[0] = 100.0
        whole.over("train 4 models", 4.0, 4)
        whole.over("measure", 0, 10)
        assert whole.left() == 25
    assert "1 of 2: train 4 models: 2.0/4, about 75 s left in all" in capsys.readouterr().err


def test_what_is_shown_inside_is_heard(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    now = [1.0]
    monkeypatch.setattr("unfooled.progress.time.monotonic", lambda: now[0])
    far: list[tuple[int, int, str]] = []
    lines: list[str] = []
    with heard("training", lambda *given: far.append(given), lines.append), Display("training", 9) as display:
        Display("filling", 3).at(3)
        display.at(1)  # too soon after the last word
        now[0] = 2.0
        display.at(2, "loss 1")
        display.at(9)
        display.say("a note")
    assert far == [(0, 9, ""), (2, 9, "loss 1"), (9, 9, "")] and lines == ["a note"]
    assert capsys.readouterr() == ("", "")
