"""A decoder knows a text at its last real token, whichever side is padded, here and in plain transformers."""

from pathlib import Path

import pytest
import torch
from decoders import KINDS, save_decoder
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from unfooled.errors import BadInput
from unfooled.models.encoders.decoders import prepared_to_pad
from unfooled.models.encoders.pretrained import ModelSettings, TextModel, build, load, save
from unfooled.tokens import encode
from unfooled.types import Tokens

LABELS = ["negative", "positive"]
TEXTS = ["the film was good", "a very dull plot and a cold story", "quite lovely"]
ALL = pytest.mark.parametrize("kind", KINDS)


def built(folder: Path, kind: str) -> TextModel:
    return build(ModelSettings(name=str(save_decoder(folder, kind)), max_length=32), LABELS, seed=0)


def padded_left(tokens: Tokens, by: int = 3) -> Tokens:
    """The same texts with their padding, and more of it, in front."""
    width = tokens.ids.shape[1] + by
    ids, mask = torch.full((len(tokens.ids), width), 0), torch.zeros(len(tokens.ids), width, dtype=torch.bool)
    for row, (own, real) in enumerate(zip(tokens.ids, tokens.mask, strict=True)):
        ids[row, width - int(real.sum()) :], mask[row, width - int(real.sum()) :] = own[real], True
    return Tokens(ids, mask)


@ALL
def test_padding_on_either_side_and_being_alone_change_nothing(kind: str, tmp_path: Path) -> None:
    model = built(tmp_path, kind)
    tokens = encode(model.tokenizer, [(text,) for text in TEXTS], 32).pad(range(3))
    model.classifier.train(False)
    with torch.no_grad():
        right, left = model.classifier(tokens, states=True), model.classifier(padded_left(tokens))
        alone = [model.classifier(encode(model.tokenizer, [(text,)], 32).pad([0])).logits[0] for text in TEXTS]
    assert right.logits.shape == (3, 2) and right.features.shape == (3, 16) and right.vector.shape == (3, 16)
    assert torch.allclose(right.logits, left.logits, atol=1e-5) and torch.allclose(
        right.features, left.features, atol=1e-5
    )
    assert torch.allclose(right.logits, torch.stack(alone), atol=1e-5)
    assert (right.logits - right.logits[0]).abs().max() > 1e-3  # texts are told apart
    last = [right.states[row, int(mask.sum()) - 1] for row, mask in enumerate(tokens.mask)]
    assert torch.allclose(right.features, torch.stack(last))


@ALL
def test_plain_transformers_opens_it_and_answers_the_same(kind: str, tmp_path: Path) -> None:
    model = built(tmp_path / "decoder", kind)
    save(model, tmp_path / "saved", "")
    plain = AutoModelForSequenceClassification.from_pretrained(tmp_path / "saved").train(False)
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "saved", padding_side="right")
    given = tokenizer(TEXTS, padding=True, return_tensors="pt")
    again = load(str(tmp_path / "saved"))
    tokens = encode(again.tokenizer, [(text,) for text in TEXTS], 32).pad(range(3))
    with torch.no_grad():
        theirs = plain(input_ids=given["input_ids"], attention_mask=given["attention_mask"]).logits
        assert torch.allclose(again.classifier(tokens).logits, theirs, atol=1e-6)
    assert again.fingerprint() == model.fingerprint() and again.labels == tuple(LABELS)


def test_a_real_token_with_the_number_of_padding_is_still_the_last(tmp_path: Path) -> None:
    model = built(tmp_path, "llama")
    assert model.tokenizer.pad_token == "<unk>" and "has no token that pads; <unk> does" in model.notes[0]
    model.classifier.train(False)
    tokens = encode(model.tokenizer, [("the film was strange",)], 32).pad([0])  # whose last word is unknown
    assert int(tokens.ids[0, -1]) == model.tokenizer.pad_token_id
    with torch.no_grad():
        output = model.classifier(tokens, states=True)
    assert torch.allclose(output.features[0], output.states[0, -1])


def test_the_perturbation_enters_at_the_lookup(tmp_path: Path) -> None:
    model = built(tmp_path, "gpt2")
    tokens = encode(model.tokenizer, [(text,) for text in TEXTS], 32).pad(range(3))
    delta = torch.zeros(*tokens.ids.shape, model.classifier.width, requires_grad=True)
    model.classifier(tokens, delta).logits[:, 0].sum().backward()
    assert bool((delta.grad[tokens.mask].abs().sum(dim=-1) > 0).all())
    assert float(delta.grad[~tokens.mask].abs().max()) == 0.0  # what stands behind the last token is not read


def test_a_tokenizer_that_cannot_pad_is_refused(tmp_path: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(save_decoder(tmp_path))
    config = built(tmp_path / "other", "llama").classifier.network.config
    tokenizer.pad_token = "<s>"
    with pytest.raises(BadInput, match="mine ends texts with what it pads with"):
        prepared_to_pad(config, tokenizer, "mine")
    bare = AutoTokenizer.from_pretrained(tmp_path)
    bare.unk_token = bare.eos_token = None
    with pytest.raises(BadInput, match="mine has no token that could pad"):
        prepared_to_pad(config, bare, "mine")
