"""No text becomes code, whatever it is."""

import json
import re
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from unfooled.report.markup import Markup, data, join, number, plain, tag, visible


class Reader(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


@given(st.text(), st.text())
def test_texts_and_attributes_come_out_as_they_went_in(inside: str, beside: str) -> None:
    found = Reader(tag("p", inside, title=beside))
    assert found.tags == [("p", {"title": visible(beside)})]
    assert found.text == visible(inside)


@given(st.recursive(st.text() | st.none() | st.integers(), lambda inner: st.lists(inner)))
def test_data_come_out_as_they_went_in_and_hold_nothing_a_browser_reads(value: object) -> None:
    element = data(value, "data")  # type: ignore[arg-type]
    inside = element.removeprefix('<script type="application/json" id="data">').removesuffix("</script>")
    assert not re.search("[<>&\u2028\u2029]", inside)
    assert json.loads(inside) == value


def test_controls_are_said_and_joiners_are_kept() -> None:
    assert visible("a\u202eb\u2066c\x00\ud800") == "a⟨U+202E⟩b⟨U+2066⟩c⟨U+0000⟩⟨U+D800⟩"
    assert visible("👩\u200d👧 naïve\n\tשלום") == "👩\u200d👧 naïve\n\tשלום"


def test_markup_is_not_escaped_twice() -> None:
    assert tag("b", tag("i", "&")) == "<b><i>&amp;</i></b>"
    assert join(["<", Markup("<br>"), None]) == "&lt;<br>"
    assert isinstance(plain("x"), Markup)


def test_attributes_are_bare_left_out_or_renamed() -> None:
    assert tag("input", type="checkbox", hidden=True, disabled=False, class_=None) == '<input type="checkbox" hidden>'
    assert tag("meta", name_="x", http_equiv="y") == '<meta name="x" http-equiv="y">'


def test_numbers_of_pictures_are_short() -> None:
    assert [number(value) for value in (1.0, 0.125, 12.3456, 7, "a")] == ["1", "0.12", "12.35", "7", "a"]
