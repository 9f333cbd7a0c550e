"""A table of near words out of a sentence encoder, made once and kept on the disk."""

import hashlib
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from unfooled.models.encoders.similarity import Similarity

CHUNK = 512
Show = Callable[[int], None]  # how many words are done


def near_words(
    words: Sequence[str], similarity: Similarity, most: int = 50, least: float = 0.5, show: Show | None = None
) -> dict[str, tuple[str, ...]]:
    """For each word the others nearest to it, nearest first: at most ``most``, of cosine ``least`` or more."""
    key = hashlib.sha256(f"{similarity.fingerprint()}{most}{list(words)}".encode()).hexdigest()
    path = cache_folder() / f"near-words-{key[:16]}.npz"
    if path.is_file():
        with np.load(path, allow_pickle=False) as stored:
            places, cosines = stored["places"], stored["cosines"]
    else:
        places, cosines = nearest(words, similarity, most, show)
        store(path, places, cosines)
    return {
        word: tuple(words[place] for place, cosine in zip(near, likenesses, strict=True) if cosine >= least)
        for word, near, likenesses in zip(words, places, cosines, strict=True)
    }


def nearest(
    words: Sequence[str], similarity: Similarity, most: int, show: Show | None
) -> tuple[np.ndarray, np.ndarray]:
    """The places [n, most] of the nearest other words and their cosines, nearest first, ties by place."""
    parts = []
    for start in range(0, len(words), CHUNK):
        parts.append(similarity.encoded(words[start : start + CHUNK]))
        if show:
            show(min(start + CHUNK, len(words)))
    vectors = np.concatenate(parts)
    count = min(most, len(words) - 1)
    places = np.zeros((len(words), count), dtype=np.int32)
    cosines = np.zeros((len(words), count), dtype=np.float32)
    for start in range(0, len(words), CHUNK):
        own = np.arange(start, min(start + CHUNK, len(words)))
        alike = np.round(vectors[own] @ vectors.T, 5)
        alike[np.arange(len(own)), own] = -2.0  # a word is not its own neighbour
        places[own] = [largest(row, count) for row in alike]
        cosines[own] = np.take_along_axis(alike, places[own], axis=1)
    return places, cosines


def largest(values: np.ndarray, count: int) -> np.ndarray:
    """The places of so many of the largest values, largest first, ties by place.

    >>> largest(np.array([1, 3, 2, 3, 2]), 3).tolist()
    [1, 3, 2]
    """
    if not count:
        return np.zeros(0, dtype=np.int64)
    least = np.partition(values, -count)[-count]
    kept = np.flatnonzero(values >= least)  # all that tie for the last place too, so that the earliest of them gets it
    return kept[np.argsort(-values[kept], kind="stable")[:count]]


def store(path: Path, places: np.ndarray, cosines: np.ndarray) -> None:
    """Write the table, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.stem}.{os.getpid()}.npz")
    np.savez_compressed(beside, places=places, cosines=cosines)
    os.replace(beside, path)


def cache_folder() -> Path:
    """Where tables are kept: $UNFOOLED_CACHE, or ``unfooled`` in the user's cache."""
    return Path(os.environ.get("UNFOOLED_CACHE") or Path.home() / ".cache" / "unfooled")
