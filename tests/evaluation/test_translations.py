"""Translations: in order whatever the batch, scored by sacrebleu, and side by side under a perturbed word."""

import pytest
import sacrebleu
import torch

from sequences import sentences
from unfooled.data.vocabulary import byte_pairs
from unfooled.errors import BadInput
from unfooled.evaluation.translations import (
    Search,
    place_of,
    quality,
    side_by_side,
    source_gradient,
    streamed,
    translate,
)
from unfooled.models.encoders.pretrained import ModelSettings
from unfooled.models.sequences.sequence_model import new_translator
from unfooled.types import Tokens

SIZES = {"layers": 1, "width": 16, "heads": 2, "inner_width": 20}
TEXTS = ["the dog ran", "a cat", "the old man saw the bird today", "well"]


@pytest.fixture(scope="module")
def model():
    vocabulary = byte_pairs(sentences(60), 310)
    settings = ModelSettings(name="transformer", max_length=24, dropout=0.3, sizes=SIZES)
    found = new_translator(settings, vocabulary, vocabulary, seed=0)
    random = torch.Generator().manual_seed(0)
    for parameter in found.model.parameters():
        if parameter.requires_grad:
            parameter.data = 0.25 * torch.randn(parameter.shape, generator=random)
    return found


def by_hand(model, text):
    """The likeliest next token, again and again, until the text ends."""
    network = model.model.network.train(False)
    ids = torch.tensor([model.tokenizer(text)["input_ids"]])
    written = [network.config.decoder_start_token_id]
    while len(written) < model.max_length and (len(written) == 1 or written[-1] != model.target.eos_token_id):
        logits = network(input_ids=ids, decoder_input_ids=torch.tensor([written])).logits
        written.append(int(logits[0, -1].argmax()))
    return model.target.decode(written, skip_special_tokens=True).strip()


def test_greedy_is_the_likeliest_token_each_time_in_any_batch(model):
    expected = [by_hand(model, text) for text in TEXTS]
    model.model.train()  # dropout must not matter
    for size in (1, 3, 64):
        assert translate(model, TEXTS, Search(beams=1, batch_size=size)) == expected


def test_a_stream_is_translated_line_by_line_and_empty_lines_stay(model):
    how = Search(beams=1, batch_size=2)
    lines = [TEXTS[0], "", TEXTS[1], TEXTS[2], "  "]
    expected = translate(model, TEXTS[:3], how)
    found = list(streamed(model, iter(lines), how))
    assert found == [expected[0], "", expected[1], expected[2], ""]
    taken = []

    def endless():
        while True:
            taken.append(1)
            yield TEXTS[0]

    assert next(streamed(model, endless(), how)) == expected[0] and len(taken) == 2


def test_more_beams_are_a_search_of_their_own(model):
    assert len(translate(model, TEXTS, Search(beams=3))) == 4


def test_a_text_longer_than_the_model_is_refused(model):
    with pytest.raises(BadInput, match="more than the 24 that the model takes; split it"):
        translate(model, ["the dog " * 40])


def test_scores_are_sacrebleus_with_their_signatures():
    written = ["the cat sat on the mat", "a dog ran home today", "x"]
    references = ["the cat sat on a mat", "a dog ran home", "y z"]
    scores, signatures = quality(written, references, "test")
    assert scores["test BLEU"].value == pytest.approx(sacrebleu.corpus_bleu(written, [references]).score)
    assert scores["test chrF"].value == pytest.approx(sacrebleu.corpus_chrf(written, [references]).score)
    assert "tok:13a" in signatures["BLEU"] and "case:mixed" in signatures["BLEU"]
    assert signatures["BLEU"] in scores["test BLEU"].definition and scores["test BLEU"].n == 3
    assert scores["test BLEU"].low < scores["test BLEU"].value < scores["test BLEU"].high


def test_the_gradient_is_that_of_the_references_loss(model):
    ids = torch.tensor([model.tokenizer(TEXTS[0])["input_ids"]])
    tokens = Tokens(ids, torch.ones_like(ids, dtype=torch.bool))
    gradient = source_gradient(model, tokens, "dog the")
    asked = torch.tensor([model.target("dog the")["input_ids"]])
    network = model.model.network.train(False)

    def loss(moved):
        vectors = (network.get_input_embeddings()(ids) + moved) * 4.0  # Marian's √16
        encoded = network.get_encoder()(inputs_embeds=vectors)
        return network(encoder_outputs=encoded, labels=asked).loss * asked.numel()

    delta = torch.zeros(*ids.shape, 16, requires_grad=True)
    torch.testing.assert_close(gradient, torch.autograd.grad(loss(delta), delta)[0], rtol=1e-3, atol=1e-4)


def test_translations_stand_side_by_side(model):
    found = side_by_side([model], TEXTS[2], "bird", "man", 30.0, Search(beams=1))
    assert found.clean[model.name] == translate(model, [TEXTS[2]], Search(beams=1))[0]
    assert found.perturbed[model.name] != found.clean[model.name]
    still = side_by_side([model], TEXTS[2], "bird", "man", 0.0, Search(beams=1))
    assert still.perturbed == still.clean
    assert place_of(model, "the dog", "the") == 0
    with pytest.raises(BadInput, match="no word 'zebra'"):
        side_by_side([model], TEXTS[2], "bird", "zebra", 1.0)
