import pytest

from unfooled.text.english.opposites import affirmed, antonyms, denied, negation

DENIED = [
    ("The film is good.", "The film is not good."),
    ("She liked the film.", "She did not like the film."),
    ("He sings well.", "He does not sing well."),
    ("They can win.", "They cannot win."),
    ("It has been fun.", "It has not been fun."),
    ("I love it.", "I do not love it."),
]
AFFIRMED = [
    ("It isn't good.", "It is good."),
    ("It is not good.", "It is good."),
    ("I would never go.", "I would go."),
    ("He can't act and won't try.", "He can act and won't try."),
    ("It cannot be.", "It can be."),
]


@pytest.mark.parametrize(("text", "expected"), DENIED)
def test_what_is_said_is_denied(text: str, expected: str) -> None:
    assert negation(text) == denied(text) == expected


@pytest.mark.parametrize(("text", "expected"), AFFIRMED)
def test_what_is_denied_is_said(text: str, expected: str) -> None:
    assert negation(text) == affirmed(text) == expected


def test_clauses_that_depend_on_others_are_not_what_is_negated() -> None:
    assert denied("A film that is good.") == "A film that is good."
    assert denied("If it is good, we will come.") == "If it is good, we will not come."
    assert denied("That is all.") == "That is not all."


@pytest.mark.parametrize("text", ["", "A film.", "Is it good?", "good", "…", "It is not only good"])
def test_what_cannot_be_negated_stays(text: str) -> None:
    assert denied(text) == text or "only" in text
    assert affirmed(text) == text


def test_an_adjective_goes_before_other_words() -> None:
    assert antonyms("We love a good film.", (0,)) == "We love a bad film."
    assert antonyms("We love it.", (0,)) == "We hate it."
    assert antonyms("Of the film", (0,)) == "Of the film"


def test_which_adjective_is_the_keys_choice() -> None:
    text = "A good, happy, early, hot film."
    found = {antonyms(text, (key,)) for key in range(40)}
    assert 2 <= len(found) <= 4 and text not in found
    assert antonyms(text, (3,)) == antonyms(text, (3,))
