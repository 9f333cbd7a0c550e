"""Tables: nothing is imported until it is asked for, and wrong names are answered with the nearest."""

import sys

import pytest

from unfooled.errors import BadInput
from unfooled.table import Table

TABLE: Table[object] = Table("colour", {"red": ("colorsys:rgb_to_hsv", "Warm."), "blue": ("nowhere.at:all", "Cold.")})


def test_names_and_lines_are_there_without_an_import() -> None:
    sys.modules.pop("colorsys", None)
    assert list(TABLE) == ["red", "blue"] and TABLE.lines["blue"] == "Cold." and "red" in TABLE and len(TABLE) == 2
    assert "colorsys" not in sys.modules


def test_an_entry_is_imported_when_it_is_used() -> None:
    import colorsys

    assert TABLE["red"] is colorsys.rgb_to_hsv is TABLE.find("red")
    assert TABLE.name_of(colorsys.rgb_to_hsv) == "red" and TABLE.name_of(Table) is None


def test_a_wrong_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(BadInput, match="there is no colour called rd; did you mean red"):
        TABLE.find("rd")
    with pytest.raises(KeyError):
        TABLE["rd"]
