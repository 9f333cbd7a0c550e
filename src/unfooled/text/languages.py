"""Whether texts are English, the one language whose words can be replaced."""

from collections.abc import Iterable
from itertools import islice

from unfooled.errors import BadInput
from unfooled.text.document import read
from unfooled.text.english.candidates import english

SAMPLE = 1000  # texts by which a corpus is taken for English


def refuse_foreign(rows: Iterable[tuple[int, str]], name: object, unit: str, remedy: str) -> None:
    """Refuse numbered texts whose first ones are mostly not English; ``unit`` is what a number counts."""
    some = islice(((number, text) for number, text in rows if text and not text.isspace()), SAMPLE)
    judged = [(number, text, english(read(text).words)) for number, text in some]
    strange = [(number, text) for number, text, is_english in judged if not is_english]
    if 2 * len(strange) > len(judged):
        number, text = strange[0]
        raise BadInput(
            f"{name} is not English: {len(strange):,} of its first {len(judged):,} texts are not, the first in "
            f"{unit} {number + 1} ({text[:40]!r}); {remedy}"
        )
