"""Settings without tensors: what a person may set, checked when it is given."""

from collections.abc import Mapping
from typing import Any, get_args

from pydantic import BaseModel, ConfigDict, model_validator


class Settings(BaseModel):
    """Frozen, typed settings that refuse unknown names; every room's settings derive from it."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _none_may_be_a_choice(cls, given: Any) -> Any:
        """None is "none" where that is one of the choices: recipes, which have no null, write both as "none"."""
        if not isinstance(given, Mapping):
            return given
        chosen = {
            name for name, field in cls.model_fields.items() if name in given and "none" in get_args(field.annotation)
        }
        return {name: "none" if value is None and name in chosen else value for name, value in given.items()}
