"""Mostly English texts pass, others are refused with the first of them; blank ones do not count."""

import pytest

from unfooled.errors import BadInput
from unfooled.text import languages
from unfooled.text.languages import refuse_foreign

ENGLISH, GERMAN = "The film was dull and nobody laughed.", "Der Film war langweilig und niemand hat gelacht."


def test_half_may_be_strange_and_no_more() -> None:
    refuse_foreign(enumerate([ENGLISH, GERMAN, "", "  "]), "c.txt", "row", "go away")
    with pytest.raises(BadInput, match=r"c\.txt is not English: 2 of its first 3 .*in row 3 \('Der Film.*; go away"):
        refuse_foreign(enumerate([ENGLISH, "", GERMAN, GERMAN]), "c.txt", "row", "go away")


def test_only_the_first_texts_are_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(languages, "SAMPLE", 2)
    refuse_foreign(enumerate([ENGLISH, ENGLISH, *[GERMAN] * 50]), "c.txt", "row", "")
