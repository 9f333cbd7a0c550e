"""Texts of 100,000 characters: every attack comes to an outcome, and soon."""

import time
from copy import deepcopy

import pytest
import torch
from toys import attacked
from trained import all_parts, sentences, trained, two

from unfooled.attacks import A2T, ATTACKS, AttackRecord, Limits
from unfooled.attacks.attack import Attack
from unfooled.models import TextModel, probabilities
from unfooled.models.encoders.classifier import last_linear

CEILING = 60.0  # seconds of the processor, where each takes two at most
QUERIES = 20
LONG = {
    "words": "the film was good and the plot was dull " * 2500,
    "letters": "a " * 50_000,
    "one word": "z" * 100_000,
}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> TextModel:
    return trained(tmp_path_factory.mktemp("two"), ("a", "b"), *two(*sentences(120, 0)))


@pytest.fixture(scope="module")
def stubborn(model: TextModel) -> TextModel:
    """A model with gradients that says the same whatever it is asked."""
    copy = deepcopy(model)
    with torch.no_grad():
        last_linear(copy.classifier.network).bias[1] += 100.0
    return copy


def soon(attack: Attack, model: TextModel, text: str, limits: Limits) -> AttackRecord:
    """The record of a text that the model is right about, made within the ceiling."""
    label = int(probabilities(model, [text])[0].argmax())
    began = time.process_time()
    [record] = attacked(attack, model, [text], [label], parts=all_parts(), limits=limits)
    assert time.process_time() - began < CEILING
    return record


@pytest.mark.parametrize("name", ATTACKS)
def test_every_attack_comes_to_an_outcome(name: str, model: TextModel, stubborn: TextModel) -> None:
    limits = Limits(queries=QUERIES)
    found = {kind: soon(ATTACKS[name](), stubborn, text, limits) for kind, text in LONG.items()}
    assert {record.outcome for record in found.values()} <= {"held", "budget", "no candidates"}
    assert found["one word"].outcome == "no candidates" and all(one.queries <= QUERIES for one in found.values())
    assert soon(ATTACKS[name](), model, LONG["words"], limits).outcome in ("fooled", "held", "budget")


@pytest.mark.parametrize("order", ["size", "gain"])
def test_a2t_asks_no_more_about_a_long_text_than_about_what_is_read_of_it(order: str, stubborn: TextModel) -> None:
    short = " ".join(LONG["words"].split()[:31])
    long, read = (soon(A2T(order=order), stubborn, text, Limits()) for text in (LONG["words"], short))
    assert long.outcome == read.outcome == "held" and long.asked == read.asked < 100
