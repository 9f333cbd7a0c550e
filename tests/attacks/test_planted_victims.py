"""Victims whose every outcome is known before any search begins; they are networks, so that gradients exist too."""

from collections.abc import Callable, Mapping, Sequence

import pytest
import torch
from toys import attacked
from transformers import BertTokenizerFast

from unfooled.attacks import ATTACKS, Limits, Parts
from unfooled.models import TextModel
from unfooled.trials.words.attack_numbers import scores
from victims import WORDS, linear

# No list leads to "good" or to a word of TEXTS: nothing becomes what it was.
NEAR = {"good": ("very", "quick"), "film": ("slow",), "story": ("bright", "slow"), "actor": ("quick",)}
TEXTS = ["the good film", "a good story", "good actor", "the film", "a story", "the actor not a film", "the a", "good"]
HAS_GOOD = [int("good" in text.split()) for text in TEXTS]


def planted(tokenizer: BertTokenizerFast, weights: Mapping[str, float], others: float, bias: float) -> TextModel:
    """The network that says yes where the weights of a text's words and the bias add up to more than 0."""
    model = linear(tokenizer)
    network = model.classifier.network
    with torch.no_grad():
        network.table.weight.zero_()
        network.table.weight[5:, 0] = others
        network.table.weight[tokenizer.unk_token_id, 0] = others
        for word, weight in weights.items():
            network.table.weight[tokenizer.convert_tokens_to_ids(word), 0] = weight
        network.last.weight.copy_(torch.tensor([[-0.5, *[0.0] * 5], [0.5, *[0.0] * 5]]))
        network.last.bias.copy_(torch.tensor([-bias / 2, bias / 2]))
    return model


def parts() -> Parts:
    return Parts(
        lambda document: [NEAR.get(word.lower(), ()) for word in document.words],
        lambda reference, texts: [0.99] * len(texts),
        lambda words: ["NN"] * len(words),
    )


def usable(name: str, text: str) -> bool:
    """Whether the attack has anything to try on a text: a list, or, by wrong letters, a word of three at least."""
    words = text.split()
    return any(len(word) > 2 for word in words) if name == "deepwordbug" else any(word in NEAR for word in words)


def said_yes(texts: Sequence[str], name: str) -> list[str]:
    """Every text is answered yes until one of its words changes."""
    return ["fooled" if usable(name, text) else "no candidates" for text in texts]


def said_nothing(texts: Sequence[str], name: str) -> list[str]:
    """Nothing ever changes the answer."""
    return ["held" if usable(name, text) else "no candidates" for text in texts]


def said_good(texts: Sequence[str], name: str) -> list[str]:
    """Yes where "good" is: it can be taken away and never put there."""
    return [
        "fooled" if "good" in text.split() else own for text, own in zip(texts, said_nothing(texts, name), strict=True)
    ]


KNOWN = {word: 1.0 for text in TEXTS for word in text.split()}
# victim → (weights of words, of all others, bias, right answers, what becomes of every text)
VICTIMS: dict[str, tuple[Mapping[str, float], float, float, list[int], Callable[..., list[str]]]] = {
    "keyword": ({"good": 4.0}, 0.0, -2.0, HAS_GOOD, said_good),
    "constant": ({}, 0.0, 3.0, [1] * len(TEXTS), said_nothing),
    "hypersensitive": (KNOWN, -50.0, 0.0, [1] * len(TEXTS), said_yes),
}


@pytest.mark.parametrize("name", ATTACKS)
@pytest.mark.parametrize("victim", VICTIMS)
def test_every_attack_reports_the_number_that_is_known(
    victim: str, name: str, tokenizer: BertTokenizerFast, record_property: Callable[[str, object], None]
) -> None:
    weights, others, bias, labels, becomes = VICTIMS[victim]
    model = planted(tokenizer, weights, others, bias)
    assert set(NEAR) | {word for words in NEAR.values() for word in words} <= set(WORDS)
    records = attacked(ATTACKS[name](), model, TEXTS, labels, parts=parts(), limits=Limits(in_flight=4, batch_size=8))
    outcomes = becomes(TEXTS, name)
    assert [record.outcome for record in records] == outcomes
    rows = {row.metric: row.score for row in scores(records)}
    share = outcomes.count("fooled") / len(outcomes)
    assert rows["attack_success"].value == pytest.approx(share) and rows["attack_success"].n == len(outcomes)
    assert rows["clean_accuracy"].value == 1.0
    assert rows["accuracy_under_attack"].value == pytest.approx(1 - share)
    record_property("outcomes known beforehand", len(outcomes))
