from pathlib import Path
from typing import Any

import pytest
from play_ground import SENTENCE

from unfooled.attacks.table import ATTACKS
from unfooled.commands.attack import attack_text
from unfooled.errors import BadInput
from unfooled.play import fooling
from unfooled.play.fooling import Tools, fool, margins, unable
from unfooled.play.line import Errand, Halted
from unfooled.play.players import Player, open_players


@pytest.fixture(scope="module")
def tools() -> Tools:
    return Tools()


def watched(told: list[tuple[str, Any]], halt_at: int | None = None) -> Errand:
    """An errand that keeps what it is told, and is halted after so many pictures."""

    def tell(name: str, data: Any) -> None:
        told.append((name, data))
        if halt_at is not None and len([one for one, _ in told if one == "progress"]) >= halt_at:
            errand.halted.set()

    errand = Errand(lambda own: None, tell)
    return errand


@pytest.mark.parametrize("name", [name for name, kind in ATTACKS.items() if not kind.needs_similarity])
def test_an_attack_ends_as_the_command_says_it_does(name: str, plain: Player, tools: Tools) -> None:
    told: list[tuple[str, Any]] = []
    ended = fool(plain, name, (SENTENCE,), None, tools, watched(told))
    record, _ = attack_text(plain.victim, SENTENCE, attack=name, similarity=None)
    assert (ended["outcome"], ended["queries"], ended["changed"]) == (
        record.outcome,
        record.queries,
        len(record.changes),
    )
    assert ended["adversary"] == (None if record.adversary is None else list(record.adversary))
    assert ended["before"]["shares"] == pytest.approx(record.before, abs=1e-3)
    assert (ended["similarity"] is None) == (record.adversary is None)


def test_questions_are_counted_and_shown_as_they_are_asked(
    plain: Player, tools: Tools, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fooling, "PAUSE", 0.0)
    told: list[tuple[str, Any]] = []
    ended = fool(plain, "pwws", (SENTENCE,), None, tools, watched(told))
    counts = [data["queries"] for name, data in told if name == "progress"]
    assert counts == sorted(set(counts)) and counts[-1] == ended["queries"]
    shown = [data["pieces"] for name, data in told if name == "progress"]
    assert any(isinstance(piece, list) for pieces in shown for piece in pieces)
    assert ended["outcome"] == "fooled" and any(isinstance(piece, list) for piece in ended["pieces"][0])


def test_an_attack_ends_at_once_when_nobody_waits(plain: Player, tools: Tools, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fooling, "PAUSE", 0.0)
    told: list[tuple[str, Any]] = []
    with pytest.raises(Halted):
        fool(plain, "pwws", (SENTENCE,), None, tools, watched(told, halt_at=1))
    assert len([name for name, _ in told if name == "progress"]) == 1


def test_a_model_that_holds_is_said_to(stubborn: Player, tools: Tools) -> None:
    ended = fool(stubborn, "pwws", (SENTENCE,), None, tools, watched([]))
    assert (ended["outcome"], ended["adversary"], ended["after"]) == ("held", None, None)
    assert ended["sentence"] == "No version that was tried changes the answer."


def test_of_a_pair_the_text_that_is_asked_for_is_attacked(plain: Player, tools: Tools) -> None:
    ended = fool(plain, "pwws", ("the film was good", "the plot was warm"), 0, tools, watched([]))
    assert ended["pieces"][1] == ["the plot was warm"]


def test_models_of_sets_are_attacked_and_models_of_numbers_say_why_not(models: Path, tools: Tools) -> None:
    number, sets = open_players([str(models / "number"), str(models / "sets")], print)
    assert fool(sets, "deepwordbug", (SENTENCE,), None, tools, watched([]))["outcome"] in ("fooled", "held")
    with pytest.raises(BadInput, match="number says numbers; attacks are for models that say classes"):
        fool(number, "pwws", (SENTENCE,), None, tools, watched([]))
    inside = next(name for name in ATTACKS if ATTACKS[name].looks_inside)
    assert "looks into a network" in str(unable(sets, ATTACKS[inside])) and unable(sets, ATTACKS["pwws"]) is None


def test_the_text_that_is_shown_is_the_one_nearest_to_another_answer() -> None:
    import numpy as np

    assert int(margins(np.array([[0.0, 3.0], [2.0, 1.0], [0.0, 0.5]]), 1).argmin()) == 1
