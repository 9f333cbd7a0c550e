"""Translations: in order whatever the batch, and refused where a text is too long."""

import pytest
import torch

from sequences import writing_translator
from unfooled.errors import BadInput
from unfooled.models.sequences.translate import BeamSearch, batches, streamed, translate

TEXTS = ["the dog ran", "a cat", "the old man saw the bird today", "well"]


@pytest.fixture(scope="module")
def model():
    return writing_translator(24, 0.3)


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
        assert translate(model, TEXTS, BeamSearch(beams=1, batch_size=size)) == expected


def test_a_stream_is_translated_line_by_line_and_empty_lines_stay(model):
    how = BeamSearch(beams=1, batch_size=2)
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
    assert len(translate(model, TEXTS, BeamSearch(beams=3))) == 4


def test_a_text_longer_than_the_model_is_refused(model):
    with pytest.raises(BadInput, match="more than the 24 that the model takes; split it"):
        translate(model, ["the dog " * 40])


def test_batches_that_are_done_are_left_out_and_the_rest_is_cut_as_before(model):
    search = BeamSearch(beams=1, batch_size=2)
    whole = list(batches(model, TEXTS, search))
    lengths = [[len(model.tokenizer(TEXTS[row])["input_ids"]) for row in rows] for rows, _ in whole]
    assert sorted(row for rows, _ in whole for row in rows) == [0, 1, 2, 3] and min(lengths[0]) >= max(lengths[1])
    first = whole[0][0]
    assert list(batches(model, TEXTS, search, done=first)) == whole[1:]
    assert list(batches(model, TEXTS, search, done=first[:1])) == whole  # done in part, it comes whole
    assert list(batches(model, TEXTS, search, done=range(4))) == []
