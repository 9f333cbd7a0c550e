"""One moved word of a language model or a translator, against the network asked by hand."""

import numpy as np
import pytest
import torch

from sequences import language_batch, language_model, writing_language_model, writing_translator
from unfooled.data.vocabulary import allowed_tokens
from unfooled.errors import BadInput
from unfooled.models.sequences.surprise import token_losses
from unfooled.models.sequences.translate import BeamSearch, translate
from unfooled.trials.inside.word_moves import continued, place_of, source_gradient, translated_both, word_mover
from unfooled.types import Tokens

MODEL = writing_language_model(8, width=0.4)
ALLOWED = allowed_tokens(MODEL.tokenizer)
TRANSLATOR = writing_translator(24, 0.3)
SOURCE = "the old man saw the bird today"


def test_a_mover_moves_one_complete_word_uphill() -> None:
    model, batch = language_model(), language_batch()
    delta = word_mover(model, 0.5)(batch)
    sizes = delta.norm(dim=2)
    assert ((sizes > 0).sum(dim=1) == batch.targets["words"].any(dim=1)).all()
    assert (sizes[sizes > 0] - 0.5).abs().max() < 1e-5 and batch.targets["words"][sizes > 0].all()
    small = word_mover(model, 1e-3)(batch)
    losses = [token_losses(model(batch.tokens, moved), batch.label).sum() for moved in (None, small)]
    assert losses[1] > losses[0]


def test_the_last_complete_word_before_the_end_is_perturbed_and_the_model_goes_on() -> None:
    facts = continued(MODEL, "the old man saw 1 x", lambda ids: ALLOWED[ids], radius=50.0, count=3)
    assert facts is not None
    text, word, clean, perturbed, losses = facts
    assert word == "saw" and text == "the old man saw"
    ids = MODEL.tokenizer("the old man saw", add_special_tokens=False)["input_ids"]
    network = MODEL.model.network.train(False)
    written: list[int] = []
    with torch.no_grad():
        for _ in range(3):
            step = int(network(torch.tensor([ids + written])).logits[0, -1].argmax())
            if step == MODEL.ending and written:
                break
            written.append(step)
        assert clean == MODEL.tokenizer.decode(written)
        assert perturbed != clean  # so far out it must show
        after = MODEL.tokenizer(perturbed, add_special_tokens=False)["input_ids"]
        logs = network(torch.tensor([ids + after])).logits.log_softmax(-1)[0]
    expected = [-float(logs[len(ids) - 1 + place, word]) for place, word in enumerate(after)]
    assert losses == pytest.approx(expected, rel=1e-4)


def test_a_text_longer_than_the_model_is_read_from_where_it_fits() -> None:
    facts = continued(MODEL, "the old man saw the dog today well fast home bird", lambda ids: ALLOWED[ids], 1.0, 3)
    assert facts is not None and len(facts[0].split()) == 5 and facts[1] == "home"


def test_a_text_without_a_complete_word_has_no_continuation_and_an_unknown_one_is_refused() -> None:
    none = np.zeros(99, dtype=bool)
    assert continued(MODEL, "x 1 x", lambda ids: none[ids], 1.0) is None
    with pytest.raises(BadInput, match="every word of 'qqq zzz' is unknown"):
        continued(MODEL, "qqq zzz", lambda ids: none[ids], 1.0)


def test_the_gradient_is_that_of_the_references_loss() -> None:
    ids = torch.tensor([TRANSLATOR.tokenizer("the dog ran")["input_ids"]])
    tokens = Tokens(ids, torch.ones_like(ids, dtype=torch.bool))
    gradient = source_gradient(TRANSLATOR, tokens, "dog the")
    asked = torch.tensor([TRANSLATOR.target("dog the")["input_ids"]])
    network = TRANSLATOR.model.network.train(False)

    def loss(moved: torch.Tensor) -> torch.Tensor:
        vectors = (network.get_input_embeddings()(ids) + moved) * 4.0  # Marian's √16
        encoded = network.get_encoder()(inputs_embeds=vectors)
        return network(encoder_outputs=encoded, labels=asked).loss * asked.numel()

    delta = torch.zeros(*ids.shape, 16, requires_grad=True)
    torch.testing.assert_close(gradient, torch.autograd.grad(loss(delta), delta)[0], rtol=1e-3, atol=1e-4)


def test_translations_stand_side_by_side() -> None:
    clean, perturbed = translated_both(TRANSLATOR, SOURCE, "bird", "man", 30.0, 1)
    assert clean == translate(TRANSLATOR, [SOURCE], BeamSearch(beams=1))[0] != perturbed
    assert translated_both(TRANSLATOR, SOURCE, "bird", "man", 0.0, 1) == [clean, clean]
    assert place_of(TRANSLATOR, "the dog", "the") == 0
    for word in ("zebra", ""):
        with pytest.raises(BadInput, match=f"no word {word!r}"):
            translated_both(TRANSLATOR, SOURCE, "bird", word, 1.0, 4)
