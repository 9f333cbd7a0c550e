from dataclasses import asdict

import pytest

from unfooled.training.state import State, state_of


def test_a_state_is_read_as_it_was_written() -> None:
    state = State(step=3, best_score=0.5, tally={"task": [1.0, 2.0]})
    assert state_of(asdict(state)) == state


@pytest.mark.parametrize(
    ("stored", "said"), [({"steps": 3}, "its state has a steps"), ({"step": "three"}, "its state has no step that can")]
)
def test_what_is_no_state_is_refused_by_name(stored: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        state_of(stored)
