"""Language models and translators: made, saved, and opened again by us and by plain transformers."""

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM, AutoTokenizer

from sequences import sentences
from unfooled.data.vocabulary import byte_pairs, word_vocabulary
from unfooled.errors import BadInput
from unfooled.models.encoders.pretrained import ModelSettings
from unfooled.models.sequences.sequence_model import (
    load_language_model,
    load_translator,
    new_language_model,
    new_translator,
    save_sequences,
)
from unfooled.types import Tokens

SIZES = {"layers": 1, "width": 16, "heads": 2, "inner_width": 20, "head_width": 6}


def settings(name="tensorized", **other):
    return ModelSettings(name=name, max_length=8, dropout=0.0, sizes={**SIZES, **other})


def whole(ids):
    return Tokens(ids, torch.ones_like(ids, dtype=torch.bool))


@pytest.mark.parametrize("name", ["tensorized", "transformer"])
def test_a_saved_language_model_says_the_same_here_and_in_plain_transformers(name, tmp_path):
    model = new_language_model(settings(name), word_vocabulary(sentences(20)), seed=0)
    save_sequences(model, tmp_path / "model", "a card")
    again = load_language_model(str(tmp_path / "model"))
    ids = torch.tensor([model.tokenizer("the old dog")["input_ids"]])
    expected = model.model.train(False)(whole(ids)).logits
    assert torch.equal(again.model(whole(ids)).logits, expected)
    assert again.max_length == 8 and again.ending == model.ending == 0
    assert again.fingerprint() == model.fingerprint()
    plain = AutoModelForCausalLM.from_pretrained(tmp_path / "model")
    assert torch.equal(plain(input_ids=ids).logits, expected)
    assert AutoTokenizer.from_pretrained(tmp_path / "model")("the old dog")["input_ids"] == ids[0].tolist()
    assert (tmp_path / "model" / "README.md").read_text() == "a card"


@pytest.mark.parametrize("shared", [True, False])
def test_a_saved_translator_says_the_same_here_and_in_plain_transformers(shared, tmp_path):
    source = byte_pairs(sentences(40), 290)
    target = source if shared else byte_pairs([line[::-1] for line in sentences(40)], 300)
    model = new_translator(settings("transformer"), source, target, seed=0)
    save_sequences(model, tmp_path / "model", "")
    again = load_translator(str(tmp_path / "model"))
    ids = torch.tensor([source("the dog")["input_ids"]])
    asked = torch.tensor([target("god")["input_ids"]])
    tokens = Tokens(ids, torch.ones_like(ids, dtype=torch.bool), decoder=asked)
    expected = model.model.train(False)(tokens).logits
    assert expected.shape[2] == len(target)
    assert torch.equal(again.model(tokens).logits, expected)
    assert again.target.get_vocab() == target.get_vocab() and again.tokenizer.get_vocab() == source.get_vocab()
    plain = AutoModelForSeq2SeqLM.from_pretrained(tmp_path / "model")
    assert torch.equal(plain(input_ids=ids, decoder_input_ids=asked).logits, expected)
    written = plain.generate(input_ids=ids, max_new_tokens=4)
    assert written[0, 0] == target.pad_token_id


def test_the_seed_decides_the_weights():
    vocabulary = word_vocabulary(sentences(20))
    marks = [new_language_model(settings(), vocabulary, seed).fingerprint() for seed in (0, 0, 1)]
    assert marks[0] == marks[1] != marks[2]


def test_the_translator_is_the_one_of_the_paper_unless_told():
    vocabulary = byte_pairs(sentences(20), 270)
    config = new_translator(ModelSettings(name="transformer"), vocabulary, vocabulary, 0).model.network.config
    found = (config.encoder_layers, config.decoder_layers, config.d_model, config.encoder_ffn_dim)
    assert found == (3, 3, 512, 2048)
    assert (config.encoder_attention_heads, config.dropout, config.activation_function) == (8, 0.1, "relu")


def test_what_cannot_be_made_or_opened_is_said(tmp_path):
    vocabulary = word_vocabulary(sentences(20))
    with pytest.raises(BadInput, match="width of 16 cannot be shared out over 3 heads"):
        new_language_model(settings("transformer", heads=3), vocabulary, 0)
    save_sequences(new_language_model(settings(), vocabulary, 0), tmp_path / "lm", "")
    with pytest.raises(BadInput):
        load_translator(str(tmp_path / "lm"))
    with pytest.raises(BadInput, match="no model folder"):
        load_language_model("./nowhere")


def test_a_line_is_closed_by_the_tokenizer_or_from_outside():
    closed, open_ = (word_vocabulary(sentences(20), closing=closing) for closing in (True, False))
    assert new_language_model(settings(), closed, 0).closing is None
    assert new_language_model(settings(), open_, 0).closing == open_.eos_token_id
