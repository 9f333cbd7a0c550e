"""Each change changes what it says and nothing else, and is a function of its key."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unfooled.errors import BadInput
from unfooled.text.changes import CHANGES, DIRECTIONAL, INVARIANT, names, numbers, perturbed, places
from unfooled.text.document import read
from unfooled.text.english.lexicon import lexicon
from unfooled.text.english.swaps import synonyms_of
from unfooled.text.english.tagging import tag
from unfooled.text.english.word_lists import CITIES, COUNTRIES, MEN, NEUTRAL, WOMEN

TEXT = "Jessica isn't in Paris, and David saw 14 large films in Chicago and Spain on an easy day."


def of(kind: str, text: str = TEXT, seed: int = 0) -> str:
    found = perturbed([text], [kind], seed)
    return found[0].texts[0] if found else text


def test_there_are_eight_ways_to_keep_and_two_to_turn_a_meaning() -> None:
    assert len(INVARIANT) == 8 and DIRECTIONAL == ("negation", "antonyms")
    assert {variant.kind for variant in perturbed([TEXT])} == set(INVARIANT)


def test_a_typo_exchanges_two_neighbouring_letters_inside_one_word() -> None:
    for seed in range(50):
        after = of("typos", seed=seed)
        differing = [place for place, (old, new) in enumerate(zip(TEXT, after, strict=True)) if old != new]
        first, second = differing
        assert second == first + 1 and (after[first], after[second]) == (TEXT[second], TEXT[first])
        word = next(word for word in read(after).words if word not in read(TEXT).words)
        assert word not in lexicon() and len(word) > 3
        start = next(start for start, end in read(TEXT).spans if start <= first < end)
        assert first > start  # first letters stay
    assert len({of("typos", seed=seed) for seed in range(50)}) > 10


def test_names_become_names_of_the_same_list_everywhere() -> None:
    pair = ("Jessica met David.", "David likes Jessica, Davidson does not.")
    after = names(pair, (1,))
    woman, man = re.fullmatch(r"(\w+) met (\w+)\.", after[0]).groups()  # type: ignore[union-attr]
    assert woman in WOMEN and man in MEN and woman != "Jessica" and man != "David"
    assert after[1] == f"{man} likes {woman}, Davidson does not."


def test_nobody_gets_the_name_of_somebody_who_is_there() -> None:
    for seed in range(30):
        (after,) = names((", ".join(WOMEN[:25]),), (seed,))
        assert len(after.split(", ")) == 25 and set(after.split(", ")) <= set(WOMEN[25:])


def test_places_become_places_of_their_kind_and_lower_case_texts_stay_so() -> None:
    (after,) = places(("from new york to spain",), (2,))
    city, country = re.fullmatch(r"from (.+) to (.+)", after).groups()  # type: ignore[union-attr]
    assert city in [name.lower() for name in CITIES] and country in [name.lower() for name in COUNTRIES]
    assert (city, country) != ("new york", "spain")
    assert places(("She went to spain",), (2,)) == ("She went to spain",)  # a text with capitals would write Spain


def test_numbers_move_a_little_and_ratings_dates_and_parts_do_not() -> None:
    for text in ("8/10", "8 out of 10", "5 stars", "90% of it", "3.5", "$12", "2 of 1", "at 10:30", "21st", "7-11"):
        assert numbers((text,), (0,)) == (text,), text
    for seed in range(20):
        one, other = numbers(("14 films in 1999", "14 of 1999 and 30"), (seed,))
        new, year = re.findall(r"\d+", one)
        assert new != "14" and abs(int(new) - 14) <= 2 and 0 < abs(int(year) - 1999) <= 20
        assert re.findall(r"\d+", other)[:2] == [new, year]


def test_punctuation_goes_or_comes() -> None:
    assert of("punctuation", "Fine film!!") == "Fine film" and of("punctuation", "Fine film") == "Fine film."
    assert of("punctuation", "fine , really . ") == "fine , really" and of("punctuation", "...") == "...."


def test_synonyms_are_the_first_and_three_in_ten() -> None:
    words = read(TEXT).words
    first = [synonyms_of(word, tagged)[:1] for word, tagged in zip(words, tag(words), strict=True)]
    able = sum(map(bool, first))
    for seed in range(10):
        after = read(of("synonyms", seed=seed)).words
        changed = [place for place, (old, new) in enumerate(zip(words, after, strict=True)) if old != new]
        changed = [place for place in changed if words[place] not in ("a", "an")]
        assert len(changed) == max(round(0.3 * able), 1)
        assert all((after[place],) == first[place] for place in changed)


def test_a_neutral_sentence_follows_the_first_text() -> None:
    [found] = perturbed([("A premise", "A hypothesis")], ["neutral"])
    assert found.texts[1] == "A hypothesis" and found.texts[0].removeprefix("A premise. ") in NEUTRAL
    assert of("neutral", "all lower .").removeprefix("all lower . ") in [one.lower() for one in NEUTRAL]


def test_variants_come_in_order_and_only_where_something_changed() -> None:
    texts = ["John!", "nothing here", "Mary saw Peter in Rome."]
    found = perturbed(texts, ["names", "places"])
    assert [(one.index, one.kind) for one in found] == [(0, "names"), (2, "names"), (2, "places")]
    assert all(one.texts != (texts[one.index],) for one in found)


def test_changes_are_a_function_of_seed_kind_and_place() -> None:
    assert perturbed([TEXT] * 4, seed=3) == perturbed([TEXT] * 4, seed=3) != perturbed([TEXT] * 4, seed=4)
    assert perturbed([TEXT] * 4, ["typos"], 3) == [one for one in perturbed([TEXT] * 4, seed=3) if one.kind == "typos"]
    whole, part = perturbed([TEXT] * 9, ["typos"], 3), perturbed([TEXT] * 2, ["typos"], 3, places=[4, 8])
    assert [one.texts for one in part] == [whole[4].texts, whole[8].texts] and [one.index for one in part] == [0, 1]
    assert len({one.texts for one in whole}) > 1


def test_an_unknown_change_is_one_sentence() -> None:
    with pytest.raises(BadInput, match="no change of texts called typoes; did you mean typos"):
        perturbed([TEXT], ["typoes"])


@settings(max_examples=300, deadline=None)
@given(st.lists(st.text(max_size=60), min_size=1, max_size=2), st.sampled_from(sorted(CHANGES)))
def test_any_text_at_all_is_taken(texts: list[str], kind: str) -> None:
    after = CHANGES[kind](tuple(texts), (0, kind, 0))
    assert len(after) == len(texts) and all(isinstance(text, str) for text in after)
