from hypothesis import given, settings
from hypothesis import strategies as st

from unfooled.play.marking import marked, shown, tokens


@settings(max_examples=40)
@given(st.text(max_size=40), st.text(max_size=40))
def test_both_texts_can_be_read_off_the_pieces(old: str, new: str) -> None:
    pieces = marked(old, new)
    assert "".join(piece if isinstance(piece, str) else piece[0] for piece in pieces) == old
    assert "".join(piece if isinstance(piece, str) else piece[1] for piece in pieces) == new
    assert "".join(tokens(old)) == old


def test_neighbouring_changes_are_one() -> None:
    assert marked("a good old film", "a bad new film") == ["a ", ("good old", "bad new"), " film"]
    assert marked("a film", "a film") == ["a film"]


def test_controls_are_made_visible() -> None:
    assert shown(["a\u202eb", ("c", "\u202ed")]) == ["a⟨U+202E⟩b", ["c", "⟨U+202E⟩d"]]
