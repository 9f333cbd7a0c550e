import math

import pytest
import torch

from unfooled.losses.targets import TARGETS, target_loss


def test_a_class_costs_the_negative_logarithm_of_its_probability() -> None:
    total, count, unit = target_loss(
        torch.tensor([[math.log(3.0), 0.0], [0.0, 0.0]]), torch.tensor([0, 1]), "classification"
    )
    assert total.item() == pytest.approx(math.log(4 / 3) + math.log(2)) and (count, unit) == (2, "examples")


def test_a_number_costs_its_squared_distance() -> None:
    total, count, _ = target_loss(torch.tensor([[1.5], [-1.0]]), torch.tensor([1.0, 1.0]), "regression")
    assert total.item() == pytest.approx(0.25 + 4.0) and count == 2


def test_a_set_costs_the_mean_over_all_classes() -> None:
    logits = torch.tensor([[0.0, math.log(3.0)]])  # probabilities 1/2 and 3/4
    total, count, _ = target_loss(logits, torch.tensor([[1, 0]]), "multilabel")
    assert total.item() == pytest.approx((math.log(2) + math.log(4)) / 2) and count == 1


def test_a_span_costs_the_mean_of_its_two_ends() -> None:
    logits = torch.zeros(1, 4, 2)
    logits[0, 2, 0] = math.log(5.0)  # 5/8 for the start at 2
    total, count, _ = target_loss(logits, torch.tensor([[2, 3]]), "span")
    assert total.item() == pytest.approx((math.log(8 / 5) + math.log(4)) / 2) and count == 1


def test_tokens_that_ask_for_nothing_cost_nothing() -> None:
    logits = torch.zeros(2, 3, 7)
    label = torch.tensor([[1, -100, 2], [-100, -100, 6]])
    total, count, unit = target_loss(logits, label, "tokens")
    assert total.item() == pytest.approx(3 * math.log(7)) and (count, unit) == (3, "targets")


def test_half_precision_is_added_up_in_single() -> None:
    for kind, label in (("classification", torch.tensor([0])), ("regression", torch.tensor([0.5]))):
        assert target_loss(torch.ones(1, 1, dtype=torch.bfloat16), label, kind)[0].dtype == torch.float32
    assert set(TARGETS) == {"classification", "regression", "multilabel", "span", "tokens"}


def test_smoothed_labels_give_all_words_a_share() -> None:
    """(1 - s) · -log p(label) + s · the mean of -log p over all words."""
    logits = torch.tensor([[[0.0, 1.0, 3.0], [0.5, 0.5, 0.5]]])
    label = torch.tensor([[2, -100]])
    logs = [value - math.log(1 + math.e + math.e**3) for value in (0.0, 1.0, 3.0)]
    total, count, _ = target_loss(logits, label, "tokens", smoothing=0.3)
    assert total.item() == pytest.approx(-0.7 * logs[2] - 0.3 * sum(logs) / 3) and count == 1


def test_a_network_without_all_logits_rates_labels_itself() -> None:
    total, count, unit = target_loss(
        torch.empty(0), torch.tensor([[4, -100]]), "tokens", rated=lambda label: (label > 0) * 2.5
    )
    assert (total.item(), count, unit) == (2.5, 1, "targets")
