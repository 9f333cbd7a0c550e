import numpy as np
import pytest

from unfooled.victims.rounding import Yardstick, descending, first_best


def test_ties_within_rounding_go_to_the_earlier_place() -> None:
    assert first_best([0.2, 0.5, 0.5 + 1e-7, 0.1], 1e-6) == 1
    assert first_best([0.2, 0.5, 0.5 + 1e-5, 0.1], 1e-6) == 2
    assert descending([0.5, 0.7, 0.5 + 1e-7, 0.7 - 1e-7], 1e-6) == [1, 3, 0, 2]


def test_the_order_does_not_move_with_the_last_bits() -> None:
    random = np.random.default_rng(0)
    for _ in range(200):
        values = random.integers(0, 6, 12) / 7
        noisy = values + random.uniform(-2e-7, 2e-7, 12)
        expected = sorted(range(12), key=lambda place: (-values[place], place))
        assert descending(noisy, 1e-5) == expected == descending(values, 1e-5)


@pytest.mark.parametrize("logit", [0.0, 5.0, 12.0, 20.0])
def test_the_slack_of_a_probability_follows_the_error_of_a_logit(logit: float) -> None:
    def chance(value: float) -> float:
        return 1 / (1 + np.exp(-value))

    slack = Yardstick().slack(np.array([chance(logit)]))[0]
    assert chance(logit + 1e-6) - chance(logit) < slack  # rounding is covered
    assert chance(logit) - chance(logit - 0.01) > 2 * slack  # and a real difference of a sure model is seen


def test_a_class_is_predicted_only_by_more_than_rounding() -> None:
    yardstick = Yardstick()
    assert yardstick.predicted(np.array([0.5 - 1e-8, 0.5 + 1e-8])) == 0
    assert yardstick.predicted(np.array([0.5 - 1e-4, 0.5 + 1e-4])) == 1
    assert not yardstick.beats(np.array([0.5 - 1e-8, 0.5 + 1e-8]), 1, 0)
    assert yardstick.beats(np.array([0.4, 0.6]), 1, 0) and not yardstick.beats(np.array([0.4, 0.6]), 0, 1)
