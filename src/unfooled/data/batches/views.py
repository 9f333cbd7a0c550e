"""Views of texts for pre-training, in batches by address, made as they are needed: masked, in synonyms, in antonyms.

Everything drawn is keyed by (seed, epoch, example): the same for any number of processes and after any restart.
A token is labelled by the characters it stands for, so accents, emoji and replacements of several words come out right.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import torch
from pydantic import Field
from tokenizers import Tokenizer

from unfooled.data.batches.address import Batches
from unfooled.data.batches.blocks import Blocks
from unfooled.seeds import digest, generator
from unfooled.settings import Settings
from unfooled.text.versions import Version, Versions, versions
from unfooled.text.versions import VersionSettings as VersionSettings  # methods ask for it here
from unfooled.types import NO_LABEL, Batch, Tokens

MASKED, RANDOM = 0.8, 0.1  # of the chosen tokens; the rest stay as they are
Spans = Sequence[tuple[int, int]]
Labels = Literal["off", "binary_all", "ternary_candidates"]


class ViewSettings(Settings):
    """Which views a method wants, and how they are made."""

    masking: float = Field(0.15, ge=0, le=1)  # share of tokens to be guessed in the original
    synonym: bool = False
    antonym: Literal["off", "words", "other text"] = "off"  # "other text": any other one of the corpus
    labels: Labels = "off"  # which tokens of the versions say whether they were replaced
    plain: bool = False  # the original unmasked, as a view of its own
    room: float = Field(0.0, ge=0, lt=1)  # share of the longest input that blocks leave free: versions are longer
    versions: VersionSettings = VersionSettings()


@dataclass(frozen=True)
class Text:
    """One tokenised text: ids [n], which of them are special, and the characters each stands for [n, 2]."""

    ids: np.ndarray
    special: np.ndarray
    offsets: np.ndarray


@dataclass(frozen=True)
class Reader:
    """Texts become tokens with the characters they stand for, in one call for many.

    The tokenizer is a copy: whoever reads ahead in another thread must not share one.
    """

    tokenizer: Tokenizer
    padding: int
    mask: int
    special: tuple[int, ...]

    @classmethod
    def of(cls, tokenizer: Any, max_length: int) -> "Reader":
        """A reader by a fast Hugging Face tokenizer, cutting texts at ``max_length``."""
        copied = Tokenizer.from_str(tokenizer.backend_tokenizer.to_str())
        copied.no_padding()
        copied.enable_truncation(max_length)
        return cls(copied, tokenizer.pad_token_id, tokenizer.mask_token_id, tuple(sorted(tokenizer.all_special_ids)))

    @cached_property
    def words(self) -> np.ndarray:
        """The ids a token may be exchanged for: all that are not special."""
        return np.setdiff1d(np.arange(self.tokenizer.get_vocab_size()), self.special)

    def read(self, texts: Sequence[str]) -> list[Text]:
        """The tokens of texts, special ones included."""
        return [
            Text(
                np.array(encoding.ids, dtype=np.int64),
                np.array(encoding.special_tokens_mask, dtype=bool),
                np.array(encoding.offsets, dtype=np.int64).reshape(-1, 2),
            )
            for encoding in self.tokenizer.encode_batch(list(texts))
        ]

    def cut_share(self, texts: Sequence[str]) -> float:
        """The share of texts that do not fit, and lose their ends."""
        return sum(bool(encoding.overflowing) for encoding in self.tokenizer.encode_batch(list(texts))) / len(texts)

    def padded(self, rows: Sequence[np.ndarray], width: int) -> Tokens:
        """Rows of ids as one rectangle."""
        ids = rectangle(rows, width, self.padding)
        lengths = torch.tensor([len(row) for row in rows])
        return Tokens(ids, torch.arange(width)[None, :] < lengths[:, None])


def rectangle(rows: Sequence[np.ndarray], width: int, filling: int) -> torch.Tensor:
    """Rows of numbers, filled up to one width."""
    filled = np.full((len(rows), width), filling, dtype=np.int64)
    for place, row in enumerate(rows):
        filled[place, : len(row)] = row
    return torch.from_numpy(filled)


def masked(text: Text, reader: Reader, share: float, random: torch.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The ids with a share of them hidden, and what was there (elsewhere no label); special tokens stay.

    Of the chosen, at least one, 80 % become the mask token, 10 % any word, and 10 % stay.
    """
    ids, hidden = text.ids.copy(), np.full_like(text.ids, NO_LABEL)
    places = np.flatnonzero(~text.special)
    count = min(max(round(share * len(places)), 1), len(places)) if share else 0
    chosen = places[torch.randperm(len(places), generator=random)[:count].numpy()]
    fate = torch.rand(count, generator=random).numpy()
    words = reader.words[torch.randint(len(reader.words), (count,), generator=random).numpy()]
    hidden[chosen] = ids[chosen]
    ids[chosen] = np.where(fate < MASKED, reader.mask, np.where(fate < MASKED + RANDOM, words, ids[chosen]))
    return ids, hidden


