from pathlib import Path

import pytest
from exchange_ground import NEAR, save_neighbours
from tiny import save_encoder

from unfooled.models.encoders.similarity import Similarity
from unfooled.substitution.near import counter_fitted_table, neighbour_table
from unfooled.text.english.lexicon import lexicon


def test_counter_fitted_words_are_taken_where_there_are_any(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = Similarity(str(save_encoder(tmp_path / "encoder")))
    monkeypatch.setenv("UNFOOLED_DATA", str(save_neighbours(tmp_path)))
    table, source = neighbour_table(encoder, 50, 0.5)
    assert table == NEAR == counter_fitted_table() and source == "counter-fitted"


@pytest.mark.parametrize("named", [True, False])
def test_else_they_are_the_encoders_own(named: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether the data folder has no table or there is no data folder."""
    encoder = Similarity(str(save_encoder(tmp_path / "encoder")))
    monkeypatch.setenv("UNFOOLED_CACHE", str(tmp_path / "cache"))
    if named:
        monkeypatch.setenv("UNFOOLED_DATA", str(tmp_path))
    else:
        monkeypatch.delenv("UNFOOLED_DATA", raising=False)
    assert counter_fitted_table() is None
    table, source = neighbour_table(encoder, 4, -1.0)
    assert source == f"near words of {encoder.name}"
    assert set(table) == {word for word in encoder.whole_words() if word in lexicon()}
    assert all(len(near) == 4 and word not in near for word, near in table.items())
    assert len(list((tmp_path / "cache").iterdir())) == 1  # kept for the next time
