"""What a method must find again, in a file of a trainer's checkpoint: heads, banks and counts, with its settings."""

import json
from collections.abc import Mapping
from pathlib import Path

from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from unfooled.errors import BadInput
from unfooled.methods.objective import Method
from unfooled.methods.table import METHODS

OWN_STATE = "unfooled_method.safetensors"


def described(method: Method) -> str:
    """A method and its settings, as a checkpoint keeps them."""
    return json.dumps({"name": METHODS.name_of(type(method)), **method.model_dump(mode="json")}, sort_keys=True)


def write_state(folder: str, state: Mapping[str, Tensor], method: Method) -> None:
    """Write a method's tensors into a checkpoint."""
    save_file(
        {name: tensor.cpu() for name, tensor in state.items()}, Path(folder) / OWN_STATE, {"method": described(method)}
    )


def stored_state(folder: str, method: Method) -> dict[str, Tensor]:
    """A method's tensors of a checkpoint, refused where they are of another method or not there."""
    path = Path(folder) / OWN_STATE
    if not path.is_file():
        raise BadInput(f"{path.parent} holds no {path.name}: no RobustTrainer wrote it; begin without resuming")
    try:
        with safe_open(path, "pt") as file:
            before = (file.metadata() or {}).get("method", "")
            if before != described(method):
                raise BadInput(f"{path.parent} was trained by {before}, not by {described(method)}; resume with that")
            return {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except SafetensorError as error:
        raise BadInput(f"{path} cannot be read ({error}); resume from an earlier checkpoint") from None
