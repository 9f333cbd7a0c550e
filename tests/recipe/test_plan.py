import pytest
from pydantic import ValidationError

from unfooled.recipe.plan import Plan


def test_a_plan_is_frozen_and_refuses_what_makes_no_sense() -> None:
    plan = Plan()
    with pytest.raises(ValidationError):
        plan.epochs = 2  # type: ignore[misc]
    for values in (
        {"epochs": 0},
        {"batch_size": 0},
        {"learning_rate": 0},
        {"warmup": 2},
        {"clip": 0},
        {"epoch": 3},
    ):
        with pytest.raises(ValidationError):
            Plan.model_validate(values)
