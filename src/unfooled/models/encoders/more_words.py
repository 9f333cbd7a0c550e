"""Words that a network reads whole: a tokenizer and a table with more of them, both of which plain transformers opens.

WordPiece looks every word up before it cuts it, so that a word that is added is read whole and nothing else is read
otherwise, but for longer words that begin with it; WordLevel does nothing but look words up. Other kinds of tokenizers
make words by merges or by likelihood, among which a word cannot be put by itself.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from string import ascii_letters
from tempfile import TemporaryDirectory
from typing import Any

import torch
from torch import Tensor

from unfooled.errors import BadInput
from unfooled.models.encoders.classifier import Classifier
from unfooled.models.encoders.lora import unwrapped
from unfooled.models.encoders.pretrained import TextModel
from unfooled.models.opening import CAREFUL, quiet
from unfooled.models.refused import TOKENIZER
from unfooled.parsing import object_in

WORDS = "unfooled_words"  # of a configuration: how many were added, by a method that adds words


def takes_words(model: TextModel) -> bool:
    """Whether words can be added: to a tokenizer that looks them up, of a network without an adapter.

    WordPiece must be able to go on with every letter behind a word, or longer words would become unknown.
    """
    cutting: Any = getattr(getattr(model.tokenizer, "backend_tokenizer", None), "model", None)
    kind, vocabulary = type(cutting).__name__, model.tokenizer.get_vocab()
    if kind == "WordPiece":
        letters = [letter for letter in ascii_letters if letter in vocabulary]
        looks_up = all(f"{cutting.continuing_subword_prefix}{letter}" in vocabulary for letter in letters)
    else:
        looks_up = kind == "WordLevel"
    return looks_up and unwrapped(model.classifier.network) is model.classifier.network


def with_words(model: TextModel, vectors: Mapping[str, Tensor]) -> TextModel:
    """The model with these vectors of words: those it reads whole get them anew, the others become whole.

    The network is changed in place; the tokenizer is another one.
    """
    vocabulary = model.tokenizer.get_vocab()
    added = [word for word in vectors if word not in vocabulary]
    first = max(vocabulary.values(), default=-1) + 1
    places = {word: first + number for number, word in enumerate(added)}
    tokenizer = with_pieces(model.tokenizer, places) if added else model.tokenizer
    network = model.classifier.network
    if first + len(added) > len(model.classifier.table):
        with quiet(), torch.random.fork_rng(devices=[]):  # what is drawn later is what was drawn before
            network.resize_token_embeddings(first + len(added), mean_resizing=False)
    classifier = Classifier(network)  # which holds on to the table that it found
    if vectors:
        rows = [places[word] if word in places else vocabulary[word] for word in vectors]
        classifier.table[rows] = torch.stack(list(vectors.values())).to(classifier.table)
    network.config.update({WORDS: len(added)})
    return replace(model, classifier=classifier, tokenizer=tokenizer)


def with_pieces(tokenizer: Any, places: Mapping[str, int]) -> Any:
    """The tokenizer with these words at these places of its vocabulary, of the same class; all others stay in place.

    Tokens that somebody added to it are written into the vocabulary: they would be counted anew otherwise.
    """
    before = tokenizer.get_vocab()
    with TemporaryDirectory() as folder, quiet():
        tokenizer.save_pretrained(folder)
        path = Path(folder) / TOKENIZER
        made = object_in(path, "save the tokenizer anew")
        made["model"]["vocab"] = {**before, **places}
        path.write_text(json.dumps(made, ensure_ascii=False), encoding="utf-8")
        wider = type(tokenizer).from_pretrained(folder, **CAREFUL)
    if wider.get_vocab() != {**before, **places}:
        raise BadInput("words cannot be added to this tokenizer; set method.whole_words to false")
    wider.name_or_path = tokenizer.name_or_path
    return wider
