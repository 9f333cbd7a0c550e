import pytest

from unfooled.progress import Display


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
