import pytest

from unfooled.errors import BadInput
from unfooled.recipe.data_part import data_part


def test_data_seed_and_task_are_checked_and_the_rest_is_left_alone() -> None:
    part = data_part({"data": "reviews.csv", "seed": 3, "task": "none", "plan": {"epoch": 2}})
    assert (part.data.source, part.seed, part.task) == ("reviews.csv", 3, None)
    with pytest.raises(BadInput, match="unknown setting data.txt; did you mean text"):
        data_part({"data": {"source": "reviews.csv", "txt": "review"}})
    with pytest.raises(BadInput, match="no data was named"):
        data_part({"seed": 1})
