from pathlib import Path

import numpy as np
import pytest
import torch
from tiny import save_encoder
from transformers import AutoConfig, AutoModel, AutoTokenizer

from unfooled.models.encoders.similarity import Similarity

TEXTS = ["the good film", "a dull story with a very bad plot", "film", "the good film", "warm and bright"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_encoder(tmp_path_factory.mktemp("similarity") / "encoder")


def by_hand(folder: Path, text: str) -> np.ndarray:
    tokens = AutoTokenizer.from_pretrained(folder)(text, return_tensors="pt")
    with torch.no_grad():
        states = AutoModel.from_pretrained(folder).train(False)(**tokens).last_hidden_state[0].numpy()
    mean = states.mean(axis=0)
    return mean / np.linalg.norm(mean)


def test_vectors_are_unit_means_of_the_states_whatever_the_batch(folder: Path) -> None:
    expected = np.stack([by_hand(folder, text) for text in TEXTS])
    for size in (1, 2, 64):
        assert np.allclose(Similarity(str(folder), batch_size=size).vectors(TEXTS), expected, atol=1e-5)


def test_a_call_gives_cosines(folder: Path) -> None:
    similarity = Similarity(str(folder))
    vectors = similarity.vectors(TEXTS)
    assert np.allclose(similarity(TEXTS[1], TEXTS), vectors @ vectors[1], atol=1e-6)
    assert similarity(TEXTS[1], TEXTS)[1] == pytest.approx(1.0, abs=1e-5)
    assert similarity.vectors([]).shape == (0, 16)


def test_what_is_remembered_is_bounded_and_right(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    similarity = Similarity(str(folder), remembered=3)
    expected = similarity.vectors(TEXTS).copy()
    assert list(similarity.known) == ["film", "the good film", "warm and bright"]
    asked: list[str] = []
    own = similarity.encoded

    def encoded(texts: list[str]) -> np.ndarray:
        asked.extend(texts)
        return own(texts)

    monkeypatch.setattr(similarity, "encoded", encoded)
    assert np.allclose(similarity.vectors(TEXTS), expected, atol=1e-5) and asked == [TEXTS[1]]


def test_whole_words_are_the_vocabularys(folder: Path) -> None:
    words = Similarity(str(folder)).whole_words()
    assert "film" in words and "the" in words and "a" not in words and "[UNK]" not in words


def test_what_is_remembered_keeps_nothing_else_in_memory(folder: Path) -> None:
    similarity = Similarity(str(folder))
    similarity.vectors(TEXTS)
    assert all(row.base is None for row in similarity.known.values())


@pytest.mark.parametrize("positions", [32, 256])
def test_a_text_is_read_as_far_as_the_encoder_goes(folder: Path, tmp_path: Path, positions: int) -> None:
    config = AutoConfig.from_pretrained(folder, max_position_embeddings=positions)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        AutoModel.from_config(config).save_pretrained(tmp_path)
    AutoTokenizer.from_pretrained(folder).save_pretrained(tmp_path)
    similarity = Similarity(str(tmp_path))
    late = positions * 3 // 5
    head, rest = ["film"] * late, positions - 2 - late  # [CLS] and [SEP] take two places
    dull, good = (" ".join([*head, *[word] * rest]) for word in ("dull", "good"))
    assert similarity(dull, [good])[0] < 1 - 1e-3
    assert similarity(dull, [f"{dull} good good"])[0] == pytest.approx(1.0, abs=1e-5)
