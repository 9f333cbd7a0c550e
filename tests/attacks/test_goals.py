import numpy as np

from unfooled.attacks.goals import UNTARGETED, targeted
from unfooled.victims.rounding import Yardstick

YARDSTICK = Yardstick()


def test_untargeted_is_any_other_class_by_more_than_rounding() -> None:
    assert UNTARGETED.reached(np.array([0.2, 0.5, 0.3]), 0, YARDSTICK)
    assert not UNTARGETED.reached(np.array([0.2, 0.5, 0.3]), 1, YARDSTICK)
    assert not UNTARGETED.reached(np.array([0.5 - 1e-9, 0.5 + 1e-9]), 0, YARDSTICK)


def test_targeted_is_one_class_above_all_others() -> None:
    goal = targeted(2)
    assert goal.reached(np.array([0.2, 0.3, 0.5]), 0, YARDSTICK)
    assert not goal.reached(np.array([0.2, 0.5, 0.3]), 0, YARDSTICK)
    assert not goal.reached(np.array([0.1, 0.45, 0.45 + 1e-9]), 0, YARDSTICK)


def test_nearness_grows_towards_the_goal() -> None:
    rows = np.array([[0.7, 0.2, 0.1], [0.3, 0.3, 0.4]])
    assert UNTARGETED.nearness(rows, 0).tolist() == [-0.7, -0.3]
    assert targeted(2).nearness(rows, 0).tolist() == [0.1, 0.4]
