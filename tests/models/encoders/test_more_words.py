"""Words that are added to a network: read whole, all else as before, and opened by plain transformers."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from exchange_ground import NAMES, tiny_model
from support_text import byte_tokenizer, piece_tokenizer
from tiny import reviews
from tokenizers import Tokenizer, models
from transformers import AutoModelForSequenceClassification, AutoTokenizer, PreTrainedTokenizerFast

from unfooled.models import ModelSettings, build
from unfooled.models.encoders.lora import Lora
from unfooled.models.encoders.more_words import takes_words, with_pieces, with_words
from unfooled.models.encoders.pretrained import TextModel, load, save

TEXTS = [text for text, _ in reviews(8)]


def logits(model: TextModel, texts: list[str]) -> torch.Tensor:
    model.classifier.eval()
    inputs = model.tokenizer(texts, padding=True, return_tensors="pt")
    with torch.no_grad():
        return model.classifier.network(**inputs).logits


def test_added_words_are_read_whole_and_all_else_as_before(tmp_path: Path) -> None:
    before = logits(tiny_model(tmp_path), TEXTS)
    model = tiny_model(tmp_path)
    words = {"zestful": torch.full((16,), 0.5), "good": torch.full((16,), 0.25)}
    vocabulary = model.tokenizer.get_vocab()
    wider = with_words(model, words)
    assert wider.tokenizer.get_vocab() == {**vocabulary, "zestful": len(vocabulary)}
    assert wider.classifier.table.shape[0] == len(wider.tokenizer) == wider.classifier.network.config.vocab_size
    for word, vector in words.items():
        assert torch.equal(wider.classifier.table[wider.tokenizer.get_vocab()[word]], vector)
    untouched = [place for place, text in enumerate(TEXTS) if "good" not in text.split()]
    assert torch.equal(logits(wider, TEXTS)[untouched], before[untouched])
    assert wider.tokenizer.tokenize("a Zestful plot")[1] == "zestful"


def test_plain_transformers_opens_what_was_saved(tmp_path: Path) -> None:
    model = with_words(tiny_model(tmp_path), {"zestful": torch.ones(16)})
    save(model, tmp_path / "saved", "")
    texts = [*TEXTS, "a zestful plot"]
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "saved")
    network = AutoModelForSequenceClassification.from_pretrained(tmp_path / "saved").eval()
    with torch.no_grad():
        theirs = network(**tokenizer(texts, padding=True, return_tensors="pt")).logits
    assert torch.equal(theirs, logits(model, texts))
    assert torch.equal(logits(load(str(tmp_path / "saved")), texts), theirs)


def test_a_word_of_pieces_becomes_one_and_longer_words_keep_their_own() -> None:
    tokenizer = piece_tokenizer()
    words = ["playful", "unwatchable", "good"]
    before = [tokenizer.tokenize(word) for word in words]
    wider = with_pieces(tokenizer, {"unwatchable": len(tokenizer)})
    assert type(wider) is type(tokenizer) and len(wider) == len(tokenizer) + 1
    assert [wider.tokenize(word) for word in words] == [before[0], ["unwatchable"], before[2]]
    first, last = wider("an unwatchable").encodings[0].offsets[-2]
    assert "an unwatchable"[first:last] == "unwatchable"


def test_tokens_that_somebody_added_stay_where_they_are(tmp_path: Path) -> None:
    model = tiny_model(tmp_path)
    model.tokenizer.add_tokens(["covid"])
    model.tokenizer.add_special_tokens({"additional_special_tokens": ["[E1]"]})
    model.classifier.network.resize_token_embeddings(len(model.tokenizer), mean_resizing=False)
    before = model.tokenizer.get_vocab()
    wider = with_words(model, {"zestful": torch.ones(16), "rosy": torch.zeros(16)})
    assert wider.tokenizer.get_vocab() == {**before, "zestful": len(before), "rosy": len(before) + 1}
    sentence = "[E1] a zestful covid film"
    assert wider.tokenizer.tokenize(sentence) == ["[E1]", "a", "zestful", "covid", "film"]
    save(wider, tmp_path / "saved", "")
    assert AutoTokenizer.from_pretrained(tmp_path / "saved")(sentence) == wider.tokenizer(sentence)


def test_pieces_that_cannot_go_on_with_every_letter_stay(tmp_path: Path) -> None:
    tokenizer = piece_tokenizer()
    model = replace(tiny_model(tmp_path), tokenizer=tokenizer)
    assert takes_words(model)
    pieces = {piece: number for number, piece in enumerate(word for word in tokenizer.get_vocab() if word != "##q")}
    fewer = Tokenizer(models.WordPiece(pieces, unk_token="[UNK]"))
    assert not takes_words(replace(model, tokenizer=PreTrainedTokenizerFast(tokenizer_object=fewer)))


def test_what_is_drawn_later_is_what_was_drawn_before(tmp_path: Path) -> None:
    model = tiny_model(tmp_path)
    state = torch.random.get_rng_state()
    with_words(model, {"zestful": torch.ones(16)})
    assert torch.equal(torch.random.get_rng_state(), state)


def test_only_where_words_are_looked_up_and_nothing_is_frozen(tmp_path: Path) -> None:
    model = tiny_model(tmp_path)
    assert takes_words(model)
    assert not takes_words(replace(model, tokenizer=byte_tokenizer()))
    adapted = build(ModelSettings(name=str(tmp_path / "encoder"), lora=Lora()), NAMES, seed=0)
    assert not takes_words(adapted)


@pytest.mark.parametrize("words", [{}, {"good": torch.zeros(16)}])
def test_without_a_new_word_the_tokenizer_is_the_same(tmp_path: Path, words: dict[str, torch.Tensor]) -> None:
    model = tiny_model(tmp_path)
    assert with_words(model, words).tokenizer is model.tokenizer
