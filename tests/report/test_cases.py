"""The fooled sentences travel as data that shows what it hides."""

from typing import Any, cast

from stories import HOSTILE, case, full_story

from unfooled.report.cases import cases_section, payload
from unfooled.report.story import Story


def test_a_story_without_attacks_has_no_section() -> None:
    assert cases_section(Story("t", "", (), ("a",), ())) == ""


def test_data_hold_every_case_with_its_pieces_and_visible_controls() -> None:
    found = cast(dict[str, Any], payload(full_story()))
    assert found["cases"][0] == [
        0,
        0,
        0,
        0,
        "positive",
        "negative",
        0.5,
        0.6,
        0.9,
        [["a ", ["good", "decent"], " film about river number 0"]],
    ]
    hostile = found["cases"][8][9][0][1][0]
    assert "\u202e" not in hostile and "⟨U+202E⟩" in hostile and hostile.startswith('"><script>')
    assert found["attacked"] == [[0, 0, 100, 80, 10, 70], [1, 0, 100, 82, 1, 81]]


def test_rates_as_found_stand_on_the_page_without_a_script() -> None:
    found = cases_section(full_story((case(0),)))
    assert "12.5 %" in found and "70.0 %" in found and "plain, pwws" in found
    assert HOSTILE not in cases_section(full_story())


def test_every_control_has_a_name() -> None:
    found = cases_section(full_story())
    for name in ("Search", "Model", "Attack", "Label", "Ticks", "Order"):
        assert f"<label><span>{name}</span>" in found
