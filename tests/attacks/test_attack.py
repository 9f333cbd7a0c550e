import pytest

from unfooled.attacks import ATTACKS, Attack, Parts
from unfooled.attacks.attack import swapped
from unfooled.text.document import read


def test_a_swap_is_what_the_document_does() -> None:
    document = read("  One, two—three!  ")
    for place in range(3):
        for word in ("", "x", "several words"):
            assert swapped(document, place, word) == str(document.replace({place: word}))


def test_settings_without_a_search_cannot_be_made() -> None:
    with pytest.raises(TypeError):
        Attack()  # type: ignore[abstract]
    assert all(kind.needs_similarity in (True, False) for kind in ATTACKS.values()) and Parts().notes == {}
