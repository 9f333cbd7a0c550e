"""t-SNE (van der Maaten and Hinton 2008), exact: high-dimensional neighbours stay neighbours on a plane.

For some hundreds of points: every pair is looked at in every step.
"""

import numpy as np

LARGEST = 600  # points
EXAGGERATION, EARLY, STEPS = 12.0, 100, 400


def tsne(vectors: np.ndarray, perplexity: float = 30.0, seed: int = 0, steps: int = STEPS) -> np.ndarray:
    """Places [n, 2] of the vectors [n, d]; they depend on the vectors and the seed alone.

    Paper says a start from noise; we do its two principal components, because then far groups stay apart and two
    pages of one result look alike.
    """
    count = len(vectors)
    if count > LARGEST:
        raise ValueError(f"{count} points are too many; take at most {LARGEST}")
    if count < 4:
        return principal(vectors, seed)
    near = similarities(vectors, min(perplexity, (count - 1) / 3))
    places = principal(vectors, seed)
    moved, gains = np.zeros_like(places), np.ones_like(places)
    rate = max(count / EXAGGERATION / 4, 10.0)
    for step in range(steps):
        wanted = near * (EXAGGERATION if step < EARLY else 1.0)
        slope = gradient(wanted, places)
        # Delta-bar-delta (Jacobs 1988), as the paper's own code has it.
        gains = np.where(np.sign(slope) != np.sign(moved), gains + 0.2, np.maximum(gains * 0.8, 0.01))
        moved = (0.5 if step < EARLY else 0.8) * moved - rate * gains * slope
        places = places + moved
    return places - places.mean(axis=0)


def squared_distances(points: np.ndarray) -> np.ndarray:
    """Of every pair [n, n]."""
    squares = (points**2).sum(axis=1)
    return np.maximum(squares[:, None] + squares[None, :] - 2 * points @ points.T, 0.0)


def similarities(vectors: np.ndarray, perplexity: float) -> np.ndarray:
    """p_ij, symmetric and adding up to 1; each row's Gaussian is as wide as the perplexity asks (bisected)."""
    distances = squared_distances(vectors)
    distances /= distances.mean() or 1.0
    count = len(vectors)
    low, high = np.full(count, 1e-6), np.full(count, 1e6)
    for _ in range(60):
        middle = np.sqrt(low * high)
        _, entropy = rows(distances, middle)
        wide = entropy > np.log(perplexity)  # too many neighbours: a narrower Gaussian, so a larger precision
        low, high = np.where(wide, middle, low), np.where(wide, high, middle)
    chances, _ = rows(distances, np.sqrt(low * high))
    return np.maximum((chances + chances.T) / (2 * count), 1e-12)


def rows(distances: np.ndarray, precision: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """p_j|i [n, n] for a precision per row, and the entropy of each row [n]."""
    scores = -distances * precision[:, None]
    np.fill_diagonal(scores, -np.inf)
    scores -= scores.max(axis=1, keepdims=True)
    chances = np.exp(scores)
    chances /= chances.sum(axis=1, keepdims=True)
    logs = np.log(np.maximum(chances, 1e-300))
    return chances, -(chances * logs).sum(axis=1)


def gradient(near: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Eq. 5: 4 Σ_j (p_ij - q_ij)(y_i - y_j) / (1 + |y_i - y_j|²)."""
    student = 1 / (1 + squared_distances(places))
    np.fill_diagonal(student, 0.0)
    pull = (near - student / student.sum()) * student
    return 4 * (pull.sum(axis=1)[:, None] * places - pull @ places)


def principal(vectors: np.ndarray, seed: int) -> np.ndarray:
    """The two principal components, small; a little noise parts points that are the same."""
    centred = vectors - vectors.mean(axis=0)
    left, sizes, _ = np.linalg.svd(centred, full_matrices=False)
    start = np.zeros((len(vectors), 2))
    components = (left * sizes)[:, :2]
    components = components * np.sign(
        components[np.abs(components).argmax(axis=0), np.arange(components.shape[1])]
    )  # a sign is no information
    start[:, : components.shape[1]] = components
    size = start.std() or 1.0
    return 1e-2 * (start / size + 1e-3 * np.random.default_rng(seed).standard_normal(start.shape))
