"""The fooled sentences travel as data that shows what it hides, cut at what was changed."""

import html
import json
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from results_ground import finished, plain, word_attack
from stories import FORMULA, HOSTILE, fooled, told_of, usual_told, words

from unfooled.attacks.records import Change
from unfooled.report.chapters import fooled as chapter
from unfooled.report.chapters.fooled import content, fooled_text, pieces, tally
from unfooled.report.told import Told


def carried(section: str) -> dict[str, Any]:
    """What the page's script reads."""
    (data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', section)
    return json.loads(data)


def test_results_without_attacks_have_no_section() -> None:
    assert content(told_of(finished("a", "clean", plain(9, {}, 10)[0]))) == ""


def test_data_hold_every_sentence_with_its_pieces_and_visible_controls() -> None:
    data = carried(content(usual_told()))
    assert data["cases"][0] == [
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
    hostile = data["cases"][10][9][0]
    assert hostile[0].startswith('"><script>') and hostile[1] == ["good", f"{HOSTILE}{FORMULA}".replace(
        "\u202e", "⟨U+202E⟩").replace("\u202c", "⟨U+202C⟩")]  # fmt: skip
    assert "\u202e" not in content(usual_told())
    assert data["attacked"] == [[0, 0, 100, 80, 10, 70, 0], [1, 0, 100, 82, 1, 81, 0]] and data["whole"] == 11
    assert (data["title"], data["models"], data["trials"]) == ("plain · robust", ["plain", "robust"], ["pwws"])


def test_a_page_carries_so_many_sentences_and_says_how_many_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "All 11 sentences that fooled a model are on this page." in content(usual_told())
    monkeypatch.setattr(chapter, "MOST", 6)
    whole = usual_told()
    first = replace(whole.results.trials[2], ticked=frozenset({9, 10, 4, 5, 11}))  # of which 11 fooled nobody
    told = Told(
        replace(whole.results, trials=(*whole.results.trials[:2], first, *whole.results.trials[3:])), whole.groups
    )
    section = content(told)
    data = carried(section)
    assert [case[2] for case in data["cases"] if case[0] == 0] == [4, 5, 9]  # ticked ones first, in the data's order
    assert "This page carries 4 of the 11 sentences that fooled a model, at most 6 and as many of each" in section
    assert data["attacked"][0] == [0, 0, 100, 80, 10, 70, 1] and data["whole"] == 11  # one tick is not on the page


def test_rates_as_found_stand_on_the_page_without_a_script() -> None:
    section = words(content(usual_told()))
    assert "plain, pwws 12.5 % 70.0 % 0" in section and HOSTILE not in html.unescape(section.split("Search")[0])


def test_every_control_has_a_name() -> None:
    section = content(usual_told())
    for name in ("Search", "Model", "Attack", "Label", "Ticks", "Order"):
        assert f"<label><span>{name}</span>" in section


def test_fooled_sentences_are_cut_at_their_changes() -> None:
    records = word_attack(3, 5, 2, changes=2)
    first = fooled_text(records[3], ("negative", "positive"), 0, 0)
    assert first.texts == (("a ", ("good", "decent"), " film, truly ", ("good", "fine")),)
    assert (first.label, first.before, first.after) == ("positive", "positive", "negative")
    assert (first.sure_before, first.sure_after) == (0.8, 0.7)
    assert tally(finished("plain", "pwws", records)) == (10, 8, 5, 3)


def test_of_a_pair_the_text_that_was_not_attacked_stays_whole() -> None:
    record = fooled(0)
    assert record.adversary is not None
    pair = type(record)(
        **{**vars(record), "texts": ("a good book", *record.texts), "adversary": ("a good book", *record.adversary)}
    )
    assert fooled_text(pair, ("negative", "positive"), 0, 0).texts[0] == ("a good book",)


@given(
    st.lists(
        st.tuples(st.sampled_from(["good", "film", "dogs", "ran"]), st.booleans(), st.text(max_size=3)), min_size=1
    )
)
def test_pieces_hold_both_texts_whole(drawn: list[tuple[str, bool, str]]) -> None:
    changes = [Change(place, word, new) for place, (word, changed, new) in enumerate(drawn) if changed]
    found = pieces(" ".join(word for word, _, _ in drawn), changes)
    assert "".join(piece if isinstance(piece, str) else piece[0] for piece in found) == " ".join(w for w, _, _ in drawn)
    after = " ".join(new if changed else word for word, changed, new in drawn)
    assert "".join(piece if isinstance(piece, str) else piece[1] for piece in found) == after
