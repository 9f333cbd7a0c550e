"""What attacks are built from besides WordNet: a sentence encoder, a table of near words."""

from pydantic import JsonValue

from unfooled.attacks.attack import Attack, Parts
from unfooled.errors import BadInput
from unfooled.models.encoders.similarity import Similarity
from unfooled.substitution.near import neighbour_table, table_hash
from unfooled.substitution.substitutes import neighbours

PARTS_FOR = f"{__name__}:parts_for"  # where workers find it


def parts_for(attack: Attack, similarity: str | None = "minilm") -> Parts:
    """The parts an attack asks for; ``similarity`` names the encoder, None goes without where the attack can."""
    if attack.needs_similarity and similarity is None:
        raise BadInput("this attack judges its candidates by a sentence encoder; name one, such as minilm")
    if similarity is None:
        return Parts(notes={"similarity": None})
    return parts_with(attack, Similarity(similarity))


def parts_with(attack: Attack, encoder: Similarity) -> Parts:
    """The parts an attack asks for, with an encoder that is open already."""
    notes: dict[str, JsonValue] = {"similarity": encoder.name, "similarity_hash": encoder.fingerprint()}
    wanted = attack.near_words
    if wanted is None:
        return Parts(similarity=encoder, notes=notes)
    table, origin = neighbour_table(encoder, wanted.most, wanted.least_cosine)
    notes |= {"neighbours": origin, "neighbours_hash": table_hash(table)}
    return Parts(neighbours(table, wanted.most), encoder, notes=notes)
