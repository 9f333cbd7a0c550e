"""What is played with, and what may be asked of it: every address with the form of its question."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue

from unfooled.attacks.table import ATTACKS
from unfooled.errors import BadInput
from unfooled.play import answers, fooling, turning
from unfooled.play.evaluation import FooledCases, is_results, open_evaluation, players_of
from unfooled.play.fooling import Tools
from unfooled.play.line import Errand
from unfooled.play.players import Player, label_note, open_players, shared_labels
from unfooled.play.wording import english, say
from unfooled.terminal import visible
from unfooled.text.changes import CHANGES

MOST_CHARACTERS = 10_000
OPINIONS = {"positive", "negative"}  # labels for which the page has sentences to begin with


@dataclass
class Game:
    """The models, the evaluation they come from, and the tools of attacks; empty until it was opened."""

    names: Sequence[str] = ()
    players: tuple[Player, ...] = ()
    evaluation: FooledCases | None = None
    notes: list[str] = field(default_factory=list)
    tools: Tools = field(default_factory=Tools)

    def open(self, announce: Callable[[str], None]) -> None:
        """Open everything that was named: at most one results folder, and models."""
        folders = [name for name in self.names if is_results(name)]
        models = [name for name in self.names if name not in folders]
        if len(folders) > 1:
            raise BadInput(f"{len(folders)} results folders were named; play with one at a time")
        if folders:
            announce(say("opening", name=folders[0]))
            self.evaluation, results = open_evaluation(folders[0])
            self.players, self.notes = players_of(results, models, announce)
            self.notes += [] if self.evaluation.cases else [say("results.none")]
        else:
            self.players = open_players(models, announce)
        note = label_note(self.players)
        self.notes += [note] if note else []
        announce(say("words"))
        answers.notes((), ("The words are read from the disk.",))

    def chores(self) -> list[Callable[[], Any]]:
        """What makes the first attack quick, done while nobody asks anything."""
        return [lambda: self.tools.encoder, lambda: [ATTACKS[name] for name in ATTACKS]] if self.players else []


def told_text(text: str) -> str:
    """A text that can be asked about: not too long, and made of whole characters."""
    if len(text) > MOST_CHARACTERS:
        raise ValueError(say("long", characters=f"{len(text):,}", most=f"{MOST_CHARACTERS:,}"))
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError(say("half")) from None
    return text


def known_to(table: Any, name: str) -> Callable[[str], str]:
    """Accepts names in a table alone."""

    def check(value: str) -> str:
        if value not in table:
            raise ValueError(say(name))
        return value

    return check


def not_empty(texts: list[str]) -> list[str]:
    """Texts of which at least one says something."""
    if not any(text.strip() for text in texts):
        raise ValueError(say("empty"))
    return texts


Text = Annotated[str, AfterValidator(told_text)]
Given = Annotated[list[Text], Field(min_length=1, max_length=2), AfterValidator(not_empty)]


class Asking(BaseModel):
    """What may be asked about nothing; anything that is not expected is refused."""

    model_config = ConfigDict(extra="forbid", strict=True)


class AskingText(Asking):
    """What is asked about a text, or a pair."""

    texts: Given


class AskingAttack(AskingText):
    """Which attack on which model; of a pair, on which text."""

    attack: Annotated[str, AfterValidator(known_to(ATTACKS, "no_attack"))]
    player: int = Field(ge=0, le=1)
    column: int | None = Field(default=None, ge=0, le=1)


class AskingChange(AskingText):
    """Which change of a text, for which time."""

    change: Annotated[str, AfterValidator(known_to(CHANGES, "no_change"))]
    again: int = Field(default=0, ge=0, le=10_000)


class AskingPair(AskingText):
    """A text beside its original, and what the answer should do between them."""

    original: Given
    should: Annotated[str, AfterValidator(known_to(("change", "stay"), "no_change"))]


class AskingTick(Asking):
    """Whether the meaning of a sentence of the evaluation changed."""

    case: int = Field(ge=0)
    changed: bool


def begin(game: Game, asked: Asking, errand: Errand) -> JsonValue:
    """Everything the page begins with."""
    labels: list[list[JsonValue]] = [[visible(label) for label in player.victim.labels] for player in game.players]
    opinions = any({str(label).casefold() for label in own} == OPINIONS for own in labels)
    return {
        "players": [
            {
                "name": visible(player.name),
                "kind": player.kind,
                "labels": labels[place],
                "confidence": player.confidence,
                "unable": {name: fooling.unable(player, ATTACKS[name]) for name in ATTACKS},
            }
            for place, player in enumerate(game.players)
        ],
        "attacks": [{"name": name, "line": line} for name, line in ATTACKS.lines.items()],
        "changes": turning.changes(),
        "shared": [visible(label) for label in shared_labels(game.players)] if game.players else [],
        "notes": [visible(note) for note in game.notes],
        "pairs": any(player.pairs for player in game.players),
        "examples": [text for name, text in english().items() if name.startswith("example.")] if opinions else [],
        "evaluation": None if game.evaluation is None else game.evaluation.told(),
    }


def ask(game: Game, asked: AskingText, errand: Errand) -> JsonValue:
    """What every model says."""
    return answers.ask(game.players, tuple(asked.texts))


def heat(game: Game, asked: AskingText, errand: Errand) -> JsonValue:
    """Which words every model says it by."""
    return answers.heat(game.players, tuple(asked.texts), errand)


def fool(game: Game, asked: AskingAttack, errand: Errand) -> JsonValue:
    """An attack."""
    if asked.player >= len(game.players):
        raise BadInput(say("no_player"))
    player = game.players[asked.player]
    column = asked.column if asked.column is None or asked.column < len(asked.texts) else None
    return fooling.fool(player, asked.attack, tuple(asked.texts), column, game.tools, errand)


def turn(game: Game, asked: AskingChange, errand: Errand) -> JsonValue:
    """A change at the press of a button."""
    return turning.turn(game.players, asked.change, asked.again, tuple(asked.texts))


def compare(game: Game, asked: AskingPair, errand: Errand) -> JsonValue:
    """A change by hand, or one that fooled another model."""
    if len(asked.original) != len(asked.texts):
        raise BadInput(say("one_and_two"))
    return turning.compared(game.players, tuple(asked.original), tuple(asked.texts), asked.should)


def tick(game: Game, asked: AskingTick, errand: Errand) -> JsonValue:
    """A reader's judgement, kept."""
    if game.evaluation is None:
        raise BadInput(say("no_case"))
    return game.evaluation.tick(asked.case, asked.changed)


Address = tuple[type[Asking], Callable[[Game, Any, Errand], JsonValue]]
ADDRESSES: dict[str, Address] = {
    "begin": (Asking, begin),
    "ask": (AskingText, ask),
    "heat": (AskingText, heat),
    "fool": (AskingAttack, fool),
    "turn": (AskingChange, turn),
    "compare": (AskingPair, compare),
    "tick": (AskingTick, tick),
}
