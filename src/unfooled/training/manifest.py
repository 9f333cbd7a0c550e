"""What a checkpoint holds, in a file beside it: a hash of every file, and of the recipe of the run it belongs to.

It keeps damage out (a copy that broke off, files of two checkpoints in one folder), not somebody who writes both.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

import torch
from torch import Tensor

from unfooled.errors import BadInput
from unfooled.files import write_whole
from unfooled.parsing import json_file
from unfooled.training.pieces import Piece, StoredTensor

MANIFEST = "manifest.json"
MOMENTS = {"step", "exp_avg", "exp_avg_sq"}  # what AdamW keeps of a parameter


def write_manifest(folder: Path, recipe: Path) -> None:
    """Write down what a folder holds, and the recipe of its run."""
    write_whole(folder / MANIFEST, json.dumps(contents(folder, recipe), indent=2) + "\n")


def contents(folder: Path, recipe: Path) -> dict[str, object]:
    """The hashes of all files of a folder, and of a recipe where there is one."""
    files = sorted(path for path in folder.iterdir() if path.name != MANIFEST)
    return {
        "recipe": file_hash(recipe) if recipe.is_file() else None,
        "files": {path.name: file_hash(path) for path in files},
    }


def file_hash(path: Path) -> str:
    """The SHA-256 of a file; what is none, as a folder or a pipe, has no hash that was ever written."""
    if not path.is_file():
        return "no file"
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_manifest(folder: Path, recipe: Path) -> None:
    """Refuse a folder that does not hold what was written into it."""
    stored = json_file(folder / MANIFEST)
    here = contents(folder, recipe)
    if stored == here:
        return
    before, now = stored.get("files") if isinstance(stored, dict) else None, here["files"]
    if not isinstance(before, dict) or not isinstance(now, dict):
        raise ValueError(f"{MANIFEST} names no files")
    odd = [name for name in sorted({*before, *now}) if before.get(name) != now.get(name)]
    what = f"{', '.join(odd)} differs from its manifest" if odd else "it belongs to another recipe"
    raise BadInput(f"the checkpoint {folder} is not what was written ({what}); delete it to resume earlier")


def refuse_other_tensors(stored: Mapping[str, StoredTensor], own: Mapping[str, Tensor | Piece], what: str) -> None:
    """Refuse tensors that are not, name by name, of the shape and type of those they take the place of."""
    odd = [name for name in sorted({*stored, *own}) if described(stored.get(name)) != described(own.get(name))]
    if odd:
        there, here = described(stored.get(odd[0])), described(own.get(odd[0]))
        raise BadInput(
            f"{what} does not fit this run: {odd[0]} is {there} there and {here} here"
            f"{f', and {len(odd) - 1} others differ' if odd[1:] else ''}; delete the checkpoint to resume earlier"
        )


def refuse_other_moments(
    stored: Mapping[str, StoredTensor], parameters: Mapping[str, Tensor | Piece], what: str
) -> None:
    """Refuse an optimiser's tensors that are not all it keeps of a parameter, of each that was ever moved."""
    moved = {key.partition("/")[2] for key in stored}
    own = {
        f"{kind}/{name}": torch.zeros(()) if kind == "step" else parameters[name]
        for name in sorted(moved & set(parameters))
        for kind in MOMENTS
    }
    refuse_other_tensors(stored, own, what)


def described(tensor: Tensor | Piece | StoredTensor | None) -> str:
    """A tensor's type and shape, in words."""
    return "missing" if tensor is None else f"{str(tensor.dtype).removeprefix('torch.')} {list(tensor.shape)}"
