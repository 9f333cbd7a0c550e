"""Changes of a text at the press of a button: those that must change the answer, and those that must not."""

from collections.abc import Sequence

from pydantic import JsonValue

from unfooled.errors import BadInput
from unfooled.play.answers import answer
from unfooled.play.marking import marked, shown
from unfooled.play.players import Player
from unfooled.play.wording import say
from unfooled.text.changes import CHANGES, DIRECTIONAL
from unfooled.types import Texts


def changes() -> list[JsonValue]:
    """Every change there is: its name, what it does, and what the answer should do."""
    turning_first = [*DIRECTIONAL[::-1], *(name for name in CHANGES if name not in DIRECTIONAL)]
    return [
        {"name": name, "title": say(f"change.{name}"), "line": says(name), "should": should(name)}
        for name in turning_first
    ]


def says(name: str) -> str:
    """What a change does, in a line."""
    return say(f"change.{name}.line")


def should(name: str) -> str:
    """Whether an answer should change with the text, or stay."""
    return "change" if name in DIRECTIONAL else "stay"


def turn(players: Sequence[Player], name: str, again: int, texts: Texts) -> JsonValue:
    """A text changed in one way, with what every model says before and after; ``again`` draws another word."""
    after = CHANGES[name](texts, (again, name, 0))
    if after == texts:
        raise BadInput(say("unchanged", change=say(f"change.{name}").lower()))
    return compared(players, texts, after, should(name))


def compared(players: Sequence[Player], before: Texts, after: Texts, wanted: str) -> JsonValue:
    """Two versions of a text, with what every model says of either."""
    return {
        "before": answer(players, before),
        "after": answer(players, after),
        "original": list(before),
        "texts": list(after),
        "pieces": [shown(marked(old, new)) for old, new in zip(before, after, strict=True)],
        "should": wanted,
    }
