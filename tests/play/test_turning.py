import pytest
from play_ground import SENTENCE

from unfooled.errors import BadInput
from unfooled.play.players import Player
from unfooled.play.turning import changes, compared, turn
from unfooled.text.changes import CHANGES, DIRECTIONAL


def test_every_change_there_is_says_what_the_answer_should_do() -> None:
    offered = changes()
    assert {one["name"] for one in offered} == set(CHANGES)
    assert {one["name"] for one in offered if one["should"] == "change"} == set(DIRECTIONAL)
    assert all(one["title"] and one["line"].endswith(".") for one in offered)


def test_a_change_comes_with_what_models_say_before_and_after(plain: Player, stubborn: Player) -> None:
    turned = turn([plain, stubborn], "negation", 0, (SENTENCE,))
    assert turned["texts"] == ["the film was not good and warm"] and turned["should"] == "change"
    assert turned["pieces"][0][1][1].strip() == "not"
    assert turned["before"][1] == turned["after"][1] and turned["before"][0] != turned["after"][0]


def test_pressed_again_another_word_is_drawn(plain: Player) -> None:
    texts = {
        turn([plain], "antonyms", again, ("a good film, a warm story, a bright day",))["texts"][0] for again in range(9)
    }
    assert len(texts) > 1


def test_nothing_to_change_is_a_sentence(plain: Player) -> None:
    with pytest.raises(BadInput, match="nothing to change .antonym. in this text"):
        turn([plain], "antonyms", 0, ("hm",))


def test_a_pair_is_compared_text_by_text(plain: Player) -> None:
    both = compared([plain], ("a film", "it is good"), ("a film", "it is bad"), "change")
    assert both["pieces"] == [["a film"], ["it is ", ["good", "bad"]]]
