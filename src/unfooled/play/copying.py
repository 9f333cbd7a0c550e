"""An attack to take along: as a command line, as Python, as a line of JSON."""

import json
from collections.abc import Sequence
from shlex import quote

from pydantic import JsonValue

from unfooled.attacks.records import AttackRecord
from unfooled.play.players import Player
from unfooled.play.wording import say
from unfooled.types import Texts

PAIR = ("text1", "text2")  # column names that every reader of data knows


def copies(player: Player, attack: str, column: int, record: AttackRecord, right: Sequence[str]) -> JsonValue:
    """What is copied by each of the three buttons, and why one of them cannot be."""
    whole = {
        "command": None if player.kind == "sets" or len(record.texts) > 1 else command(player, attack, record.texts[0]),
        "python": None if player.kind == "sets" else python(player, attack, column, record.texts),
        "jsonl": line(player, attack, record, right),
    }
    note = say("copy.sets") if player.kind == "sets" else say("copy.pair") if len(record.texts) > 1 else None
    return {**whole, "note": note}


def command(player: Player, attack: str, text: str) -> str:
    """The attack in a shell; the text cannot end its quotes."""
    return f"unfooled attack {quote(player.source)} --attack {attack} --text={quote(text)}"


def python(player: Player, attack: str, column: int, texts: Texts) -> str:
    """The attack in Python."""
    text = texts[0] if len(texts) == 1 else texts
    which = "" if len(texts) == 1 else f", column={column}"
    return (
        "import unfooled as uf\n\n"
        f'record, labels = uf.attack_text({player.source!a}, {text!a}, attack="{attack}"{which})\n'
        "print(record.outcome, record.adversary)\n"
    )


def line(player: Player, attack: str, record: AttackRecord, right: Sequence[str]) -> str:
    """What the attack left, as a row of data: the adversary where there is one, with the label of its original."""
    texts = record.adversary or record.texts
    named = {"text": texts[0]} if len(texts) == 1 else dict(zip(PAIR, texts, strict=True))
    label: JsonValue = list(right) if player.kind == "sets" else right[0]
    row = {**named, "label": label, "outcome": record.outcome, "attack": attack, "model": player.source}
    return json.dumps({**row, "original": list(record.texts)}, ensure_ascii=False)