def owners(text: Text, spans: Spans) -> np.ndarray:
    """For each token the number of the span it belongs to, -1 for none; spans are in order and do not overlap.

    A token belongs to a span that holds one of its characters; one without characters, to the span it stands in.
    """
    if not len(spans):
        return np.full(len(text.ids), -1)
    starts, ends = np.array(spans, dtype=np.int64).T
    first, last = text.offsets.T
    near = np.minimum(np.searchsorted(ends, first, side="right"), len(spans) - 1)  # the first that ends after it
    inside = (ends[near] > first) & (starts[near] < np.maximum(last, first + 1)) & ~text.special
    return np.where(inside, near, -1)


def replaced(text: Text, version: Version, candidates: Sequence[int], labels: Labels) -> np.ndarray:
    """Whether each token of a version was replaced; special tokens have no label.

    ``binary_all``: 1 replaced, 0 not. ``ternary_candidates``: of words that could have been replaced 0 kept,
    1 replaced by a like word, 2 by an opposite or random one; no label elsewhere.
    """
    own = owners(text, [one.new_span for one in version.replacements])
    if labels == "binary_all":
        return np.where(text.special, NO_LABEL, (own >= 0).astype(np.int64))
    kinds = np.array([2 if one.kind in ("antonym", "random") else 1 for one in version.replacements] + [0])
    could = owners(text, [version.document.spans[place] for place in sorted(candidates)]) >= 0
    return np.where(could | (own >= 0), kinds[own], NO_LABEL)


@dataclass(frozen=True)
class Views:
    """The views of some texts: tokens by name, all of one width, and what is to be guessed of them [B, T]."""

    tokens: dict[str, Tokens]
    targets: dict[str, torch.Tensor]

    @property
    def counts(self) -> dict[str, int]:
        """How many units each loss is a mean over."""
        names = {"masked": "masked", "replaced_synonym": "synonym_tokens", "replaced_antonym": "antonym_tokens"}
        units = {names[name]: int((target != NO_LABEL).sum()) for name, target in self.targets.items()}
        return {"tokens": int(self.tokens["original"].mask.sum()), **units}


def make_views(
    texts: Sequence[str],
    others: Sequence[str],
    keys: Sequence[tuple[int, int, int]],
    settings: ViewSettings,
    reader: Reader,
) -> Views:
    """The views of texts, each drawn by its key (seed, epoch, example); ``others`` are there for "other text"."""
    made = [versions_of(text, settings, key) for text, key in zip(texts, keys, strict=True)]
    wanted: dict[str, list[str]] = {"original": list(texts)}
    if settings.synonym:
        wanted["synonym"] = [one.synonym.text for one in made if one]
    if settings.antonym != "off":
        wanted["antonym"] = [one.antonym.text for one in made if one] if settings.antonym == "words" else list(others)
    every = reader.read([text for some in wanted.values() for text in some])
    read = {name: every[start * len(texts) : (start + 1) * len(texts)] for start, name in enumerate(wanted)}
    width = max(len(text.ids) for text in every)
    ids = {name: [text.ids for text in some] for name, some in read.items()}
    if settings.plain:
        ids["plain"] = ids["original"]
    hiding = [generator(*key, "masking") for key in keys]
    pairs = [
        masked(text, reader, settings.masking, random) for text, random in zip(read["original"], hiding, strict=True)
    ]
    ids["original"] = [pair[0] for pair in pairs]
    targets = {"masked": rectangle([pair[1] for pair in pairs], width, NO_LABEL)}
    for name in ("synonym", "antonym"):
        if settings.labels != "off" and name in read:
            rows = labelled(name, read[name], made, settings)
            targets[f"replaced_{name}"] = rectangle(rows, width, NO_LABEL)
    return Views({name: reader.padded(rows, width) for name, rows in ids.items()}, targets)


