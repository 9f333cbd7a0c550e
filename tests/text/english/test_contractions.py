import pytest

from unfooled.text.english.contractions import contractions, written_out, written_short

PAIRS = [
    ("It isn't so.", "It is not so."),
    ("They can't come.", "They can not come."),
    ("We won't.", "We will not."),
    ("I'm here and you're there.", "I am here and you are there."),
    ("They've said we'll see.", "They have said we will see."),
]


@pytest.mark.parametrize(("short", "long"), PAIRS)
def test_both_ways(short: str, long: str) -> None:
    assert written_out(short) == long and written_short(long) == short
    assert contractions(short) == long and contractions(long) == short


def test_corpora_split_into_tokens_are_read_too() -> None:
    assert written_out("it does n't , and they ca n't") == "it does not , and they can not"
    assert written_out("it 's a film you 'll see") == "it is a film you will see"


def test_what_may_mean_two_things_is_left_alone() -> None:
    for text in ("It's been long.", "He'd go.", "John's film isn", "She's gone.", "Ain't it."):
        assert written_out(text) == text


def test_an_s_before_what_no_participle_is_means_is() -> None:
    assert written_out("It's a film. That's what I mean. He’s not here.") == (
        "It is a film. That is what I mean. He is not here."
    )


@pytest.mark.parametrize("text", ["That is what it is.", "not only that", "I AM NOT", "cars are here", "", "don"])
def test_what_cannot_be_contracted_stays(text: str) -> None:
    assert written_short(text) in (text, text.replace("That is", "That's"))


def test_capitals_stay() -> None:
    assert contractions("Don't") == "Do not" and contractions("Do not go") == "Don't go"
    assert contractions("Cannot be") == "Can't be"
