"""Three sentences that fooled a model, the most telling ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import nsmallest

from unfooled.attacks.records import ATTACKED, SAFE, AttackRecord
from unfooled.report.chapter import Chapter
from unfooled.report.chapters.fooled import fooled_text
from unfooled.report.markup import Markup, Piece, join, tag
from unfooled.report.told import Told
from unfooled.results.folder import Finished
from unfooled.trials.words.attack_numbers import count

MOST = 3
AROUND = 100  # characters of a long text that are shown before and behind a changed word


@dataclass(frozen=True)
class Telling:
    """A record that fooled a model, and the attack it is of."""

    attack: Finished
    record: AttackRecord

    @property
    def key(self) -> tuple[int, float, int]:
        """The fewer words changed and the liker the text, the more it tells."""
        return len(self.record.changes), -(self.record.similarity or 0.0), self.record.index


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
    cards = [card(one, attacks) for one in chosen]
    return join([tag("p", *says), tag("ol", *cards, class_="cases")])


def none_of(attacks: Sequence[Finished]) -> str:
    """Why there is no sentence to show."""
    asked = sum(count(one.records, *ATTACKED) for one in attacks)
    if any(count(one.records, "fooled") for one in attacks):
        return "Every sentence that fooled a model was ticked by a reader: its meaning had changed."
    return f"No sentence fooled a model: {asked:,} attacks on rightly answered texts, and no answer turned wrong."


def most_telling(attacks: Sequence[Finished]) -> list[Telling]:
    """A few adversaries that no reader has ticked, of as many attacks and texts as there are."""
    waiting: list[Telling] = []
    for one in attacks:
        fair = (record for record in one.records if record.outcome == "fooled" and record.index not in one.ticked)
        waiting += nsmallest(MOST * MOST, (Telling(one, record) for record in fair), key=lambda each: each.key)
    chosen: list[Telling] = []
    while waiting and len(chosen) < MOST:
        trials, texts = [each.attack.trial for each in chosen], [each.record.texts for each in chosen]
        ranks = [(trials.count(each.attack.trial), each.record.texts in texts, each.key) for each in waiting]
        chosen.append(waiting.pop(ranks.index(min(ranks))))
    return chosen


def card(one: Telling, attacks: Sequence[Finished]) -> Markup:
    """One sentence, what was said of it before and after, and who was not fooled on it."""
    fooled = fooled_text(one.record, one.attack.header.labels, 0, 0)
    words = len(one.record.changes)
    facts = [f"{one.attack.model} under {one.attack.trial}", f"{words} {'word' if words == 1 else 'words'} changed"]
    facts += [] if fooled.similarity is None else [f"similarity {fooled.similarity:.2f} of 1"]
    held = [
        other.model
        for other in attacks
        if (other.trial, other.header.examples_hash) == (one.attack.trial, one.attack.header.examples_hash)
        and any(record.index == one.record.index and record.outcome in SAFE for record in other.records)
    ]
    facts += [f"{' and '.join(held)} held on the same text"] if held else []
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
            parts += [tag("del", piece[0]), " ", tag("mark", piece[1] or "∅")]
    return join(parts)


def shortened(text: str, behind: bool, before: bool) -> str:
    """A long stretch without changes: its beginning where one stands before it, its end where one stands behind it.

    >>> shortened("a word " * 100, True, False)[-9:], len(shortened("a word " * 100, True, True)) < 210
    (' a word …', True)
    """
    if len(text) <= 2 * AROUND:
        return text
    start = text[:AROUND].rsplit(" ", 1)[0] + " …" if behind or not before else "…"
    return start + (" " + text[-AROUND:].split(" ", 1)[-1] if before else "")


CHAPTER = Chapter("For example", content, "What fooled them, for example")
