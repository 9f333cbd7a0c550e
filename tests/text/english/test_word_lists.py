import re

from unfooled.text.english.stop_words import STOP_WORDS
from unfooled.text.english.word_lists import (
    CITIES,
    CONTRACTED,
    COUNTRIES,
    ENDINGS,
    MEN,
    NEGATED,
    NEUTRAL,
    PRONOUNS,
    WOMEN,
)


def test_nothing_is_on_two_lists_or_twice_on_one() -> None:
    everything = [*WOMEN, *MEN, *CITIES, *COUNTRIES]
    assert len(set(everything)) == len(everything)
    assert len({name.lower() for name in everything} & STOP_WORDS) == 0


def test_every_entry_is_a_name_with_a_capital() -> None:
    for name in (*WOMEN, *MEN, *CITIES, *COUNTRIES):
        assert re.fullmatch(r"[A-Z][a-z]+( [A-Z][a-z]+)*", name), name


def test_contractions_and_their_long_forms_belong_together() -> None:
    assert all(CONTRACTED[full] == short for short, full in ENDINGS.items())
    assert set(PRONOUNS) == set(CONTRACTED)
    assert NEGATED["ca"] == "can" and NEGATED["wo"] == "will" and NEGATED["does"] == "does"


def test_neutral_sentences_are_whole_and_judge_nothing() -> None:
    judging = re.compile(r"\b(good|bad|great|nice|poor|best|worst|like|love|hate|not|no)\b", re.IGNORECASE)
    for sentence in NEUTRAL:
        assert sentence.endswith(".") and sentence[0].isupper() and not judging.search(sentence)