def versions_of(text: str, settings: ViewSettings, key: tuple[int, int, int]) -> Versions | None:
    """The versions of a text that are wanted; None where none is."""
    opposite = settings.antonym == "words"
    return versions(text, settings.versions, *key, antonym=opposite) if opposite or settings.synonym else None


def realised(texts: Sequence[str], settings: ViewSettings, seed: int, reader: Reader) -> dict[str, float]:
    """Of the versions a method wants: shares of words replaced (``…_ratio``) and of versions cut (``…_cut``).

    ``antonym_random`` is the share of random words among the replacements that pass for antonyms.
    """
    drawn = [versions_of(text, settings, (seed, 0, number)) for number, text in enumerate(texts)]
    made = [one for one in drawn if one]
    words = max(sum(len(one.original) for one in made), 1)
    wanted = {"synonym": settings.synonym, "antonym": settings.antonym == "words"}
    found: dict[str, float] = {}
    for name in (name for name, is_wanted in wanted.items() if is_wanted):
        some: list[Version] = [getattr(one, name) for one in made]
        kinds = [one.kind for version in some for one in version.replacements]
        found[f"{name}_ratio"] = len(kinds) / words
        found[f"{name}_cut"] = reader.cut_share([version.text for version in some])
        if name == "antonym":
            found["antonym_random"] = kinds.count("random") / max(len(kinds), 1)
    return found


def labelled(
    name: str, read: Sequence[Text], made: Sequence[Versions | None], settings: ViewSettings
) -> list[np.ndarray]:
    """The labels of one version's tokens; another text was never a version, and has none."""
    if name == "antonym" and settings.antonym == "other text":
        return [np.full(len(text.ids), NO_LABEL) for text in read]
    pairs = [(text, one) for text, one in zip(read, made, strict=True) if one]
    return [replaced(text, getattr(one, name), one.candidates, settings.labels) for text, one in pairs]


@dataclass(frozen=True)
class ViewBatches(Batches):
    """Texts whose views are made on the way."""

    blocks: Blocks
    reader: Reader
    views: ViewSettings
    batch_size: int
    seed: int
    accumulation: int = 1
    rank: int = 0
    processes: int = 1

    @property
    def lengths(self) -> np.ndarray:
        """Tokens per text."""
        return self.blocks.lengths

    def updates(self, epoch: int, start: int = 0) -> Iterator[list[Batch]]:
        """The updates of an epoch; the next one's views are made in a second thread while this one is trained on."""
        made = super().updates(epoch, start)
        with ThreadPoolExecutor(1) as ahead:
            pending = ahead.submit(next, made, None)
            while (update := pending.result()) is not None:
                pending = ahead.submit(next, made, None)
                yield update

    def tensors(self, rows: np.ndarray, epoch: int) -> Batch:
        """The views of these texts as tensors."""
        mine = rows.tolist()
        keys = [(self.seed, epoch, row) for row in mine]
        texts = [self.blocks.texts[row] for row in mine]
        others = [self.blocks.texts[self.other(row, epoch)] for row in mine]
        views = make_views(texts, others, keys, self.views, self.reader)
        return Batch(
            index=torch.tensor(mine),
            label=torch.zeros(len(mine), dtype=torch.int64),
            views=views.tokens,
            key=(self.seed, epoch),
            counts={"examples": len(mine), **views.counts},
            kind="masked",
            targets=views.targets,
        )

    def other(self, row: int, epoch: int) -> int:
        """The number of another text than this one, each as likely; a single text has no other than itself."""
        away = digest(self.seed, epoch, row, "other text") % max(len(self.blocks) - 1, 1)
        return (row + 1 + away) % len(self.blocks)
