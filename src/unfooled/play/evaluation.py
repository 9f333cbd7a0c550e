"""A results folder on the page: the sentences that fooled a model, and the rates that a reader's ticks leave.

What a file says is shown, never obeyed: a model that a log names is opened only where it is a folder on this machine
whose hash is that of the log.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from pydantic import JsonValue

from unfooled.attacks.records import AttackRecord
from unfooled.errors import BadInput
from unfooled.hub import only_typed
from unfooled.play.marking import shown
from unfooled.play.players import MOST, Player, open_players
from unfooled.play.wording import say
from unfooled.report.chapters.fooled import fooled_text, tally
from unfooled.results.folder import Finished, Results, logs
from unfooled.results.log import Header
from unfooled.results.open import open_results, results_in
from unfooled.results.ticks import write_tick
from unfooled.scores.intervals import proportion
from unfooled.scores.score import Score
from unfooled.terminal import visible
from unfooled.trials.words.attack_numbers import ended, index_of


def is_results(name: str) -> bool:
    """Whether a name is that of a folder that evaluate, attack or compare has written."""
    return Path(name).is_dir() and bool(logs(results_in(Path(name))))


@dataclass
class FooledCases:
    """What an evaluation left: its attacks, each with its records and a reader's ticks."""

    folder: Path
    attacks: list[Finished]

    @cached_property
    def cases(self) -> list[tuple[int, AttackRecord]]:
        """Every adversary: the number of its attack, and its record."""
        return [
            (number, record)
            for number, one in enumerate(self.attacks)
            for record in one.records
            if record.outcome == "fooled"
        ]

    def told(self) -> JsonValue:
        """All of it, for the page."""
        return {
            "folder": visible(str(self.folder)),
            "attacks": [visible(f"{one.model}, {one.trial}") for one in self.attacks],
            "cases": [self.case(number, record) for number, record in self.cases],
            "rates": self.rates(),
        }

    def case(self, number: int, record: AttackRecord) -> JsonValue:
        """One adversary, as the page is sent it."""
        one = self.attacks[number]
        fooled = fooled_text(record, one.header.labels, number, number)
        return {
            "attack": number,
            "index": record.index,
            "before": visible(fooled.before),
            "after": visible(fooled.after),
            "pieces": [shown(list(own)) for own in fooled.texts],
            "texts": list(record.texts),
            "adversary": list(record.adversary or ()),
            "ticked": record.index in one.ticked,
        }

    def rates(self) -> list[JsonValue]:
        """How often each attack fools and what accuracy it leaves, as found and without what was ticked."""
        rates: list[JsonValue] = []
        for one in self.attacks:
            examples, right, fooled, safe = tally(one)
            unfair = int(np.isin(index_of(one.briefs, ended(one.briefs, "fooled")), list(one.ticked)).sum())
            found = proportion(fooled, right, ""), proportion(safe, examples, "")
            fair = proportion(fooled - unfair, right, ""), proportion(safe + unfair, examples, "")
            rates.append({"found": [*map(printed, found)], "fair": [*map(printed, fair)], "ticked": unfair})
        return rates

    def tick(self, number: int, changed: bool) -> JsonValue:
        """Keep a tick beside the results; the rates it leaves."""
        if not 0 <= number < len(self.cases):
            raise BadInput(say("no_case"))
        place, record = self.cases[number]
        one = self.attacks[place]
        write_tick(self.folder, one.slug, one.header, record.index, changed)
        ticked = one.ticked | {record.index} if changed else one.ticked - {record.index}
        self.attacks[place] = replace(one, ticked=ticked)
        return {"rates": self.rates()}


def printed(score: Score) -> str:
    """A share with its interval."""
    return f"{100 * score.value:.1f} % [{100 * score.low:.1f} – {100 * score.high:.1f}]" if score.n else say("unknown")


def open_evaluation(folder: str) -> tuple[FooledCases, Results]:
    """The attacks of a results folder."""
    results = open_results([folder])
    attacks = [one for one in results.trials if one.form.record is AttackRecord]
    return FooledCases(results_in(Path(folder)), attacks), results


def players_of(
    results: Results, named: Sequence[str], announce: Callable[[str], None]
) -> tuple[tuple[Player, ...], list[str]]:
    """The models of an evaluation, or those that were named for it; and what is to be said of those left out."""
    headers = {one.header.model_hash: one.header for one in results.trials if one.header.model_hash}
    temperatures = {one.header.model_hash: one.header.temperature for one in results.trials}
    measured = {mark: value for mark, value in temperatures.items() if value is not None}
    if named:
        players = open_players(named, announce, measured)
        strange = [player.name for player in players if player.victim.hash not in headers]
        return players, [say("results.other", name=name) for name in strange]
    notes: list[str] = []
    local: list[Header] = []
    for header in headers.values():
        reason = refusal(header) if len(local) < MOST else say("results.more", name=header.model)
        notes += [reason] if reason else []
        local += [] if reason else [header]
    with only_typed():  # a log may name anything
        players = open_players([header.model for header in local], announce, measured)
    kept = [player for player, header in zip(players, local, strict=True) if player.victim.hash == header.model_hash]
    notes += [say("results.hash", name=player.source) for player in players if player not in kept]
    pairs = any(
        len(record.texts) > 1 for one in results.trials for record in one.records[:1] if hasattr(record, "texts")
    )
    return tuple(replace(player, pairs=player.pairs or pairs) for player in kept), notes


def refusal(header: Header) -> str | None:
    """Why a model that a log names is not opened: it is no folder here, or no model that is asked for classes."""
    return None if Path(header.model).is_dir() else say("results.folder", name=header.model)
