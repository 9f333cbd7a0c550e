"""Recipes as they are written: TOML files found by path or name, and values laid over one another."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from unfooled.errors import BadInput
from unfooled.parsing import recipe_in

SHORT = {"data": "source", "model": "name", "method": "name"}  # what a lone text in a table's place means


def tables(raw: Mapping[str, Any]) -> dict[str, Any]:
    """The values with every part a table: ``method = "freelb"`` is short for its name."""
    parts = {}
    for name, value in raw.items():
        if name in ("data", "model", "method", "plan") and not isinstance(value, Mapping) and value is not None:
            if not isinstance(value, str) or name not in SHORT:
                raise BadInput(f"{name} = {value!r} cannot be used: it is a table of settings, as in {name}.name = …")
            value = {SHORT[name]: value}
        if value is not None:
            parts[name] = value
    return parts


def recipe_folder() -> Path:
    """The recipes that come along: inside an installed package, or beside the sources."""
    installed = Path(__file__).parents[1] / "recipes"
    return installed if installed.is_dir() else Path(__file__).parents[3] / "recipes"


def find_recipe(name: str) -> Path:
    """A recipe's path from a path or from a name that comes along."""
    return recipe_folder() / f"{name}.toml" if comes_along(name) else Path(name)


def comes_along(name: str) -> bool:
    """Whether a name is of a recipe that comes along, and not of a file that anybody may have written."""
    plain = "/" not in name and "\\" not in name
    return plain and not Path(name).exists() and (recipe_folder() / f"{name}.toml").is_file()


def read_recipe(path: Path) -> dict[str, Any]:
    """The plain values of a TOML recipe."""
    try:
        return recipe_in(path)
    except FileNotFoundError:
        raise BadInput(f"no recipe at {path}; unfooled list recipes shows those that come along") from None
    except OSError as error:
        raise BadInput(f"{path} cannot be read ({error.strerror}); check the path and permissions") from None


def overlaid(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """``base`` with the values of ``over`` that are not None; another method starts from its own defaults."""
    merged = tables(base)
    for name, value in tables(over).items():
        if isinstance(value, Mapping):
            below = merged.get(name) or {}
            chosen = value.get("name")
            changed = name == "method" and chosen not in (None, below.get("name", chosen))
            merged[name] = overlaid({} if changed else below, value)
        elif value is not None:
            merged[name] = value
    return merged
