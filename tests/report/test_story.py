"""Stories are values; cutting a text at its changes loses nothing."""

from hypothesis import given
from hypothesis import strategies as st
from stories import case, full_story

from unfooled.report.story import pieces


@given(st.text(min_size=1), st.data())
def test_pieces_hold_both_texts_whole(old: str, draw: st.DataObject) -> None:
    cuts = sorted(draw.draw(st.lists(st.integers(0, len(old)), unique=True, max_size=6)))
    spans = list(zip(cuts[::2], cuts[1::2], strict=False))
    new = [draw.draw(st.text(max_size=3)) for _ in spans]
    found = pieces(old, spans, new)
    assert "".join(piece if isinstance(piece, str) else piece[0] for piece in found) == old
    after, done = "", 0
    for (start, end), word in zip(spans, new, strict=True):
        after, done = after + old[done:start] + word, end
    assert "".join(piece if isinstance(piece, str) else piece[1] for piece in found) == after + old[done:]


def test_changed_words_are_counted() -> None:
    assert case(0).changed == 1
    assert full_story() == full_story()
