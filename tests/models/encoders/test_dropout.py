import pytest
from transformers import BertConfig, GPT2Config

from unfooled.errors import BadInput
from unfooled.models.encoders.dropout import set_classifier_dropout, set_dropout


def test_every_rate_a_configuration_knows_is_set() -> None:
    config = BertConfig()
    set_dropout(config, 0.3)
    assert (config.hidden_dropout_prob, config.attention_probs_dropout_prob) == (0.3, 0.3)
    decoder = GPT2Config()
    set_dropout(decoder, 0.25)
    set_dropout(decoder, None)
    assert (decoder.resid_pdrop, decoder.attn_pdrop, decoder.embd_pdrop) == (0.25, 0.25, 0.25)


def test_the_last_layers_own_rate_goes_by_its_own_name_or_is_refused() -> None:
    config = BertConfig()
    set_classifier_dropout(config, 0.4, "mine")
    set_classifier_dropout(config, None, "mine")
    assert config.classifier_dropout == 0.4
    with pytest.raises(BadInput, match="mine knows no dropout for its last layer alone"):
        set_classifier_dropout(GPT2Config(), 0.4, "mine")
