"""Pictures say what the numbers say."""

import xml.etree.ElementTree as ElementTree

import pytest

from unfooled.report.charts.heat_map import DARK, LIGHT, heat_map, shade

SVG = "{http://www.w3.org/2000/svg}"


def squares(svg: str) -> list[ElementTree.Element]:
    return [rect for rect in ElementTree.fromstring(svg).iter(f"{SVG}rect") if rect.find(f"{SVG}title") is not None]


def test_a_cell_stands_at_its_row_and_column_and_says_its_value() -> None:
    found = {
        (int(rect.get("x", "")) // 26, int(rect.get("y", "")) // 26): rect.findtext(f"{SVG}title")
        for rect in squares(heat_map([[1, 5], [2.5, 1]], ["sad", "glad"], "distances"))
    }
    assert found[(1, 0)] == "sad → glad: 5.00"
    assert found[(0, 1)] == "glad → sad: 2.50"


def test_shades_run_from_the_lowest_to_the_highest_value() -> None:
    assert shade(1, 1, 5) == LIGHT
    assert shade(5, 1, 5) == DARK
    assert shade(2, 1, 5) > shade(3, 1, 5) > shade(4, 1, 5)
    assert shade(1, 1, 1) == LIGHT


def test_hostile_names_are_inert() -> None:
    svg = heat_map([[1.0]], ['"><script>alert(1)</script>'], "<b>")
    assert "<script" not in svg
    ElementTree.fromstring(svg)


def test_numbers_are_printed_only_while_there_are_few_classes() -> None:
    def texts(classes: int) -> int:
        names = [f"class {number}" for number in range(classes)]
        svg = heat_map([[1.0] * classes for _ in names], names, "t")
        return len(list(ElementTree.fromstring(svg).iter(f"{SVG}text")))

    assert texts(12) == 12 * 12 + 2 * 12 + 1
    assert texts(13) == 2 * 13 + 1


def test_a_matrix_of_another_size_than_its_names_is_refused() -> None:
    with pytest.raises(ValueError, match="2 names has 2 rows"):
        heat_map([[1, 2]], ["a", "b"], "t")
