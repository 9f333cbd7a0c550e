"""``unfooled list``: what there is to choose from."""

from collections.abc import Callable
from typing import Annotated

import typer

from unfooled.errors import BadInput, nearest
from unfooled.terminal import say


def list_(
    kind: Annotated[str, typer.Argument(help="methods, attacks, models, data, recipes, bounds or trials.")] = "all",
    json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """What there is to choose from."""
    import json as json_format

    if kind != "all" and kind not in KINDS:
        raise BadInput(f"nothing called {kind} to list; {nearest(kind, KINDS)}")
    chosen = {one: meanings() for one, meanings in KINDS.items() if kind in ("all", one)}
    if json:
        say(*json_format.dumps(chosen, indent=2).splitlines())
        return
    for title, names in chosen.items():
        say(title)
        width = max((len(name) for name in names), default=0)
        for name, meaning in names.items():
            say(f"  {name:<{width}}  {meaning}")


def methods() -> dict[str, str]:
    """Ways of training."""
    from unfooled.methods.table import METHODS

    return METHODS.lines


def attacks() -> dict[str, str]:
    """Ways of fooling a model by its texts."""
    from unfooled.attacks.table import ATTACKS

    return ATTACKS.lines


def models() -> dict[str, str]:
    """Networks that need no download."""
    from unfooled.models.locate import EMBEDDED

    return {
        **EMBEDDED,
        "textcnn": "TextCNN of Kim (2014), trained from scratch",
        "tensorized": "Tensorized Transformer of Ma et al. (2019), a language model trained from scratch",
        "transformer": "a language model (as GPT-2) or translator (as Vaswani et al., 2017), trained from scratch",
    }


def data() -> dict[str, str]:
    """Data that is on this machine."""
    from unfooled.data.sources import known_names

    return known_names()


def trials() -> dict[str, str]:
    """What can be measured."""
    from unfooled.trials import TRIALS

    return TRIALS.lines


def recipes() -> dict[str, str]:
    """Settings that come along, each by the comment it begins with."""
    from unfooled.recipe.file import recipe_folder

    paths = sorted(recipe_folder().glob("*.toml"))
    return {path.stem: first_comment(path.read_text(encoding="utf-8")) for path in paths}


def bounds() -> dict[str, str]:
    """Bounds that settings are searched within, each by its comment and the settings it bounds."""
    from unfooled.parsing import toml_value
    from unfooled.recipe.file import recipe_folder

    told = {}
    for path in sorted((recipe_folder() / "bounds").glob("*.toml")):
        text = path.read_text(encoding="utf-8")
        names = [f"{room}.{name}" for room, own in toml_value(text).items() for name in own]
        told[path.stem] = f"{first_comment(text)} [{', '.join(names)}]"
    return told


def first_comment(text: str) -> str:
    """The comment a recipe begins with."""
    first = text.splitlines()[0] if text else ""
    return first.lstrip("# ") if first.startswith("#") else ""


KINDS: dict[str, Callable[[], dict[str, str]]] = {
    "methods": methods,
    "attacks": attacks,
    "models": models,
    "data": data,
    "trials": trials,
    "recipes": recipes,
    "bounds": bounds,
}
