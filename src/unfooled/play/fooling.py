"""One attack on one text, watched: every batch of questions is told as it is answered, and may be the last."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from pydantic import JsonValue

from unfooled.attacks.attack import Attack, Parts
from unfooled.attacks.engine import Limits
from unfooled.attacks.records import AttackRecord
from unfooled.attacks.run import attacked_column, run_attack
from unfooled.attacks.table import ATTACKS
from unfooled.errors import BadInput
from unfooled.play.answers import rows_of, said, told
from unfooled.play.copying import copies
from unfooled.play.line import Errand
from unfooled.play.marking import marked, shown
from unfooled.play.players import Player
from unfooled.play.wording import say
from unfooled.report.chapters.fooled import pieces
from unfooled.types import Texts
from unfooled.victims.calibration import temperature_of

SECONDS = 60.0  # an attack is given up after
LIMITS = Limits(in_flight=1, batch_size=16, seconds=SECONDS)
PAUSE = 0.04  # seconds between two pictures of an attack: more than an eye can follow helps nobody


class Tools:
    """What attacks need besides a model, made when it is first needed and kept: one sentence encoder, each's parts."""

    def __init__(self) -> None:
        self.parts: dict[str, Parts] = {}

    @cached_property
    def encoder(self) -> Any:
        """The sentence encoder that judges adversaries."""
        from unfooled.models.encoders.similarity import Similarity

        return Similarity("minilm")

    def of(self, name: str, attack: Attack, errand: Errand) -> Parts:
        """The parts of an attack in the table."""
        from unfooled.commands.attack_parts import parts_with  # which loads torch

        if name not in self.parts:
            errand.tell("news", {"news": say("parts.near" if attack.near_words else "parts")})
            self.parts[name] = parts_with(attack, self.encoder)
        return self.parts[name]


@dataclass
class Watch:
    """An attack as it is seen from the model: what is asked is counted, and told."""

    player: Player
    texts: Texts
    column: int
    gold: Any
    errand: Errand
    began: float
    asked: int = 0
    last: float = 0.0

    def call(self, texts: Sequence[str | Texts]) -> Any:
        """The model's answers, unless nobody waits for them any more."""
        self.errand.check()
        rows = self.player.victim.call(texts)
        self.asked += len(texts)
        now = time.monotonic()
        if now - self.last >= PAUSE:
            self.last = now
            self.tell(texts, np.asarray(rows, dtype=np.float64), now)
        return rows

    def tell(self, texts: Sequence[str | Texts], rows: np.ndarray, now: float) -> None:
        """Show the text that is nearest to another answer."""
        worst = texts[-1 if isinstance(self.gold, tuple) else int(margins(rows, self.gold).argmin())]
        text = worst if isinstance(worst, str) else worst[self.column]
        self.errand.tell(
            "progress",
            {
                "queries": self.asked,
                "seconds": round(now - self.began, 1),
                "pieces": shown(marked(self.texts[self.column], text)),
            },
        )

    def slopes(self, *given: Any) -> np.ndarray:
        """The network's gradient, which is asked like a text."""
        self.errand.check()
        self.asked += 1
        assert self.player.victim.slopes is not None
        return self.player.victim.slopes(*given)

    def similarity(self, encoder: Any) -> Any:
        """The sentence encoder, asked only while somebody waits."""

        def cosines(reference: str, texts: Sequence[str]) -> np.ndarray:
            self.errand.check()
            return np.asarray(encoder(reference, texts))

        return cosines


def margins(rows: np.ndarray, gold: int) -> np.ndarray:
    """How far a class is above its strongest rival."""
    others = rows.copy()
    others[:, gold] = -np.inf
    return rows[:, gold] - others.max(axis=1)


def unable(player: Player, attack: type[Attack]) -> str | None:
    """Why a model cannot be attacked so."""
    if player.kind == "number":
        return say("attack.number", name=player.name)
    if attack.looks_inside and player.victim.slopes is None:
        return say("attack.inside", name=player.name)
    return None


def fool(player: Player, name: str, texts: Texts, column: int | None, tools: Tools, errand: Errand) -> JsonValue:
    """Attack a text by what the model says of it, exactly as ``unfooled attack --text`` does."""
    from unfooled.commands.attack import predicted

    reason = unable(player, ATTACKS[name])
    if reason is not None:
        raise BadInput(reason)
    attack, able = ATTACKS[name](), player.victim
    parts = tools.of(name, attack, errand)
    gold = predicted(able, texts) if able.sets is None else able.sets.said(able.answer([texts])[0])
    temperature = temperature_of(able, [texts], [gold], 1)
    place = attacked_column([texts], column, able.sets is not None)
    watch = Watch(player, texts, place, gold, errand, time.monotonic())
    watched = replace(able, call=watch.call, slopes=able.slopes and watch.slopes)
    own = replace(parts, similarity=parts.similarity and watch.similarity(parts.similarity))
    labels: Any = [gold]
    [record] = run_attack(
        attack, watched, [texts], labels, column=place, parts=own, limits=LIMITS, temperature=temperature
    )  # fmt: skip
    return ended(player, name, place, record, time.monotonic() - watch.began)


def ended(player: Player, name: str, column: int, record: AttackRecord, seconds: float) -> JsonValue:
    """How an attack ended, for the page."""
    texts = [record.texts] if record.adversary is None else [record.texts, record.adversary]
    rows = rows_of(player, texts)
    pairs = zip(record.texts, record.adversary or record.texts, strict=True)
    changed = [list(pieces(old, record.changes if old != new else ())) for old, new in pairs]
    labels = player.victim.labels
    right = [labels[number] for number in said(player, rows[0])]
    return {
        "outcome": record.outcome,
        "sentence": say(f"outcome.{record.outcome}", seconds=f"{SECONDS:.0f}", queries=record.queries),
        "pieces": [shown(one) for one in changed],
        "texts": list(record.texts),
        "adversary": None if record.adversary is None else list(record.adversary),
        "before": told(player, rows[0]),
        "after": told(player, rows[1]) if record.adversary is not None else None,
        "changed": len(record.changes),
        "words": record.words,
        "similarity": record.similarity,
        "queries": record.queries,
        "seconds": round(seconds, 1),
        "note": record.note or record.error,
        "copies": copies(player, name, column, record, right),
    }
