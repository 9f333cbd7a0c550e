"""The look that is chosen among several."""

from unfooled.training.choice import is_best
from unfooled.training.run_folder import State
from unfooled.types import Evaluation


def chosen(looks: list[tuple[float, float]]) -> int:
    """The look whose weights are left, of looks at (clean, substituted)."""
    state, best = State(), -1
    for number, (clean, substituted) in enumerate(looks):
        scores = {"accuracy": clean, "robust": (clean + substituted) / 2}
        if is_best(state, Evaluation(scores, best_by="robust", keeps="accuracy")):
            state.best_score, state.kept, best = scores["robust"], clean, number
    return best
