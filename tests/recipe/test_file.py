from pathlib import Path

import pytest

from unfooled.errors import BadInput
from unfooled.recipe.file import find_recipe, overlaid, read_recipe


def test_later_values_win_and_another_method_forgets_the_first_ones_settings() -> None:
    base = {"method": {"name": "freelb", "passes": 2}, "plan": {"epochs": 5}}
    assert overlaid(base, {"plan": {"epochs": None}, "seed": 3}) == {**base, "seed": 3}
    assert overlaid(base, {"method": {"name": "smart"}})["method"] == {"name": "smart"}
    assert overlaid(base, {"method": {"name": "freelb"}})["method"] == {"name": "freelb", "passes": 2}
    assert overlaid(base, {"method": {"name": None}})["method"] == {"name": "freelb", "passes": 2}


def test_a_recipe_that_is_not_there_or_not_toml_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no recipe at"):
        read_recipe(find_recipe(str(tmp_path / "x.toml")))
    (tmp_path / "x.toml").write_text("seed = = 3")
    with pytest.raises(BadInput, match="cannot be read as TOML"):
        read_recipe(tmp_path / "x.toml")
