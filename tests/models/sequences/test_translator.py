"""Translators behind the call every method makes."""

from dataclasses import replace

import pytest
import torch

from sequences import VOCABULARY, language_model, translation_batch, translator
from unfooled.errors import BadInput
from unfooled.models.sequences.translator import Translator


@pytest.mark.parametrize("shared", [True, False])
def test_a_perturbation_of_zero_is_the_plain_pass(shared):
    model, batch = translator(shared=shared), translation_batch()
    tokens = batch.tokens
    plain = model.network(tokens.ids, tokens.mask.long(), decoder_input_ids=tokens.decoder).logits
    assert torch.equal(model(tokens).logits, plain)
    assert torch.equal(model(tokens, torch.zeros(*tokens.ids.shape, model.width)).logits, plain)


def test_a_perturbation_moves_the_source_alone_before_its_scale():
    model, batch = translator(), translation_batch()
    tokens, network = batch.tokens, model.network
    delta = torch.randn(*tokens.ids.shape, model.width, generator=torch.Generator().manual_seed(0))
    # By hand: Marian scales what it looks up, and not what it is given.
    vectors = (network.model.shared.weight[tokens.ids] + delta) * model.width**0.5
    encoded = network.get_encoder()(inputs_embeds=vectors, attention_mask=tokens.mask.long())
    expected = network(
        encoder_outputs=encoded, attention_mask=tokens.mask.long(), decoder_input_ids=tokens.decoder
    ).logits
    found = model(tokens, delta)
    torch.testing.assert_close(found.logits, expected)
    torch.testing.assert_close(found.states, encoded.last_hidden_state)


def test_states_are_the_encoders_and_features_what_the_softmax_reads():
    model, batch = translator(), translation_batch()
    output = model(batch.tokens)
    assert output.states.shape == (*batch.tokens.ids.shape, model.feature_width)
    assert output.logits.shape == (*batch.label.shape, VOCABULARY)
    torch.testing.assert_close(output.logits, output.features @ model.network.lm_head.weight.T)


def test_padding_changes_nothing():
    model, batch = translator(), translation_batch()
    tokens = batch.tokens
    row = 2  # three source tokens of six
    alone = type(tokens)(
        tokens.ids[row : row + 1, :3], tokens.mask[row : row + 1, :3], decoder=tokens.decoder[row : row + 1]
    )
    torch.testing.assert_close(model(alone).logits[0], model(tokens).logits[row], rtol=1e-4, atol=1e-5)


def test_what_is_no_translator_is_refused():
    with pytest.raises(BadInput, match="has no encoder and decoder"):
        Translator(language_model(kind="gpt2").network)
    with pytest.raises(ValueError, match="what its decoder reads"):
        translator()(replace(translation_batch().tokens, decoder=None))
