from pathlib import Path

import pytest
from play_ground import SENTENCE
from pydantic import ValidationError
from results_ground import save_trial, word_attack

from unfooled.errors import BadInput
from unfooled.play.game import ADDRESSES, AskingAttack, AskingText, Game, begin, fool
from unfooled.play.line import Errand
from unfooled.play.players import Player


def errand() -> Errand:
    return Errand(lambda own: None, lambda name, data: None)


def test_a_game_is_opened_from_models_and_says_what_differs(models: Path) -> None:
    game = Game([str(models / "plain"), str(models / "three")])
    game.open(lambda news: None)
    told = begin(game, ADDRESSES["begin"][0](), errand())
    assert told["shared"] == ["negative", "positive"] and "compared is only what both know" in told["notes"][0]
    assert len(told["examples"]) == 3 and game.chores()


def test_a_game_is_opened_from_one_results_folder(tmp_path: Path, plain: Player) -> None:
    folder = tmp_path / "results"
    save_trial(folder, plain.source, "pwws", word_attack(2, 0, 0), model_hash=plain.victim.hash)
    game = Game([str(folder)])
    game.open(lambda news: None)
    assert [player.source for player in game.players] == [plain.source]
    assert game.notes == ["No sentence of this evaluation fooled a model."]
    with pytest.raises(BadInput, match="2 results folders"):
        Game([str(folder), str(folder)]).open(lambda news: None)


def test_without_models_the_sentences_can_still_be_read(tmp_path: Path) -> None:
    save_trial(tmp_path / "results", "gone/model", "pwws", word_attack(2, 2, 0))
    game = Game([str(tmp_path / "results")])
    game.open(lambda news: None)
    told = begin(game, ADDRESSES["begin"][0](), errand())
    assert told["players"] == [] and len(told["evaluation"]["cases"]) == 2 and game.chores() == []
    with pytest.raises(BadInput, match="no such model"):
        fool(game, AskingAttack(texts=["a"], attack="pwws", player=0), errand())


def test_a_column_that_a_text_has_not_is_left_out(plain: Player) -> None:
    game = Game(players=(plain,))
    ended = fool(game, AskingAttack(texts=[SENTENCE], attack="random", player=0, column=1), errand())
    assert ended["outcome"] in ("fooled", "held")


@pytest.mark.parametrize("question", [{"texts": ["a"], "x": 1}, {"texts": [1]}, {"texts": ["\ud800"]}, {"texts": None}])
def test_questions_are_strict(question: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        AskingText.model_validate(question)
