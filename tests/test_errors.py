"""Hints name what the user probably meant."""

import signal

import pytest

from unfooled.errors import BadInput, Stopped, either, measuring, nearest, on_the_command_line, option, setting

METHODS = ["smart", "finetune", "fgm", "pgd", "freelb"]


@pytest.mark.parametrize("name, meant", [
    ("frelb", "freelb"), ("fine-tune", "finetune"), ("smrt", "smart"), ("pdg", "pgd"), ("freelb", "freelb"),
])  # fmt: skip
def test_a_close_spelling_is_suggested(name, meant):
    assert nearest(name, METHODS) == f"did you mean {meant}?"


@pytest.mark.parametrize("name", ["", "zzzz", "🙂"])
def test_otherwise_all_known_names_are_listed_in_order(name):
    assert nearest(name, iter(METHODS)) == "known: fgm, finetune, freelb, pgd, smart"


def test_nothing_known_is_no_failure():
    assert nearest("freelb", []) == "none is known"


@pytest.mark.parametrize("kind", [BadInput, Stopped])
def test_messages_are_kept_and_programming_errors_are_not_caught_with_them(kind):
    assert str(kind("row 3 is empty")) == "row 3 is empty"
    assert not issubclass(kind, ValueError | RuntimeError | KeyError | OSError)
    assert not issubclass(BadInput, Stopped) and not issubclass(Stopped, BadInput)


def test_a_stop_is_no_fault_that_anything_may_catch_and_log():
    assert issubclass(BadInput, Exception) and not issubclass(Stopped, Exception)
    assert Stopped("enough").code == 130 and Stopped("enough", signal.SIGTERM).code == 143


def test_sentences_speak_options_on_the_command_line_and_python_elsewhere() -> None:
    said = option("text"), option("task", "span"), setting("plan", "epochs", "2"), measuring("attack", "out")
    assert said == ("text=", 'task="span"', 'plan={"epochs": "2"}', "uf.attack(MODEL, DATA, out='out')")
    with on_the_command_line():
        said = option("text"), option("task", "span"), setting("plan", "epochs", "2"), measuring("attack", "out")
        assert said == ("--text", "--task span", "--set plan.epochs=2", "unfooled attack MODEL --data D --out out")
    assert either("--a", "a=1") == "a=1"
