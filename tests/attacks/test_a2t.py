"""The gradient's order, then questions: sound, cheaper than PWWS, and for networks alone."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from toys import attacked, constant, essence
from trained import NEAR, all_parts, sentences, trained, two

from unfooled.attacks import A2T, PWWS, AttackRecord, RandomWords
from unfooled.attacks.attack import Attack
from unfooled.attacks.every_combination import EveryCombination
from unfooled.errors import BadInput
from unfooled.losses.margins import margins
from unfooled.models import TextModel
from unfooled.text.document import read
from unfooled.tokens import encode
from unfooled.types import Texts
from unfooled.victims import open_victim
from unfooled.victims.network import Network

Rows = tuple[list[Texts], list[int]]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> TextModel:
    return trained(tmp_path_factory.mktemp("two"), ("a", "b"), *two(*sentences(120, 0)))


@pytest.fixture(scope="module")
def texts() -> Rows:
    return two(*sentences(40, 1))


def records(attack: Attack, model: TextModel, texts: Rows) -> list[AttackRecord]:
    return attacked(attack, model, *texts, parts=all_parts())


def fooled(found: list[AttackRecord]) -> int:
    return sum(record.outcome == "fooled" for record in found)


@pytest.mark.parametrize("order", ["size", "gain"])
def test_it_beats_chance_asks_less_than_pwws_and_does_no_more_than_every_combination(
    model: TextModel, texts: Rows, order: str
) -> None:
    found, asked = records(A2T(order=order), model, texts), records(PWWS(choose="again"), model, texts)
    assert fooled(found) > fooled(records(RandomWords(), model, texts)) > 0
    assert sum(record.asked for record in found) < sum(record.asked for record in asked)
    short = [place for place, (text,) in enumerate(texts[0]) if len(text.split()) < 6]
    some = [texts[0][place] for place in short], [texts[1][place] for place in short]
    everything = records(EveryCombination(), model, some)
    for place, record in zip(short, everything, strict=True):
        assert found[place].outcome != "fooled" or record.outcome == "fooled"


def test_every_new_word_is_in_its_list_and_the_answer_is_another(model: TextModel, texts: Rows) -> None:
    for record in records(A2T(), model, texts):
        if record.outcome == "fooled":
            assert record.fooled_into != record.label == record.prediction
            assert all(change.new in NEAR[change.old] for change in record.changes)


def test_no_more_than_a_share_of_the_words_is_replaced(model: TextModel, texts: Rows) -> None:
    for record in records(A2T(most=0.1), model, texts):
        assert len(record.changes) <= max(1, record.words // 10)


def test_the_size_of_the_gradient_is_that_of_the_margin_at_the_words_tokens(model: TextModel) -> None:
    text = "good film good"
    tokens = encode(model.tokenizer, [text], 32).pad([0])
    delta = torch.zeros(*tokens.ids.shape, model.classifier.width, requires_grad=True)
    margins(model.classifier(tokens, delta).logits.double() / 2, torch.tensor([1])).sum().backward()
    assert delta.grad is not None and tokens.ids.shape == (1, 5)  # a token for each word, and two around them
    expected = delta.grad[0, 1:4].abs().sum(dim=-1).numpy()
    found = Network(model).slopes((read(text),), 0, None, 1, None, 2.0)
    np.testing.assert_allclose(found, expected, rtol=1e-4)
    long = Network(model).slopes((read("good " * 60),), 0, None, 1, None)
    assert len(long) == 60 and (long[:30] > 0).all()
    assert long[30] == 0 and np.isnan(long[31:]).all()  # of the first that is cut off a part might be read
    gains = Network(model).slopes((read("good " * 60),), 0, [("bad", "fine")] * 60, 1, None)
    assert gains[:60].all() and not gains[60:62].any() and np.isnan(gains[62:]).all()


@pytest.mark.parametrize("order", ["size", "gain"])
def test_words_that_are_not_read_are_left_alone_and_texts_that_are_read_whole_fare_as_if_none_were(
    model: TextModel, texts: Rows, order: str
) -> None:
    victim = open_victim(model)
    slopes = victim.slopes
    trying_all = replace(victim, slopes=lambda *asked: np.nan_to_num(slopes(*asked)))
    whole, every = (attacked(A2T(order=order), one, *texts, parts=all_parts()) for one in (victim, trying_all))
    assert [essence(record) for record in whole] == [essence(record) for record in every]
    assert {"fooled", "held"} <= {record.outcome for record in whole}
    longer = [(text + " the film" * 40,) for (text,) in texts[0]], texts[1]
    cut, every = (attacked(A2T(order=order), one, *longer, parts=all_parts()) for one in (victim, trying_all))
    assert [(one.outcome, one.changes) for one in cut] == [(one.outcome, one.changes) for one in every]
    held = [place for place, record in enumerate(cut) if record.outcome == "held"]
    assert held and all(cut[place].asked < every[place].asked for place in held)


def test_who_has_no_gradient_is_told_so() -> None:
    with pytest.raises(BadInput, match="choose another attack"):
        attacked(A2T(), constant, ["good film"], [1])


def test_a_text_without_candidates_is_no_text_that_held(model: TextModel) -> None:
    outcomes = {attacked(A2T(), model, [("xyz",)], [label], parts=all_parts())[0].outcome for label in (0, 1)}
    assert outcomes == {"no candidates", "already wrong"}
