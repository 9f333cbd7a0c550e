import pytest

from unfooled.attacks import ATTACKS, Attack, Parts
from unfooled.attacks.attack import NearWords, Swaps, swapped
from unfooled.text.document import read


def test_a_swap_is_what_the_document_does() -> None:
    document = read("  One, two—three!  ")
    for place in range(3):
        for word in ("", "x", "several words"):
            assert swapped(document, place, word) == str(document.replace({place: word}))


def test_many_swaps_are_the_swaps_one_by_one() -> None:
    document = read("One, two—three!")
    changes = [(place, word) for place in range(3) for word in ("", "x")]
    swaps = Swaps(document, changes)
    assert list(swaps) == list(swaps) == [swapped(document, *change) for change in changes] and len(swaps) == 6


def test_settings_without_a_search_cannot_be_made() -> None:
    with pytest.raises(TypeError):
        Attack()  # type: ignore[abstract]
    assert [name for name, kind in ATTACKS.items() if kind.needs_similarity] == [
        "textfooler",
        "hlbb",
    ] and Parts().notes == {}
    assert {name: kind().near_words for name, kind in ATTACKS.items() if kind().near_words} == {
        "textfooler": NearWords(50, 0.5)
    }
