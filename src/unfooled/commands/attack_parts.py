"""What attacks are built from besides WordNet: a sentence encoder, a table of near words."""

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path

from pydantic import JsonValue

from unfooled.attacks.attack import Attack, Parts
from unfooled.attacks.substitutes import neighbours
from unfooled.errors import BadInput
from unfooled.models.encoders.near_words import near_words
from unfooled.models.encoders.similarity import Similarity
from unfooled.progress import Display
from unfooled.text.english.lexicon import lexicon
from unfooled.text.english.neighbours import counter_fitted

COUNTER_FITTED = "counterfitted_neighbors"  # the folder below $UNFOOLED_DATA


def parts_for(attack: Attack, similarity: str | None = "minilm") -> Parts:
    """The parts an attack asks for; ``similarity`` names the encoder, None goes without where the attack can."""
    if attack.needs_similarity and similarity is None:
        raise BadInput("this attack judges its candidates by a sentence encoder; name one, such as minilm")
    if similarity is None:
        return Parts(notes={"similarity": None})
    encoder = Similarity(similarity)
    notes: dict[str, JsonValue] = {"similarity": similarity, "similarity_hash": encoder.fingerprint()}
    wanted = attack.near_words
    if wanted is None:
        return Parts(similarity=encoder, notes=notes)
    table, origin = neighbour_table(encoder, wanted.most, wanted.least_cosine)
    notes |= {"neighbours": origin, "neighbours_hash": table_hash(table)}
    return Parts(neighbours(table, wanted.most), encoder, notes=notes)


def neighbour_table(encoder: Similarity, most: int, least: float) -> tuple[Mapping[str, tuple[str, ...]], str]:
    """Near words and where they come from: counter-fitted where there are such, else the encoder's own."""
    folder = Path(os.environ.get("UNFOOLED_DATA", os.devnull)) / COUNTER_FITTED
    table = counter_fitted(folder) if folder.is_dir() else None
    if table is not None:
        return table, "counter-fitted"
    known = lexicon()
    words = [word for word in encoder.whole_words() if word in known]
    with Display("near words, once", len(words)) as display:
        return near_words(words, encoder, most, least, display.at), f"near words of {encoder.name}"


def table_hash(table: Mapping[str, tuple[str, ...]]) -> str:
    """The SHA-256 of a table's words and their neighbours, whatever order its rows stand in."""
    return hashlib.sha256(json.dumps(sorted(table.items())).encode()).hexdigest()
