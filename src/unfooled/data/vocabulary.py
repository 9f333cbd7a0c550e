"""Vocabularies made from texts: words as they are, or byte pairs; each an ordinary fast tokenizer.

And which tokens are complete words, the set ATCL calls V_R: letters only (a hyphen or apostrophe may stand inside), at
least two of them, and, where words are split, not a piece of one.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

from unfooled.errors import BadInput
from unfooled.tokens import FlatRows

WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
UNKNOWN, ENDING, PADDING, STOP = "<unk>", "<eos>", "<pad>", "</s>"


def word_vocabulary(lines: Iterable[str], size: int | None = None, closing: bool = True) -> PreTrainedTokenizerFast:
    """Words between spaces, the most frequent first; if ``closing`` a text ends in <eos>, which also pads.

    >>> tokenizer = word_vocabulary(["the cat saw the dog"])
    >>> tokenizer.convert_ids_to_tokens(tokenizer("the bird saw").input_ids)
    ['the', '<unk>', 'saw', '<eos>']
    """
    counts = Counter(word for line in lines for word in line.split())
    for special in (UNKNOWN, ENDING):
        counts.pop(special, None)
    if not counts:
        raise BadInput("the texts hold no word besides <unk>, so there is no vocabulary to make; give other data")
    ranked = sorted(counts, key=lambda word: (-counts[word], word))
    words = [ENDING, UNKNOWN, *ranked][:size]
    tokenizer = Tokenizer(models.WordLevel({word: number for number, word in enumerate(words)}, UNKNOWN))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    if closing:
        tokenizer.post_processor = processors.TemplateProcessing(single=f"$A {ENDING}", special_tokens=[(ENDING, 0)])
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        unk_token=UNKNOWN,
        eos_token=ENDING,
        pad_token=ENDING,
        clean_up_tokenization_spaces=False,
    )


def byte_pairs(lines: Iterable[str], size: int, closing: bool = True) -> PreTrainedTokenizerFast:
    """Byte-level pairs, so that no text is unknown; if ``closing`` a text ends in </s>."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    specials = [PADDING, STOP]
    if size < len(alphabet) + len(specials) + 1:
        raise BadInput(f"a vocabulary of {size} byte pairs is smaller than the bytes themselves; ask for 300 or more")
    trainer = trainers.BpeTrainer(
        vocab_size=size, special_tokens=specials, initial_alphabet=sorted(alphabet), show_progress=False
    )
    tokenizer.train_from_iterator(lines, trainer)
    if closing:
        tokenizer.post_processor = processors.TemplateProcessing(single=f"$A {STOP}", special_tokens=[(STOP, 1)])
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token=STOP, pad_token=PADDING, clean_up_tokenization_spaces=False
    )


def is_word(text: str) -> bool:
    """Whether a token's text is a complete word of two letters or more.

    >>> [is_word(text) for text in ("cat", "vis-à-vis", "a", "z.", "N", "<unk>", "@-@", "1990s", "don't")]
    [True, True, False, False, False, False, False, False, True]
    """
    return len(text) > 1 and WORD.fullmatch(text) is not None


def allowed_tokens(tokenizer: Any) -> np.ndarray:
    """Which numbers of the vocabulary [V] can be complete words, by their text alone."""
    special, backend = set(tokenizer.all_special_ids), tokenizer.backend_tokenizer
    level = isinstance(backend.model, models.WordLevel)
    allowed = np.zeros(len(tokenizer), dtype=bool)
    for number in range(len(tokenizer)):
        text = backend.id_to_token(number) if level else backend.decode([number], skip_special_tokens=False)
        allowed[number] = number not in special and text is not None and is_word(text.strip())
    return allowed


@dataclass(frozen=True)
class Marked(FlatRows):
    """Tokenised lines, closing tokens included, and which tokens are complete words."""

    ids: np.ndarray
    words: np.ndarray
    offsets: np.ndarray

    def line(self, number: int) -> np.ndarray:
        """The ids of one line."""
        return self.ids[self.offsets[number] : self.offsets[number + 1]]


def marked(tokenizer: Any, lines: Sequence[str], closing: int | None = None, chunk: int = 10_000) -> Marked:
    """Tokenise lines and mark the complete words: allowed by their text, and no piece of a split word.

    ``closing`` is a token that is put behind each line, for tokenizers that do not.
    """
    allowed = allowed_tokens(tokenizer)
    whole_words = isinstance(tokenizer.backend_tokenizer.model, models.WordLevel)
    end = np.asarray([] if closing is None else [closing], dtype=np.int32)
    ids: list[np.ndarray] = []
    words: list[np.ndarray] = []
    lengths: list[int] = []
    for start in range(0, len(lines), chunk):
        out = tokenizer(list(lines[start : start + chunk]), verbose=False)
        for number, row in enumerate(out["input_ids"]):
            line = np.asarray(row, dtype=np.int32)
            complete = allowed[line] if whole_words else allowed[line] & alone(out.word_ids(number))
            ids += [line, end]
            words += [complete, np.zeros(len(end), dtype=bool)]
            lengths.append(len(line) + len(end))
    return Marked(
        ids=np.concatenate(ids) if ids else np.zeros(0, dtype=np.int32),
        words=np.concatenate(words) if words else np.zeros(0, dtype=bool),
        offsets=np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int64),
    )


def alone(owners: Sequence[int | None]) -> np.ndarray:
    """Which tokens are the only one of the word they come from.

    >>> alone([0, 1, 1, 2, None]).tolist()
    [True, False, False, True, True]
    """
    numbers = np.asarray([-1 if owner is None else owner for owner in owners])
    same = (numbers[1:] == numbers[:-1]) & (numbers[1:] >= 0)
    return ~(np.append(same, False) | np.append(False, same)) if len(numbers) else np.zeros(0, dtype=bool)
