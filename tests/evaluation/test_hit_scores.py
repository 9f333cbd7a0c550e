import numpy as np
import pytest

from unfooled.evaluation.hit_scores import HitRecord, hits_by


def records(near: np.ndarray) -> list[HitRecord]:
    """Records whose likenesses [n, layers, 2] are the same by every comparison."""
    rows = [tuple((float(a), float(b)) for a, b in own) for own in near]
    return [HitRecord(index, index, "o", "s", "a", row, row, row) for index, row in enumerate(rows)]


def test_hits_are_counted_layer_by_layer_and_the_best_is_named() -> None:
    near = np.array(
        [[[0.9, 0.1], [0.2, 0.8]], [[0.4, 0.5], [0.6, 0.5]], [[0.9, 0.8], [0.7, 0.1]], [[0.9, 0.8], [0.7, 0.9]]]
    )
    found = hits_by(records(near), "mean")
    assert [score.value for score in found.by_layer] == [3 / 4, 2 / 4]
    assert (found.layer, found.best.value, found.best.n) == (1, 3 / 4, 4)
    assert "the best of 2 layers on these triples" in found.best.definition


def test_equal_likeness_is_no_hit() -> None:
    assert hits_by(records(np.full((50, 3, 2), 0.7)), "cls").best.value == 0.0


def test_random_likenesses_hit_half_of_the_time() -> None:
    near = np.random.default_rng(0).normal(size=(20_000, 2, 2))
    for score in hits_by(records(near), "bertscore").by_layer:
        assert score.value == pytest.approx(0.5, abs=0.015)


def test_of_equal_layers_the_first_is_the_best() -> None:
    assert hits_by(records(np.tile([0.9, 0.1], (5, 4, 1))), "cls").layer == 1


def test_no_triples_are_unknown() -> None:
    found = hits_by([], "cls")
    assert found.by_layer == () and np.isnan(found.best.value) and found.layer == 0


def test_comparisons_are_kept_apart() -> None:
    good, bad = ((0.9, 0.1),), ((0.1, 0.9),)
    one = [HitRecord(0, 0, "o", "s", "a", good, bad, good)]
    assert [hits_by(one, pooling).best.value for pooling in ("cls", "mean", "bertscore")] == [1.0, 0.0, 1.0]
