"""Versions: exact logs, exact spans, claimed kinds, realised ratios, randomness by key."""

import unicodedata
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from village import TEXTS

from unfooled.text.document import read
from unfooled.text.english.lexicon import lexicon
from unfooled.text.english.tagging import kind, tag
from unfooled.text.versions import DCL_VIEW, Version, VersionSettings, chance, drawn, synonym_view, versions

PAPER, RELEASED = VersionSettings(), VersionSettings(policy="released")
HARD = [
    "Good film, 😀 bad 👩‍👩‍👧 ending; HAPPY people laughed!",
    "Café owners gave naïve guests a résumé of the day’s events — slowly.",
    unicodedata.normalize("NFD", "Café owners gave naïve guests a résumé of the day, slowly."),
    "Films. Movies are rarely dull (in_fact never).",
    "\tWell-made stories, don't you   think?\u2028They give up too early…",
    "A person who smokes often gives up running.",
]
PIECES = st.sampled_from(
    [
        "the",
        "good",
        "film",
        "gave",
        "happy",
        "people",
        "small",
        "never",
        "quickly",
        "houses",
        "opened",
        "doors",
        "😀",
        "é",
        "e\u0301",
        "naïve",
        "FILM",
        "Film",
        "don't",
        "_",
        "\n",
        "…",
        "—",
        "ß",
        "İ",
        "\u200d",
        "日本",
        "42",
    ]
)


def applied(text: str, version: Version) -> str:
    """The text with a version's log applied by hand, from its spans in the original."""
    out, done = "", 0
    for one in version.replacements:
        start, end = one.span
        out += text[done:start] + one.new
        done = end
    return out + text[done:]


def undone(version: Version) -> str:
    """The original of a version's text: every new word taken back."""
    text = version.text
    for one in sorted(version.replacements, key=lambda each: each.new_span, reverse=True):
        start, end = one.new_span
        text = text[:start] + one.old + text[end:]
    return text


def require_exact(text: str, how: VersionSettings, seed: int) -> None:
    made = versions(text, how, seed, 0)
    assert made.original == read(text)
    for version in (made.synonym, made.antonym):
        assert applied(text, version) == version.text == str(version.document)
        assert undone(version) == text
        places = [one.word for one in version.replacements]
        assert places == sorted(set(places)) and set(places) <= set(made.candidates)
        for one in version.replacements:
            assert text[slice(*one.span)] == one.old == made.original.words[one.word]
            assert version.text[slice(*one.new_span)] == one.new == version.document.words[one.word]
            assert one.new.casefold() != one.old.casefold()
        for place, (old, new) in enumerate(zip(made.original.words, version.document.words, strict=True)):
            assert old == new or place in places


@pytest.mark.parametrize("how", [PAPER, RELEASED, VersionSettings(reinflect=True, english_only=False)])
@pytest.mark.parametrize("text", HARD)
def test_the_log_gives_the_version_and_back(text: str, how: VersionSettings):
    for seed in range(8):
        require_exact(text, how, seed)


@settings(max_examples=150, deadline=None)
@given(st.lists(PIECES, max_size=20), st.booleans(), st.integers(0, 99))
def test_logs_are_exact_on_any_text(pieces: list[str], spaced: bool, seed: int):
    text = (" " if spaced else "").join(pieces)
    for policy in ("paper", "released"):
        require_exact(text, VersionSettings(policy=policy, english_only=False), seed)


@pytest.mark.parametrize("how", [PAPER, RELEASED])
def test_every_replacement_is_in_the_set_its_kind_claims(how: VersionSettings):
    from lemminflect import getAllLemmas

    words, met = lexicon(), Counter[str]()
    looks = {"synonym": words.synonyms, "hypernym": words.hypernyms, "antonym": words.antonyms}
    for number, text in enumerate(TEXTS):
        made = versions(text, how, 1, number)
        tags = tag(made.original.words)
        for version, kinds in (
            (made.synonym, {"synonym", "hypernym", "inflection"}),
            (made.antonym, {"antonym", "random"}),
        ):
            for one in version.replacements:
                pos, old, new = kind(tags[one.word]), one.old.lower(), one.new.lower()
                met[one.kind] += 1
                assert one.kind in kinds and pos is not None and not tags[one.word].startswith("NNP")
                if one.kind in looks:
                    assert new in {other.lower() for other in looks[one.kind](old, pos)}
                elif one.kind == "inflection":
                    upos = {"n": "NOUN", "v": "VERB", "a": "ADJ", "r": "ADV"}[pos]
                    mine = getAllLemmas(new, upos).get(upos, ())
                    assert set(mine) & {old, *words.lemmas(old, pos)}, one
                else:
                    assert new not in {other.lower() for other in (*words.synonyms(old), *words.antonyms(old), old)}
    assert met.keys() == {"synonym", "hypernym", "inflection", "antonym", "random"} and min(met.values()) > 10


def test_paper_ratios_are_realised():
    made = [versions(text, PAPER, 3, number) for number, text in enumerate(TEXTS)]
    count = sum(len(one.original) for one in made)
    assert sum(len(one.synonym.replacements) for one in made) / count == pytest.approx(0.4, abs=0.02)
    assert sum(len(one.antonym.replacements) for one in made) / count == pytest.approx(0.2, abs=0.01)
    for one in made:
        assert len(one.antonym.replacements) - 0.2 * len(one.original) == pytest.approx(0, abs=1)
    short = [len(versions("Old men ate bread", PAPER, seed).synonym.replacements) for seed in range(2000)]
    assert set(short) == {1, 2} and sum(short) / 2000 == pytest.approx(1.6, abs=0.05)  # 0.4 of four words


