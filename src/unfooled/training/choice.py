"""Which of the weights that were looked at are the best so far."""

from collections.abc import Mapping

from unfooled.training.run_folder import State
from unfooled.types import Evaluation

A_POINT = 0.01 + 1e-9  # of accuracy, and rounding


def is_best(state: State, evaluation: Evaluation) -> bool:
    """Whether the weights looked at are the best so far, among those that have not lost a point of what must be kept.

    It is decided look by look: weights that were passed over are gone, though the best may later fall out of the point.
    """
    if evaluation.keeps is None:
        return evaluation.beats(state.best_score)
    value = evaluation.scores[evaluation.keeps]
    state.highest = value if state.highest is None else max(value, state.highest)
    least = state.highest - A_POINT
    lost = state.kept is not None and state.kept < least
    return value >= least and (lost or evaluation.beats(state.best_score))


def shown_scores(scores: Mapping[str, float]) -> str:
    """Scores as a line."""
    return ", ".join(f"{name} {value:.4f}" for name, value in scores.items())
