"""A classifier in an ONNX file as a victim; its tokenizer lies beside it."""

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from unfooled.errors import BadInput
from unfooled.models.refused import check_files, settings_in
from unfooled.types import Texts
from unfooled.victims.reader import TextReader
from unfooled.victims.victim import UNKNOWN, Kind, Victim

LOCATION = b"\x0a\x08location\x12"  # before the name of a file with an ONNX file's weights


class OnnxNetwork(TextReader):
    """A classifier in an ONNX file as a callable."""

    def __init__(self, path: Path) -> None:
        from transformers import AutoTokenizer

        from unfooled.models.checks import check_padding
        from unfooled.models.opening import quiet, reason

        try:
            import onnxruntime
        except ImportError:
            raise BadInput(f"{path} needs onnxruntime; run: pip install 'unfooled[onnx]'") from None
        check_beside(path)
        try:
            with quiet():
                tokenizer = AutoTokenizer.from_pretrained(path.parent, trust_remote_code=False, local_files_only=True)
        except Exception as error:  # what a file can make transformers raise is without end
            raise BadInput(f"no tokenizer beside {path} ({reason(error)}); put its files into {path.parent}") from None
        check_padding(tokenizer, str(path))
        try:
            self.session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime has an exception class for every reason, none of them public
            raise BadInput(
                f"{path} cannot be read as ONNX ({' '.join(str(error).split())[:200]}); export it again"
            ) from None
        super().__init__(tokenizer, min(tokenizer.model_max_length, 512))
        self.names = [given.name for given in self.session.get_inputs()]

    def __call__(self, texts: Sequence[Texts]) -> np.ndarray:
        """Logits [n, classes]: the file's first output."""
        encoded, which = self.batch(texts)
        tokens = encoded.pad(range(len(encoded)))
        ids, mask = tokens.ids.numpy(), tokens.mask.numpy().astype(np.int64)
        segments = np.zeros_like(ids) if tokens.segments is None else tokens.segments.numpy()
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": segments}
        logits = self.session.run(None, {name: given[name] for name in self.names if name in given})[0]
        return np.asarray(logits)[which]


def check_beside(path: Path) -> None:
    """Refuse settings beside an ONNX file that ask for code, and weights that lie in another folder."""
    check_files(path.parent)
    away = [name for name in weight_files(path.read_bytes()) if Path(name).name != name]
    if away:
        raise BadInput(
            f"{path} has weights in {away[0][:80]}, which is not beside it and never opened; export it again"
        )


def takes(model: Any) -> bool:
    """Whether it is the name of an ONNX file that is there."""
    return isinstance(model, str | Path) and str(model).endswith(".onnx") and Path(model).is_file()


def opened(model: str | Path, labels: tuple[str, ...]) -> Victim:
    """An ONNX file as a victim, its labels out of the config.json beside it, or numbers."""
    from unfooled.models.rules import rules_hash

    path = Path(model)
    network = OnnxNetwork(path)
    classes = np.asarray(network([("a",)])).shape[1]
    names: dict[str, str] = {}
    if (path.parent / "config.json").is_file():
        names = settings_in(path.parent / "config.json").get("id2label") or {}
    return Victim(
        name=str(path),
        call=network,
        hash=onnx_hash(path, network.tokenizer),
        rules=rules_hash([network.tokenizer], {}),
        labels=tuple(str(names.get(str(number), number)) for number in range(classes)),
        max_length=network.max_length,
        lengths=network.lengths,
        unknown=network.unknown or UNKNOWN,
        takes_tuples=True,
        logits=True,
    )


def onnx_hash(path: Path, tokenizer: Any) -> str:
    """The SHA-256 of an ONNX file, of the tokenizer's words, and of the weights that lie in files of their own."""
    content = path.read_bytes()
    sha = hashlib.sha256(content + str(sorted(tokenizer.get_vocab().items())).encode())
    for name in weight_files(content):
        if (path.parent / name).is_file():
            with (path.parent / name).open("rb") as file:
                sha.update(name.encode() + hashlib.file_digest(file, "sha256").digest())
    return sha.hexdigest()


def weight_files(content: bytes) -> list[str]:
    """The files beside an ONNX file that hold its weights: what its entries of the key "location" say.

    Such an entry is a protocol buffer: field 1 of 8 bytes, "location", then field 2 with its length and the name.

    >>> weight_files(b"..." + LOCATION + bytes([11]) + b"weights.bin...")
    ['weights.bin']
    """
    names = set()
    for match in re.finditer(re.escape(LOCATION) + rb"([\x80-\xff]*[\x00-\x7f])", content):
        length = sum((byte & 0x7F) << (7 * place) for place, byte in enumerate(match.group(1)))
        names.add(content[match.end() : match.end() + length].decode(errors="replace"))
    return sorted(names)


ONNX = Kind(takes, opened)
