"""Three sentences that fooled a model, the most telling ones."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unfooled.attacks.records import ATTACKED, SAFE, AttackRecord
from unfooled.report.chapter import Chapter
from unfooled.report.chapters.fooled import fooled_text
from unfooled.report.markup import Markup, Piece, join, tag
from unfooled.report.told import Told
from unfooled.results.folder import Finished
from unfooled.results.records import whole
from unfooled.trials.columns import numbers
from unfooled.trials.words.attack_numbers import count, ended, index_of

MOST = 3
AROUND = 100  # characters of a long text that are shown before and behind a changed word


@dataclass(frozen=True)
class Telling:
    """A record that fooled a model, the attack it is of, and the models that this attack did not fool on the text.

    ``times`` is how often the attack fooled the model.
    """

    attack: Finished
    record: AttackRecord
    held: tuple[str, ...]
    times: int

    @property
    def key(self) -> tuple[int, float, bool, int, int]:
        """The fewer words changed and the liker the text, the more it tells.

        Of equal ones those where another model held, and of those the ones of the model that is fooled oftenest: else
        a reader would see the rare case.
        """
        likeness = self.record.similarity or 0.0
        return len(self.record.changes), -likeness, not self.held, -self.times, self.record.index


def content(told: Told) -> Markup:
    """The sentences, or that there is none; nothing where no attack in words was run."""
    attacks = told.of(AttackRecord)
    if not attacks:
        return Markup()
    chosen = most_telling(attacks)
    if not chosen:
        return tag("p", none_of(attacks))
    says = (
        "Of what fooled a model, these had the fewest words changed and stayed most like the original, spread over the "
        "attacks. Struck out is what stood there, marked is what fooled the model. All of them are ",
        tag("a", "below", href="#fooled"),
        ".",
    )
    return join([tag("p", *says), tag("ol", *map(card, chosen), class_="cases")])


def none_of(attacks: Sequence[Finished]) -> str:
    """Why there is no sentence to show."""
    asked = sum(count(one.briefs, *ATTACKED) for one in attacks)
    if any(count(one.briefs, "fooled") for one in attacks):
        return "Every sentence that fooled a model was ticked by a reader: its meaning had changed."
    return f"No sentence fooled a model: {asked:,} attacks on rightly answered texts, and no answer turned wrong."


def most_telling(attacks: Sequence[Finished]) -> list[Telling]:
    """A few adversaries that no reader has ticked, of as many attacks and texts as there are."""
    waiting = [each for one in attacks for each in telling_of(one, attacks)]
    chosen: list[Telling] = []
    while waiting and len(chosen) < MOST:
        trials, texts = [each.attack.trial for each in chosen], [each.record.texts for each in chosen]
        ranks = [(trials.count(each.attack.trial), each.record.texts in texts, each.key) for each in waiting]
        chosen.append(waiting.pop(ranks.index(min(ranks))))
    return chosen


def telling_of(one: Finished, attacks: Sequence[Finished]) -> list[Telling]:
    """The most telling adversaries of one attack; only they are read."""
    own = one.briefs
    index, likeness = numbers(own, "index"), np.nan_to_num(numbers(own, "similarity").astype(float))
    fair = np.flatnonzero(ended(own, "fooled") & ~np.isin(index, list(one.ticked)))
    others = [other for other in attacks if other.model != one.model and same_texts(one, other)]
    held = {other.model: np.isin(index[fair], index_of(other.briefs, ended(other.briefs, *SAFE))) for other in others}
    nobody = ~np.any([*held.values()], axis=0) if held else np.ones(len(fair), dtype=bool)
    order = np.lexsort((index[fair], nobody, -likeness[fair], numbers(own, "changed")[fair]))[: MOST * MOST]
    records = whole(one.records, fair[order].tolist())
    return [
        Telling(one, record, tuple(model for model, safe in held.items() if safe[place]), len(fair))
        for place, record in zip(order, records, strict=True)
    ]


def same_texts(one: Finished, other: Finished) -> bool:
    """Whether two models were put through the same attack on the same texts."""
    return (one.trial, one.header.examples_hash) == (other.trial, other.header.examples_hash)


def card(one: Telling) -> Markup:
    """One sentence, what was said of it before and after, and who was not fooled on it."""
    fooled = fooled_text(one.record, one.attack.header.labels, 0, 0)
    words = len(one.record.changes)
    facts = [f"{one.attack.model} under {one.attack.trial}", f"{words} {'word' if words == 1 else 'words'} changed"]
    facts += [] if fooled.similarity is None else [f"similarity {fooled.similarity:.2f} of 1"]
    who = " and ".join(one.held) if len(one.held) < MOST else f"{len(one.held)} other models"
    facts += [f"{who} held on the same text"] if one.held else []
    said = tag("b", f"{fooled.before} → {fooled.after}")
    texts = [tag("p", shown(pieces), dir="auto") for pieces in fooled.texts]
    return tag("li", tag("p", said, f" · {' · '.join(facts)}", class_="meta"), *texts, class_="case")


def shown(pieces: Sequence[Piece]) -> Markup:
    """A text whose changed words are struck out and marked, cut short far from them."""
    last = len(pieces) - 1
    parts: list[str | Markup] = []
    for place, piece in enumerate(pieces):
        if isinstance(piece, str):
            parts.append(shortened(piece, place > 0, place < last))
        else:
            same = look_alike(*piece)
            parts += [tag("del", piece[0]), " ", tag("mark", piece[1] or "∅")]
            parts += [" ", tag("span", f"({same})", class_="meta")] if same else []
    return join(parts)


def look_alike(old: str, new: str) -> str:
    """Which letters are others than they seem: without that, a reader sees one word twice.

    >>> look_alike("rocks", "r\u043ecks"), look_alike("cafe", "caf"), look_alike("good", "bad!")
    ('U+043E for o', '', '')
    """
    pairs = zip(old, new, strict=True) if len(old) == len(new) else ()
    return ", ".join(f"U+{ord(now):04X} for {was}" for was, now in pairs if was.isascii() and not now.isascii())


def shortened(text: str, behind: bool, before: bool) -> str:
    """A long stretch without changes: its beginning where one stands before it, its end where one stands behind it.

    >>> shortened("word " * 100, True, False)[-6:], len(shortened("word " * 100, True, True)) < 210
    ('word …', True)
    """
    if len(text) <= 2 * AROUND:
        return text
    start = text[:AROUND].rsplit(" ", 1)[0] + " …" if behind or not before else "…"
    return start + (" " + text[-AROUND:].split(" ", 1)[-1] if before else "")


CHAPTER = Chapter("Examples", content, "Fooled, for example")
