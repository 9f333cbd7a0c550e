from pathlib import Path

import numpy as np
import pytest
from tiny import save_encoder

from unfooled.models.encoders.near_words import cache_folder, largest, near_words
from unfooled.models.encoders.similarity import Similarity


@pytest.fixture(scope="module")
def similarity(tmp_path_factory: pytest.TempPathFactory) -> Similarity:
    return Similarity(str(save_encoder(tmp_path_factory.mktemp("near") / "encoder")))


def test_neighbours_are_the_nearest_by_cosine(
    similarity: Similarity, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNFOOLED_CACHE", str(tmp_path))
    words = similarity.whole_words()
    vectors = similarity.vectors(words)
    cosines = vectors @ vectors.T
    shown: list[int] = []
    table = near_words(words, similarity, most=4, least=0.3, show=shown.append)
    assert shown == [len(words)] and list(table) == words
    for place, word in enumerate(words):
        order = sorted(range(len(words)), key=lambda other: -cosines[place, other])
        expected = [words[other] for other in order if other != place and cosines[place, other] >= 0.3][:4]
        assert table[word] == tuple(expected)


def test_the_table_is_made_once(similarity: Similarity, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNFOOLED_CACHE", str(tmp_path))
    words = similarity.whole_words()
    first = near_words(words, similarity, most=4)
    [stored] = list(tmp_path.iterdir())
    with np.load(stored, allow_pickle=False) as file:
        assert file["places"].shape == (len(words), 4)
    monkeypatch.setattr(similarity, "encoded", None)  # cannot be called again
    assert near_words(words, similarity, most=4) == first
    with pytest.raises(TypeError):
        near_words(words[1:], similarity, most=4)


def test_the_cache_is_below_the_users_unless_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("UNFOOLED_CACHE", raising=False)
    assert cache_folder() == Path.home() / ".cache" / "unfooled"


def test_the_largest_are_those_of_a_full_sort_with_ties_by_place() -> None:
    random = np.random.default_rng(0)
    for count in (0, 1, 7, 50):
        values = random.integers(0, 9, 50).astype(np.float32)
        expected = sorted(range(50), key=lambda place: (-values[place], place))[:count]
        assert largest(values, count).tolist() == expected
