import io
import re
import sys
from pathlib import Path

import pytest
from rich.table import Table
from rich.text import Text

from unfooled.progress import Display
from unfooled.terminal import console, forgiving, give, say, show, spelt, visible

HOSTILE = "\x1b]0;title\x07\x1b[2J\x1b[1;31mred\r\x08\x9b31m\u202eevil\u2066"
STEERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def test_controls_are_shown_and_text_is_left_alone() -> None:
    assert not STEERS.search(visible(HOSTILE)) and "⟨U+001B⟩[2J" in visible(HOSTILE)
    assert visible("naïve 👩‍🚀 שלום\tok") == "naïve 👩‍🚀 שלום\tok"


def test_a_line_stays_one_line_whatever_is_in_it(capsys: pytest.CaptureFixture[str]) -> None:
    say("first", f"name\nok    all holds {HOSTILE}")
    say("problem", error=True)
    out, err = capsys.readouterr()
    assert out.count("\n") == 2 and not STEERS.search(out) and err == "problem\n"


def test_tables_and_colours_obey_nothing_that_is_in_them(capsys: pytest.CaptureFixture[str]) -> None:
    table = Table(title=Text(HOSTILE))
    table.add_column(HOSTILE)
    table.add_row(f"[/] [bold [link=http://x]{HOSTILE}")
    show(table)
    show(Text(HOSTILE, style="bold red"), HOSTILE)
    out = capsys.readouterr().out
    assert not STEERS.search(out) and "[/]" in out and "[bold" in out


def test_on_a_terminal_only_the_colours_of_our_own_go_out() -> None:
    stream = io.StringIO()
    console(file=stream, force_terminal=True, color_system="standard").print(Text(HOSTILE, style="bold red"))
    assert STEERS.sub("", stream.getvalue().replace("\x1b[1;31m", "").replace("\x1b[0m", "")) == (
        stream.getvalue().replace("\x1b[1;31m", "").replace("\x1b[0m", "")
    )


def test_bars_obey_nothing_either(capsys: pytest.CaptureFixture[str]) -> None:
    with Display(f"[/]{HOSTILE}", 2) as display:
        display.say(f"[/]{HOSTILE}")
        display.at(2, f"[/]{HOSTILE}")
    assert not STEERS.search(capsys.readouterr().err)


def test_what_a_terminal_has_no_letters_for_is_spelt_out(monkeypatch: pytest.MonkeyPatch) -> None:
    content = io.BytesIO()
    plain = io.TextIOWrapper(content, "ascii")
    monkeypatch.setattr(sys, "stdout", plain)
    say("a → b", Path("caf\udce9"))
    assert content.getvalue() == b"a \\u2192 b\ncaf\\u27e8U+DCE9\\u27e9\n"
    forgiving()
    print("→", file=plain, flush=True)
    assert content.getvalue().endswith(b"\\u2192\n")
    assert spelt("→", io.TextIOWrapper(io.BytesIO(), "utf-8")) == "→"


def test_what_goes_to_a_file_goes_as_it_is(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    give("a\u202eb")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    give("a\u202eb")
    assert capsys.readouterr().out == "a\u202eb\na⟨U+202E⟩b\n"
