"""Neighbours stay neighbours: formulas against loops, the map against scikit-learn's."""

import math

import numpy as np
import pytest
from sklearn.manifold import TSNE, trustworthiness

from unfooled.report.charts.tsne import LARGEST, gradient, similarities, tsne


def blobs(count: int = 90, dimensions: int = 20) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    centres = 6 * random.standard_normal((3, dimensions))
    groups = np.arange(count) % 3
    return centres[groups] + random.standard_normal((count, dimensions)), groups


def divergence(near: np.ndarray, places: np.ndarray) -> float:
    """KL(P || Q), in loops from Eqs. 4 and 2 of the paper."""
    count = len(places)
    raw = [[1 / (1 + float(((a - b) ** 2).sum())) for b in places] for a in places]
    total = sum(raw[a][b] for a in range(count) for b in range(count) if a != b)
    pairs = [(near[a][b], raw[a][b] / total) for a in range(count) for b in range(count) if a != b]
    return sum(wanted * math.log(wanted / got) for wanted, got in pairs)


def test_the_gradient_is_the_slope_of_the_divergence() -> None:
    random = np.random.default_rng(1)
    near = similarities(random.standard_normal((7, 3)), 2.0)
    np.fill_diagonal(near, 0.0)
    near /= near.sum()
    places, step = random.standard_normal((7, 2)), 1e-6
    for point, axis in [(0, 0), (3, 1), (6, 0)]:
        moved = [places.copy(), places.copy()]
        moved[0][point, axis] += step
        moved[1][point, axis] -= step
        slope = (divergence(near, moved[0]) - divergence(near, moved[1])) / (2 * step)
        assert gradient(near, places)[point, axis] == pytest.approx(slope, abs=1e-6)


def test_every_row_has_the_perplexity_asked_for() -> None:
    vectors, _ = blobs(30)
    near = similarities(vectors, 5.0)
    assert near.sum() == pytest.approx(1, abs=1e-6) and np.allclose(near, near.T)
    few, many = (np.sort(similarities(vectors, wide), axis=1)[:, -1].mean() for wide in (3.0, 9.0))
    assert few > many


def test_groups_stay_apart_as_well_as_in_scikit_learns() -> None:
    vectors, groups = blobs()
    own = tsne(vectors, perplexity=10)
    theirs = TSNE(perplexity=10, init="pca", method="exact", random_state=0).fit_transform(vectors)
    assert trustworthiness(vectors, own) > trustworthiness(vectors, theirs) - 0.03
    centres = np.stack([own[groups == group].mean(axis=0) for group in range(3)])
    nearest = ((own[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
    assert (nearest == groups).all()


def test_the_same_vectors_give_the_same_map_and_odd_ones_a_finite_one() -> None:
    vectors, _ = blobs(20)
    assert np.array_equal(tsne(vectors, steps=20), tsne(vectors, steps=20))
    for odd in (np.zeros((5, 3)), np.ones((1, 2)), vectors[:3], np.repeat(vectors[:2], 10, axis=0)):
        found = tsne(odd)
        assert found.shape == (len(odd), 2) and np.isfinite(found).all()


def test_too_many_points_are_refused() -> None:
    with pytest.raises(ValueError, match="too many"):
        tsne(np.zeros((LARGEST + 1, 2)))
