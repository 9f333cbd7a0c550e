"""Files of models opened by transformers: quietly, from safetensors alone, and what goes wrong in one sentence."""

from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

import torch
import transformers
from safetensors import SafetensorError
from transformers import AutoConfig, AutoTokenizer
from transformers.utils import logging

from unfooled.errors import BadInput, Stopped
from unfooled.models.locate import Place
from unfooled.models.weights import check_growth

CAREFUL = {"trust_remote_code": False, "local_files_only": True}  # what is not in a folder by now is not asked for
PANIC = "PanicException"  # how a tokenizer of Rust ends that met what it thought impossible


def tokenizer_of(place: Place) -> Any:
    """The tokenizer of a place."""
    return AutoTokenizer.from_pretrained(str(place.folder), **CAREFUL)


def config_of(place: Place) -> Any:
    """The configuration of a place."""
    return AutoConfig.from_pretrained(str(place.folder), **CAREFUL)


def network_of(place: Place, opens_with: str = "AutoModel", **options: Any) -> Any:
    """The network of a place as a class of transformers opens it, in single precision, from safetensors alone."""
    kind = getattr(transformers, opens_with)
    config = options.pop("config", None) or config_of(place)
    check_growth(place.folder / "config.json", network_size(kind, config), place.shapes)
    how = {"dtype": torch.float32, "use_safetensors": True, **CAREFUL, **options}
    return kind.from_pretrained(str(place.folder), config=config, **how)


def network_size(kind: Any, config: Any) -> int:
    """How many weights a configuration asks for, counted on a network without any."""
    with torch.random.fork_rng(devices=[]), torch.device("meta"):  # what is drawn later is what was drawn before
        network = kind.from_config(deepcopy(config), trust_remote_code=False)
    return sum(tensor.numel() for tensor in network.state_dict().values())


@contextmanager
def opening(place: Place) -> Iterator[None]:
    """Open model files quietly and turn what goes wrong into one sentence."""
    try:
        with quiet():
            yield
    except (SafetensorError, RuntimeError, KeyError) as error:
        raise BadInput(f"the weights of {place.name} cannot be read ({reason(error)}); restore the files") from None
    except (BadInput, Stopped):
        raise
    except Exception as error:  # transformers has no errors of its own: what a file can make it raise is without end
        raise BadInput(f"{place.name} cannot be opened as a model ({reason(error)}); restore the files") from None
    except BaseException as error:
        if type(error).__name__ != PANIC:
            raise
        raise BadInput(f"the tokenizer of {place.name} cannot be read ({reason(error)}); restore the files") from None


def reason(error: BaseException) -> str:
    """What an error says, its first line and not too much of it."""
    first = (str(error).strip() or type(error).__name__).splitlines()[0]
    return first if len(first) <= 200 else f"{first[:200]}…"


@contextmanager
def quiet() -> Iterator[None]:
    """Keep transformers' load reports and bars off the terminal."""
    verbosity, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity(transformers.logging.CRITICAL)
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()
