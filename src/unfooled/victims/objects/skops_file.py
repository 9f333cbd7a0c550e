"""An estimator of scikit-learn in a ``.skops`` file, opened with the types in it that the user trusts.

Such a file says of which types its objects are. Those of scikit-learn and numpy are known to skops; any other is
refused by name until a person names it: in the environment (UNFOOLED_TRUSTED=mine.Tokenizer,other.Thing), or as
``SkopsFile("model.skops", trusted=["mine.Tokenizer"])``.
"""

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from unfooled.errors import BadInput
from unfooled.parsing import check_archive
from unfooled.parsing import opened as opened_file
from unfooled.victims.objects import estimator
from unfooled.victims.victim import Kind, Victim

TRUSTED = "UNFOOLED_TRUSTED"


@dataclass(frozen=True)
class SkopsFile:
    """A file, and the types in it that are trusted besides those that skops knows."""

    path: str | Path
    trusted: Sequence[str] = ()


def takes(model: Any) -> bool:
    """Whether it is such a file, by name or with trusted types."""
    is_file = isinstance(model, str | Path) and str(model).endswith(".skops") and Path(model).is_file()
    return isinstance(model, SkopsFile) or is_file


def opened(model: Any, labels: tuple[str, ...]) -> Victim:
    """The estimator of a file; its hash is that of the file."""
    named = model if isinstance(model, SkopsFile) else SkopsFile(model)
    path = Path(named.path)
    if not path.is_file():
        raise BadInput(f"there is no file {path}; name one that skops has written")
    inside = loaded(path, [*named.trusted, *filter(None, os.environ.get(TRUSTED, "").split(","))])
    if not estimator.takes(inside):
        raise BadInput(f"{path} holds a {type(inside).__name__}, which predicts no classes; save a whole pipeline")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return replace(estimator.opened(inside, labels), name=str(path), hash=digest)


def loaded(path: Path, trusted: Sequence[str]) -> Any:
    """What is in a file, if all its types are trusted."""
    try:
        with opened_file(path) as file:
            check_archive(file, str(path))
    except BadZipFile as error:
        raise unreadable(path, error) from None
    try:
        from skops import io
    except ImportError:
        raise BadInput(f"{path} needs skops; run: pip install 'unfooled[sklearn]'") from None
    try:
        strange = [kind for kind in io.get_untrusted_types(file=path) if kind not in trusted]
    except Exception as error:  # a schema that skops does not know
        raise unreadable(path, error) from None
    if strange:
        raise BadInput(
            f"{path} holds objects of types that nobody trusts: {', '.join(strange)}; if you know what they do, set "
            f"{TRUSTED}={','.join(strange)} and call again"
        )
    try:
        return io.load(path, trusted=list(trusted))
    except Exception as error:
        raise BadInput(f"{path} cannot be opened ({' '.join(str(error).split())[:200]}); save it again") from None


def unreadable(path: Path, error: Exception) -> BadInput:
    """The sentence for a file that skops cannot read."""
    return BadInput(f"{path} cannot be read by skops ({' '.join(str(error).split())[:200]}); save it again")


SKOPS = Kind(takes, opened)
