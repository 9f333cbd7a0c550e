"""One perturbed word of a language model: neighbours, continuations, and the perplexity of both."""

import math

import numpy as np
import pytest
import torch

from sequences import language_batch, language_model, sentences
from unfooled.data.vocabulary import allowed_tokens, word_vocabulary
from unfooled.errors import BadInput
from unfooled.evaluation.language_trials import (
    Continuation,
    continuation,
    continued_perplexity,
    neighbours,
    word_mover,
)
from unfooled.evaluation.perplexity import token_losses
from unfooled.models.encoders.pretrained import ModelSettings
from unfooled.models.sequences.sequence_model import new_language_model

SIZES = {"layers": 1, "width": 16, "inner_width": 20, "head_width": 6}


@pytest.fixture
def model():
    settings = ModelSettings(name="tensorized", max_length=8, dropout=0.0, sizes=SIZES)
    found = new_language_model(settings, word_vocabulary(sentences(30)), seed=0)
    random = torch.Generator().manual_seed(0)
    for parameter in found.model.parameters():
        parameter.data = 0.4 * torch.randn(parameter.shape, generator=random)
    return found


def test_a_mover_moves_one_complete_word_uphill():
    model, batch = language_model(), language_batch()
    delta = word_mover(model, 0.5)(batch)
    sizes = delta.norm(dim=2)
    assert ((sizes > 0).sum(dim=1) == batch.targets["words"].any(dim=1)).all()
    assert (sizes[sizes > 0] - 0.5).abs().max() < 1e-5 and batch.targets["words"][sizes > 0].all()
    small = word_mover(model, 1e-3)(batch)
    losses = [token_losses(model(batch.tokens, moved), batch.label).sum() for moved in (None, small)]
    assert losses[1] > losses[0]


def test_neighbours_are_the_nearest_vectors(model):
    table = model.model.network.get_input_embeddings().weight.detach()
    names = model.tokenizer.convert_ids_to_tokens(range(len(model.tokenizer)))
    word = model.tokenizer.convert_tokens_to_ids("dog")
    distances = {
        name: math.sqrt(sum((a - b) ** 2 for a, b in zip(table[number].tolist(), table[word].tolist(), strict=True)))
        for number, name in enumerate(names)
        if number != word and name not in ("<eos>", "<unk>")
    }
    expected = sorted(distances, key=lambda name: distances[name])[:4]
    found = neighbours(model, ["dog"])["dog"]
    assert [near.word for near in found] == expected
    assert found[0].distance == pytest.approx(distances[expected[0]], rel=1e-4)


def test_a_word_the_model_does_not_know_has_no_neighbours(model):
    with pytest.raises(BadInput, match="'zebra' is no single token"):
        neighbours(model, ["zebra"])
    with pytest.raises(BadInput, match="'the dog' is no single token"):
        neighbours(model, ["the dog"])


def test_the_last_complete_word_before_the_end_is_perturbed_and_the_model_goes_on(model):
    allowed = allowed_tokens(model.tokenizer)
    found = continuation(model, "the old man saw 1 x", lambda ids: allowed[ids], radius=50.0, count=3)
    assert found is not None
    assert found.word == "saw" and found.text == "the old man saw"
    ids = model.tokenizer("the old man saw", add_special_tokens=False)["input_ids"]
    network = model.model.network.train(False).requires_grad_(False)
    written = []
    for _ in range(3):
        step = int(network(torch.tensor([ids + written])).logits[0, -1].argmax())
        if step == model.ending and written:
            break
        written.append(step)
    assert found.clean == model.tokenizer.decode(written)
    assert found.perturbed != found.clean  # so far out it must show
    after = model.tokenizer(found.perturbed, add_special_tokens=False)["input_ids"]
    logs = network(torch.tensor([ids + after])).logits.log_softmax(-1)[0]
    expected = [-float(logs[len(ids) - 1 + place, word]) for place, word in enumerate(after)]
    assert found.losses == pytest.approx(expected, rel=1e-4)


def test_a_text_longer_than_the_model_is_read_from_where_it_fits(model):
    allowed = allowed_tokens(model.tokenizer)
    found = continuation(model, "the old man saw the dog today well fast home bird", lambda ids: allowed[ids], 1.0, 3)
    assert found is not None and len(found.text.split()) == 5 and found.word == "home"


def test_a_text_without_a_complete_word_has_no_continuation_and_an_unknown_one_is_refused(model):
    none = np.zeros(99, dtype=bool)
    assert continuation(model, "x 1 x", lambda ids: none[ids], 1.0) is None
    with pytest.raises(BadInput, match="every word of 'qqq zzz' is unknown"):
        continuation(model, "qqq zzz", lambda ids: none[ids], 1.0)


def test_the_perplexity_of_continuations_is_over_all_their_words():
    some = [Continuation("", "", "", "", (1.0, 3.0)), Continuation("", "", "", "", (2.0,))]
    score = continued_perplexity(some)
    assert score.value == pytest.approx(math.exp(2.0)) and score.n == 3
    half = 1.96 * math.sqrt(2 * np.var([4.0, 2.0], ddof=1)) / 3
    assert score.high == pytest.approx(math.exp(2.0 + half))
    with pytest.raises(BadInput, match="no text has a complete word"):
        continued_perplexity([])
