"""``unfooled list``: what there is to choose from."""

import json as json_format

from unfooled.attacks import ATTACKS
from unfooled.data.sources import known_names
from unfooled.errors import BadInput, nearest
from unfooled.evaluation import TRIALS
from unfooled.methods import METHODS
from unfooled.models.locate import EMBEDDED
from unfooled.recipe.config import recipe_folder

SEQUENCES = {
    "tensorized": "Tensorized Transformer of Ma et al. (2019), a language model trained from scratch",
    "transformer": "a language model (as GPT-2) or translator (as Vaswani et al., 2017), trained from scratch",
}


def everything() -> dict[str, dict[str, str]]:
    """Every kind of thing with a name, and what each name means."""
    recipes = recipe_folder().glob("*.toml") if recipe_folder().is_dir() else []
    return {
        "methods": {name: first_line(kind.__doc__) for name, kind in METHODS.items()},
        "attacks": {name: first_line(kind.__doc__) for name, kind in ATTACKS.items()},
        "models": {**EMBEDDED, "textcnn": "TextCNN of Kim (2014), trained from scratch", **SEQUENCES},
        "data": known_names(),
        "trials": {name: first_line((ATTACKS.get(name) or trial.run).__doc__) for name, trial in TRIALS.items()},
        "recipes": {path.stem: first_comment(path.read_text(encoding="utf-8")) for path in sorted(recipes)},
    }


def run(kind: str, json: bool) -> None:
    """Print one kind, or all."""
    found = everything()
    if kind != "all" and kind not in found:
        raise BadInput(f"nothing called {kind} to list; {nearest(kind, found)}")
    chosen = found if kind == "all" else {kind: found[kind]}
    if json:
        print(json_format.dumps(chosen, indent=2))
        return
    for title, names in chosen.items():
        print(title)
        width = max((len(name) for name in names), default=0)
        for name, meaning in names.items():
            print(f"  {name:<{width}}  {meaning}")


def first_line(text: str | None) -> str:
    """The fact a docstring begins with."""
    return (text or "").strip().splitlines()[0]


def first_comment(text: str) -> str:
    """The comment a recipe begins with."""
    first = text.splitlines()[0] if text else ""
    return first.lstrip("# ") if first.startswith("#") else ""