def test_released_draws_one_kind_for_a_text_and_replaces_up_to_half():
    drawn_first = Counter[str]()
    for number, text in enumerate(TEXTS * 3):
        made = versions(text, RELEASED, 2, number)
        for version in (made.synonym, made.antonym):
            kinds = {one.kind for one in version.replacements}
            assert len(kinds) == 1 and len(version.replacements) <= min(len(made.original) // 2, len(made.candidates))
            drawn_first |= Counter(kinds)
            drawn_first.update(kinds)
        if {one.kind for one in made.antonym.replacements} == {"random"}:
            assert len(made.antonym.replacements) == min(len(made.original) // 2, len(made.candidates))
    total = 3 * len(TEXTS)
    assert all(0.15 * total < drawn_first[name] < 0.55 * total for name in ("hypernym", "synonym", "inflection"))
    assert 0.3 * total < drawn_first["random"] < 0.7 * total


def test_released_falls_through_where_a_kind_replaces_nothing():
    """No word of this has an antonym, so random words stand in whichever is drawn."""
    for number in range(20):
        made = versions("The lobster eats plankton", RELEASED, 0, number)
        assert {one.kind for one in made.antonym.replacements} == {"random"}


def test_an_antonym_is_preferred_where_there_is_one():
    for seed in range(30):
        for one in versions("A good old man left the big hot room", PAPER, seed).antonym.replacements:
            assert (one.kind == "antonym") == bool(lexicon().antonyms(one.old, kind(tag([one.old])[0])))


def test_the_kinds_a_word_has_are_equally_likely():
    met = Counter(one.kind for seed in range(1500) for one in versions("films", PAPER, seed).synonym.replacements)
    assert set(met) == {"synonym", "hypernym", "inflection"} and met.total() == 1500
    assert all(430 < number < 570 for number in met.values())  # 500, within four standard deviations


def test_draws_are_uniform_and_keyed():
    met = Counter(chance(seed, "x")(10) for seed in range(5000))
    assert all(400 < met[value] < 600 for value in range(10))
    one = chance(1, 2, "x")
    long = [one(1000) for _ in range(50)]  # more than one digest holds
    again = chance(1, 2, "x")
    assert [again(1000) for _ in range(50)] == long and len(set(long)) > 40
    assert len({tuple(map(chance(*keys), [10**6] * 3)) for keys in [(1, 2), (12,), ("1", 2), (2, 1), (1, 2, 0)]}) == 5
    assert Counter(drawn([0, 1, 2], 1, chance(seed))[0] for seed in range(3000)).keys() == {0, 1, 2}
    assert sorted(drawn([5, 6, 7], 9, chance(0))) == [5, 6, 7]


def test_versions_are_a_function_of_text_settings_seed_and_keys():
    text = TEXTS[0]
    first = versions(text, PAPER, 1, 5, 0)
    assert versions(text, PAPER, 1, 5, 0) == first
    others = [versions(text, PAPER, 2, 5, 0), versions(text, PAPER, 1, 6, 0), versions(text, PAPER, 1, 5, 1)]
    assert len({one.synonym.text for one in (first, *others)}) == 4
    assert versions(text, VersionSettings(antonym_ratio=0.5), 1, 5, 0).synonym == first.synonym  # streams apart


def test_letter_case_is_kept():
    for seed in range(20):
        for version in (made := versions("HAPPY Films gave people hope", PAPER, seed)).synonym, made.antonym:
            for one in version.replacements:
                assert one.new.isupper() if one.word == 0 else one.new[0].isupper() if one.word == 1 else True


def test_texts_without_anything_to_replace_are_passed_through():
    for text in ("", " ", "…", "😀 😀", "It is, and was.", "Paris Berlin", "42"):
        made = versions(text, PAPER, 0)
        assert made.synonym.text == made.antonym.text == text and not made.candidates and made.english
    foreign = "Ein Mann fährt mit dem Fahrrad durch die Straße"
    assert versions(foreign, PAPER, 0).antonym.text == foreign and not versions(foreign, PAPER, 0).english
    bold = versions(foreign, VersionSettings(english_only=False), 0)
    assert bold.antonym.text != foreign and not bold.english


def test_one_word_is_replaced_by_paper_and_left_by_released():
    assert versions("Good", PAPER, 0).antonym.text in ("Bad", "Evil")
    assert versions("Good", RELEASED, 0).antonym.text == "Good"


def test_the_view_of_dcl_has_synonyms_only():
    views = [synonym_view(text, DCL_VIEW, 4, number) for number, text in enumerate(TEXTS)]
    count = sum(len(view.document) for view in views)
    assert sum(len(view.replacements) for view in views) / count == pytest.approx(0.3, abs=0.02)
    assert {one.kind for view in views for one in view.replacements} == {"synonym"}
    assert synonym_view(TEXTS[0], DCL_VIEW, 4, 0) == views[0] != synonym_view(TEXTS[0], DCL_VIEW, 5, 0)


def test_reinflected_words_have_the_form_of_the_word():
    how = VersionSettings(synonym_kinds=("synonym",), synonym_ratio=1, reinflect=True)
    new = {one.new for seed in range(40) for one in versions("movies", how, seed).synonym.replacements}
    assert {"films", "motion pictures"} <= new and not {"film", "motion picture"} & new


def test_settings_refuse_what_makes_no_sense():
    for wrong in ({"policy": "mine"}, {"synonym_ratio": 1.2}, {"synonym_kinds": ()}, {"antonym_kinds": ("synonym",)}):
        with pytest.raises(ValidationError):
            VersionSettings(**wrong)
    assert versions(TEXTS[0], VersionSettings(synonym_ratio=0), 0).synonym.text == TEXTS[0]
