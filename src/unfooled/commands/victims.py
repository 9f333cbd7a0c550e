"""What a person may name as a victim: a model, its folder or name, an ONNX file, or any callable."""

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import AutoTokenizer

from unfooled.attacks.label_sets import LabelSets
from unfooled.errors import BadInput
from unfooled.models import TextModel, load, still
from unfooled.models.checks import check_padding
from unfooled.models.encoders.pretrained import quiet
from unfooled.models.encoders.problems import PROBLEMS, says_something
from unfooled.tokens import Encoded, encode
from unfooled.types import Texts

REMEMBERED = 50_000  # texts whose tokens wait for their batch
LOCATION = b"\x0a\x08location\x12"  # before the name of a file with an ONNX file's weights


@dataclass(frozen=True)
class Opened:
    """A victim with what a log says of it; the hash is empty where there is nothing to take one of."""

    call: Callable[..., Any]
    name: str
    hash: str = ""
    labels: tuple[str, ...] = ()
    max_length: int | None = None
    trained_on: str | None = None

    @property
    def sets(self) -> LabelSets | None:
        """The sets of labels that it says, None where it says one class."""
        return getattr(self.call, "sets", None)


class Reader:
    """Tokenises texts when their length is asked, and keeps the tokens until the texts come in a batch."""

    takes_tuples = True

    def __init__(self, tokenizer: Any, max_length: int) -> None:
        self.tokenizer, self.max_length = tokenizer, max_length
        self.unknown: str | None = tokenizer.unk_token or tokenizer.mask_token
        self.waiting: dict[Texts, tuple[np.ndarray, np.ndarray | None]] = {}

    def lengths(self, texts: Sequence[Texts]) -> list[int]:
        """Tokens per text."""
        if len(self.waiting) > REMEMBERED:
            self.waiting.clear()
        encoded = encode(self.tokenizer, list(texts), self.max_length)
        for place, text in enumerate(texts):
            span = slice(encoded.offsets[place], encoded.offsets[place + 1])
            self.waiting[text] = (encoded.ids[span], None if encoded.segments is None else encoded.segments[span])
        return encoded.lengths.tolist()

    def batch(self, texts: Sequence[Texts]) -> Encoded:
        """The tokens of these texts, read now where that was not done before."""
        known = {text: self.waiting.pop(text) for text in dict.fromkeys(texts) if text in self.waiting}
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            self.lengths(new)
            known |= {text: self.waiting.pop(text) for text in new}
        rows = [known[text] for text in texts]
        segments = [segment for _, segment in rows if segment is not None]
        return Encoded(
            ids=np.concatenate([ids for ids, _ in rows]),
            segments=np.concatenate(segments) if segments else None,
            offsets=np.concatenate([[0], np.cumsum([len(ids) for ids, _ in rows])]).astype(np.int64),
            padding=self.tokenizer.pad_token_id or 0,
        )


class Network(Reader):
    """A classifier as a victim: evaluation mode, no gradients, each batch as wide as its longest text.

    One that says sets of labels gives each label its own probability.
    """

    def __init__(self, model: TextModel) -> None:
        super().__init__(model.tokenizer, model.max_length)
        self.classifier = model.classifier
        at_least_one = says_something(model.classifier.network.config)
        self.sets = LabelSets(model.labels, at_least_one) if model.problem == "set" else None

    def __call__(self, texts: Sequence[Texts]) -> np.ndarray:
        """Probabilities [n, classes]."""
        where = next(self.classifier.parameters()).device
        tokens = self.batch(texts).pad(range(len(texts))).to(where)
        with still(self.classifier), torch.inference_mode():
            logits = self.classifier(tokens).logits.float().cpu().double()
        return (logits.softmax(dim=-1) if self.sets is None else logits.sigmoid()).numpy()


class OnnxNetwork(Reader):
    """A classifier in an ONNX file as a victim; its tokenizer lies beside it."""

    def __init__(self, path: Path) -> None:
        try:
            import onnxruntime
        except ImportError:
            raise BadInput(f"{path} needs onnxruntime; run: pip install onnxruntime") from None
        try:
            with quiet():
                tokenizer = AutoTokenizer.from_pretrained(path.parent, trust_remote_code=False, local_files_only=True)
        except (OSError, ValueError, KeyError) as error:
            first = str(error).strip().splitlines()[0]
            raise BadInput(f"no tokenizer beside {path} ({first}); put its files into {path.parent}") from None
        check_padding(tokenizer, str(path))
        try:
            self.session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime has an exception class for every reason, none of them public
            raise BadInput(f"{path} cannot be read as ONNX ({' '.join(str(error).split())[:200]})") from None
        super().__init__(tokenizer, min(tokenizer.model_max_length, 512))
        self.names = [given.name for given in self.session.get_inputs()]

    def __call__(self, texts: Sequence[Texts]) -> np.ndarray:
        """Probabilities [n, classes]: the softmax of the file's first output."""
        tokens = self.batch(texts).pad(range(len(texts)))
        ids, mask = tokens.ids.numpy(), tokens.mask.numpy().astype(np.int64)
        segments = np.zeros_like(ids) if tokens.segments is None else tokens.segments.numpy()
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": segments}
        logits = self.session.run(None, {name: given[name] for name in self.names if name in given})[0]
        return torch.from_numpy(np.asarray(logits)).double().softmax(dim=-1).numpy()


def open_victim(model: str | Path | TextModel | Callable[..., Any], labels: Sequence[str] = ()) -> Opened:
    """A victim from a model, a folder, a hub name, an ONNX file or a callable; ``labels`` name a callable's classes."""
    if isinstance(model, str | Path):
        model = str(model)
        if model.endswith(".onnx") and Path(model).is_file():
            return onnx_victim(Path(model))
        model = load(model, None).to("cuda" if torch.cuda.is_available() else "cpu")
    if isinstance(model, TextModel):
        return text_model_victim(model)
    if not callable(model):
        raise BadInput(f"{type(model).__name__} is no victim; give a model, its folder or name, or a callable")
    name = getattr(model, "__qualname__", type(model).__qualname__)
    return Opened(model, name, labels=tuple(labels))


def text_model_victim(model: TextModel) -> Opened:
    """A classifier, or a model of sets of labels, of this package or of transformers, as a victim."""
    if model.problem not in ("class", "set"):
        raise BadInput(
            f"{model.name} is {PROBLEMS[model.problem].said}; attacks are for classifiers and models of sets of labels"
        )
    if len(model.labels) < 2:
        raise BadInput(f"{model.name} has {len(model.labels)} label; an attack needs a classifier of at least two")
    victim = Network(model)
    return Opened(victim, model.name, model.fingerprint(), model.labels, model.max_length, model.trained_on)


def onnx_victim(path: Path) -> Opened:
    """An ONNX file as a victim, its labels out of the config.json beside it, or numbers."""
    victim = OnnxNetwork(path)
    classes = np.asarray(victim([("a",)])).shape[1]
    names: dict[str, str] = {}
    if (path.parent / "config.json").is_file():
        names = json.loads((path.parent / "config.json").read_text(encoding="utf-8")).get("id2label") or {}
    labels = tuple(str(names.get(str(number), number)) for number in range(classes))
    return Opened(victim, str(path), onnx_hash(path, victim.tokenizer), labels, victim.max_length)


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
    for found in re.finditer(re.escape(LOCATION) + rb"([\x80-\xff]*[\x00-\x7f])", content):
        length = sum((byte & 0x7F) << (7 * place) for place, byte in enumerate(found.group(1)))
        names.add(content[found.end() : found.end() + length].decode(errors="replace"))
    return sorted(names)
