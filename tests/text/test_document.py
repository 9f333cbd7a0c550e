import time
from collections.abc import Callable, Iterator
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unfooled.text.document import Document, changed, read

# Letters, digits, spaces, what joins words, emoji with joiners and selectors, right-to-left, combining marks.
HARD = "aZ9éß_ \t\n.,!'’-‐\u00ad\u200d\u200c\ufe0f\u0301\u0323\u20e3😀👩🏽❤אבגمرحבּक्षि日本½\u202e\x00"
TEXTS = st.one_of(st.text(max_size=40), st.text(alphabet=HARD, max_size=40), st.text(alphabet="ab '-", max_size=40))


def strings(count: int, seed: int) -> Iterator[str]:
    """Strings by the thousand, where hypothesis is slow: of hard characters, of any characters, of plain words."""
    dice = Random(seed)
    for number in range(count):
        length = dice.randint(0, 40)
        if number % 3 == 0:
            yield "".join(dice.choices(HARD, k=length))
        elif number % 3 == 1:
            yield "".join(chr(dice.randrange(dice.choice((0x80, 0x800, 0x10000, 0x110000)))) for _ in range(length))
        else:
            yield "".join(dice.choices("abc '-😀\u0301א", k=length))


def edits(text: str) -> tuple[Document, dict[int, str]]:
    """A document and new words for up to four of its places, as the text itself decides."""
    document, dice = read(text), Random(text.encode("utf-8", "surrogatepass"))
    places = dice.sample(range(len(document)), min(len(document), dice.randint(0, 4)))
    return document, {place: "".join(dice.choices(HARD, k=dice.randint(0, 6))) for place in places}


def test_words_are_found_as_people_see_them():
    text = "Don’t say 'well-made', e\u0301te\u0301 or snake_case — 3.5 stars ❤️ שלום, نمی‌خواهم rock-"
    assert read(text).words == (
        *("Don’t", "say", "well-made", "e\u0301te\u0301", "or", "snake", "case", "3", "5", "stars"),
        *("שלום", "نمی‌خواهم", "rock"),
    )


@pytest.mark.parametrize("text", ["", " ", "…", "❤️", "\ufe0f\u0301", "---", "''", "_", "\ud800", "👩🏽\u200d🚀"])
def test_texts_without_words_have_none(text: str):
    assert read(text).words == () and str(read(text)) == text


def holds(text: str) -> None:
    """The text comes back, and an edit touches only its spans."""
    document, changes = edits(text)
    assert str(document) == text
    after = document.replace(changes)
    # Rebuilt by hand: what lies between the words must be what lay there before, around the wanted words.
    starts, ends = [start for start, _ in document.spans], [0, *(end for _, end in document.spans)]
    gaps = [text[end:start] for end, start in zip(ends, [*starts, len(text)], strict=True)]
    wanted = [changes.get(place, word) for place, word in enumerate(document.words)]
    assert str(after) == "".join(gap + word for gap, word in zip(gaps, [*wanted, ""], strict=True))
    assert after.words == tuple(wanted)
    assert [after.text[start:end] for start, end in after.spans] == wanted
    different = [place for place in sorted(changes) if changes[place] != document.words[place]]
    assert changed(document, after) == tuple(different)


def commutes(text: str) -> None:
    """Edits at different places may come in either order or together, and can be taken back."""
    document, changes = edits(text)
    some = {place: word for place, word in changes.items() if place % 2}
    others = {place: word for place, word in changes.items() if not place % 2}
    together = document.replace(changes)
    assert document.replace(some).replace(others) == together == document.replace(others).replace(some)
    assert together.replace({place: document.words[place] for place in changes}) == document


def whole(text: str) -> None:
    """Every word begins with a letter or digit and does not stop or start in the middle of a run."""
    for start, end in read(text).spans:
        assert text[start].isalnum()
        assert not text[end : end + 1].isalnum()
        assert start == 0 or not text[start - 1].isalnum()


@pytest.mark.parametrize("law", [holds, commutes, whole])
def test_the_laws_hold_for_ten_thousand_strings(law: Callable[[str], None]):
    texts = list(strings(10_000, seed=0))
    assert len(set(texts)) > 9_500 and sum(bool(edits(text)[1]) for text in texts) > 6_000
    for text in texts:
        law(text)


@pytest.mark.parametrize("law", [holds, commutes, whole])
@settings(max_examples=400)
@given(text=TEXTS)
def test_the_laws_hold_for_what_hypothesis_draws(law: Callable[[str], None], text: str):
    law(text)


def test_deleted_words_keep_their_place_and_can_return():
    document = read("a fine film").replace({1: ""})
    assert (str(document), document.words, len(document)) == ("a  film", ("a", "", "film"), 3)
    assert str(document.replace({1: "very fine", 2: "movie"})) == "a very fine movie"


@pytest.mark.parametrize("place", [-1, 3])
def test_places_that_do_not_exist_are_refused(place: int):
    with pytest.raises(IndexError):
        read("a fine film").replace({place: "x"})


def test_documents_of_different_texts_are_not_compared():
    with pytest.raises(ValueError):
        changed(read("one two"), read("one"))


@pytest.mark.parametrize("pattern", ["word e\u0301 😀 ", "a-", "a'", "aaaaa", "--'", "_\u0301"])
def test_long_texts_take_time_in_proportion(pattern: str):
    def seconds(length: int) -> float:
        text = (pattern * length)[:length]
        begun = time.process_time()
        document = read(text)
        assert str(document.replace({0: "x"} if len(document) else {})) == (
            "x" + text[document.spans[0][1] :] if len(document) else text
        )
        return time.process_time() - begun

    seconds(100)
    assert seconds(100_000) < 1
    assert seconds(1_000_000) < 40 * max(seconds(100_000), 0.005)
