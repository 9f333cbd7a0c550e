import random

import pytest

from unfooled.text.changes import INVARIANT, perturbed
from unfooled.text.document import read
from unfooled.text.protected import around, bare, hidden, mentions, merged, speakers, touch, words_in

DIALOGUE = "Speaker 1: Ross’s sister, I'm sure, isn't in Paris.\nSpeaker 2: She loves 25 films: Ross said so."


def test_words_are_mentioned_in_whatever_case_and_as_possessives() -> None:
    found = [DIALOGUE[start:end] for start, end in mentions(DIALOGUE, words_in("ROSS; Speaker 2"))]
    assert found == ["Speaker", "Ross’s", "Speaker", "2", "Ross"]
    assert mentions(DIALOGUE, ()) == [] and bare("it's") == "it" and bare("is") == "is"


def test_speakers_stand_before_the_first_colon_of_a_line() -> None:
    assert [DIALOGUE[start:end] for start, end in speakers(DIALOGUE)] == ["Speaker 1:", "Speaker 2:"]
    assert speakers("Note: one line alone is no dialogue") == []
    assert [end - start for start, end in speakers("a\nAll at once: yes: no")] == [12]


def test_a_document_around_spans_has_no_word_of_them() -> None:
    spans = [*mentions(DIALOGUE, words_in("Ross; Paris")), *speakers(DIALOGUE)]
    document = around(DIALOGUE, spans)
    assert not {"Speaker", "Ross’s", "Ross", "Paris", "1", "2"} & set(document.words)
    whole = [word for word in read(DIALOGUE).words if word not in ("Speaker", "1", "2", "Ross’s", "Ross", "Paris")]
    assert list(document.words) == whole
    changed = str(document.replace(dict.fromkeys(range(len(document)), "x")))
    assert changed.count("Ross") == 2 and "Paris" in changed and changed.count("Speaker") == 2


def test_spans_are_merged_where_they_overlap_or_meet() -> None:
    assert merged([(4, 6), (0, 2), (1, 3), (6, 7), (9, 9)]) == [(0, 3), (4, 7)]
    assert touch((0, 2), (1, 3)) and not touch((0, 2), (2, 3))


def test_what_is_hidden_comes_back_wherever_it_stood() -> None:
    draw = random.Random(0)
    for _ in range(200):
        text = "".join(draw.choice("aqx x0 1é\n'") for _ in range(draw.randint(0, 30)))
        spans = [tuple(sorted((draw.randint(0, len(text)), draw.randint(0, len(text))))) for _ in range(3)]
        masked, back = hidden([text, text], [spans, []])
        assert back(masked) == (text, text)
        assert masked[1] == text


def test_texts_that_hold_the_hiding_word_themselves_lose_nothing() -> None:
    masked, back = hidden(["xq0xq and Al met xqq7xqq."], [[(10, 12)]])
    assert back(masked) == ("xq0xq and Al met xqq7xqq.",) and masked[0].startswith("xq0xq and xqqq0xqqq met")


@pytest.mark.parametrize("kind", INVARIANT)
def test_no_change_of_meaning_kept_touches_what_is_hidden(kind: str) -> None:
    """Every word of a sentence that each change would like to change is hidden in turn."""
    text = "John isn't in Berlin with 25 lovely films, an awful actor and a story of Japan."
    for span in read(text).spans:
        word = text[slice(*span)]
        (masked,), back = hidden([text], [[span]])
        for variant in perturbed([masked], (kind,)):
            (after,) = back(variant.texts)
            assert word in after and after != text
