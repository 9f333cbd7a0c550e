"""Whether a model can read texts at all: how many of their tokens it knows, and what language they look written in."""

from collections.abc import Sequence
from typing import Any

from unfooled.errors import option
from unfooled.text.document import read
from unfooled.text.spoken import Spoken, spoken
from unfooled.types import Texts

SAMPLE = 300  # texts that are looked at
MOST_UNKNOWN = 0.05  # of the tokens; emoji and rare signs are fewer in any text
MOST_PIECES = 1.8  # tokens for a word; of words that a tokenizer was made for it is 1.1 to 1.4
LETTERS = "deepwordbug"


def unread(tokenizer: Any, texts: Sequence[Texts], name: str) -> tuple[str, ...]:
    """A warning where many tokens of texts are unknown to a model, or their words are of another language than its."""
    flat = [text for row in texts[:SAMPLE] for text in row if text.strip()]
    pieces, unknown = counted(tokenizer, flat)
    looks = spoken(flat)
    if pieces and unknown > MOST_UNKNOWN * pieces:
        look = f", and {look_of(looks)}" if looks.mostly_strange else ""
        return (f"warning: {unknown / pieces:.0%} of the tokens are unknown to {name}{look}; {remedy()}",)
    words = sum(len(read(text).words) for text in flat)
    if looks.mostly_strange and pieces > MOST_PIECES * max(words, 1):
        return (
            f"warning: {look_of(looks)}, and {name} takes their words apart into {pieces / words:.1f} pieces each, as "
            f"it does with words it was not made for; {remedy()}",
        )
    return ()


def counted(tokenizer: Any, texts: Sequence[str]) -> tuple[int, int]:
    """How many tokens texts have, and how many of them are unknown."""
    if not texts:
        return 0, 0
    rows = tokenizer([text[:2000] for text in texts], add_special_tokens=False, verbose=False)["input_ids"]
    strange = tokenizer.unk_token_id
    return sum(map(len, rows)), sum(row.count(strange) for row in map(list, rows)) if strange is not None else 0


def look_of(looks: Spoken) -> str:
    """How many texts look how."""
    return f"{looks.strange:,} of {looks.looked_at:,} texts look {looks.language}"


def remedy() -> str:
    """What to do about a model that cannot read."""
    return f"train an encoder made for their language, as in {option('model', 'xlm-roberta-base')}"


def not_english(texts: Sequence[Texts]) -> tuple[str, ...]:
    """A warning where texts that are to be attacked do not look English, the language of the words put in."""
    looks = spoken(text for row in texts[:SAMPLE] for text in row)
    if not looks.mostly_strange:
        return ()
    return (
        f"warning: {look_of(looks)}, and attacks put in English words: that a model holds here says little; "
        f"{option('attack', LETTERS)} changes letters instead",
    )
