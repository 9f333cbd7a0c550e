"""Settings without tensors: what a person may set, checked when it is given."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from unfooled.errors import BadInput, nearest
from unfooled.limits import limits
from unfooled.parsing import toml_value

NONE = "none"  # TOML has no null


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


Kind = TypeVar("Kind", bound=BaseModel)


def settings_from(kind: type[Kind], values: Mapping[str, Any], prefix: str) -> Kind:
    """Settings of a kind from plain values; what is wrong with them is one sentence."""
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        raise sentence(error, kind, prefix) from None


def nones(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values with "none" read as None, at every depth."""
    return {
        name: nones(value) if isinstance(value, Mapping) else None if value == NONE else value
        for name, value in values.items()
    }


def sentence(error: ValidationError, kind: type[BaseModel], prefix: str) -> BadInput:
    """The first thing wrong with settings, said in one sentence."""
    first = error.errors()[0]
    place = prefix + ".".join(str(part) for part in first["loc"])
    if first["type"] != "extra_forbidden":
        return BadInput(f"setting {place} = {first['input']!r} cannot be used: {first['msg'].lower()}")
    for part in first["loc"][:-1]:
        inner = kind.model_fields[str(part)].annotation
        kind = inner if isinstance(inner, type) and issubclass(inner, BaseModel) else kind
    known = [name for name, field in kind.model_fields.items() if not field.exclude]
    return BadInput(f"unknown setting {place}; {nearest(str(first['loc'][-1]), known)}")


def assignments(given: Sequence[str]) -> dict[str, Any]:
    """``a.b=v`` strings as nested values; what is not a TOML value is a text.

    >>> assignments(["plan.epochs=2", "model.name=minilm"])
    {'plan': {'epochs': 2}, 'model': {'name': 'minilm'}}
    """
    values: dict[str, Any] = {}
    for text in given:
        path, equals, value = text.partition("=")
        if path.count(".") > limits().nesting:
            raise BadInput(f"--set {path[:40]}… goes deeper than any setting; write it as in --set plan.epochs=2")
        if not equals or not path.strip():
            raise BadInput(f"--set {text} is not of the form name.name=value, as in --set plan.epochs=2")
        try:
            parsed = toml_value(f"value = {value}")["value"]
        except ValueError:
            parsed = value
        *rooms, last = path.strip().split(".")
        place = values
        for room in rooms:
            place = place.setdefault(room, {})
            if not isinstance(place, dict):
                raise BadInput(f"--set {text} goes below a setting that has been given a value")
        place[last] = parsed
    return values
