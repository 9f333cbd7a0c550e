import pytest
from pydantic import ValidationError

from unfooled.errors import BadInput
from unfooled.recipe.plan import Plan
from unfooled.settings import settings_from


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


@pytest.mark.parametrize("given", [0, -1e-4, "fast", float("inf"), float("nan"), None, [1e-3]])
def test_a_rate_is_a_number_or_auto(given: object) -> None:
    with pytest.raises(BadInput, match=r'setting plan.learning_rate = .* give a number above 0, or "auto"'):
        settings_from(Plan, {"learning_rate": given}, "plan.")


def test_an_undecided_rate_is_no_number() -> None:
    assert Plan(learning_rate=3e-5).peak_rate == Plan.model_validate({"learning_rate": "3e-5"}).peak_rate == 3e-5
    assert Plan().learning_rate == Plan.model_validate({"learning_rate": "auto"}).learning_rate == "auto"
    with pytest.raises(ValueError, match="not been decided"):
        Plan().peak_rate  # noqa: B018
