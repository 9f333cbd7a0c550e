from pathlib import Path
from random import Random

import pytest

from unfooled.errors import BadInput
from unfooled.text.english import brill


@pytest.mark.parametrize(
    ("sentence", "tags"),
    [
        ("the film was good", "DT NN VBD JJ"),
        ("they want to film it", "PRP VBP TO VB PRP"),  # NN → VB after TO
        ("he would film it", "PRP MD VB PRP"),
        ("She quickly sold 3 houses", "PRP RB VBD CD NNS"),
    ],
)
def test_context_decides(sentence: str, tags: str):
    assert brill.brill_tags(sentence.split()) == tags.split()


@pytest.mark.parametrize(
    ("word", "tag"),
    [
        ("blorfing", "VBG"),
        ("blorfed", "VBN"),
        ("blorfly", "RB"),
        ("blorfs", "NNS"),
        ("blorf", "NN"),
        ("blorfable", "JJ"),
    ],
)
def test_unknown_words_are_told_by_their_ending(word: str, tag: str):
    assert brill.by_ending(word, "", "") == tag


def test_unknown_names_and_numbers():
    assert brill.brill_tags(["Blorfson", "sold", "1234567"]) == ["NNP", "VBD", "CD"]


@pytest.mark.parametrize(
    ("word", "tag", "open_to_it"),
    [
        ("film", "VB", False),  # 2 of 66 in WordNet's texts: only "to" or "would" before it makes it a verb
        ("shows", "VBZ", True),
        ("film", "VBG", False),  # the data's own rule "NN VBG NEXTTAG DT" would do this
        ("film", "NNS", False),
        ("of", "NN", False),
        ("full", "NN", False),
        ("that", "WDT", True),
        ("good", "RP", False),
        ("set", "VBD", True),
        ("make", "VBD", False),
    ],
)
def test_rules_give_a_word_only_tags_it_can_have(word: str, tag: str, open_to_it: bool):
    assert brill.may_be(word, tag) is open_to_it


W = ("STAART",) * 3 + ("a", "b", "c", "d", "e", "f", "g") + ("STAART",) * 3
T = [word.upper() for word in W]


@pytest.mark.parametrize(
    ("test", "yes", "no"),
    [
        ("PREVTAG", ["C"], ["D"]),
        ("NEXTTAG", ["E"], ["C"]),
        ("PREV2TAG", ["B"], ["C"]),
        ("NEXT2TAG", ["F"], ["E"]),
        ("PREV1OR2TAG", ["B"], ["A"]),
        ("NEXT1OR2TAG", ["F"], ["G"]),
        ("PREV1OR2OR3TAG", ["A"], ["D"]),
        ("NEXT1OR2OR3TAG", ["G"], ["D"]),
        ("SURROUNDTAG", ["C", "E"], ["C", "F"]),
        ("PREVBIGRAM", ["B", "C"], ["C", "B"]),
        ("NEXTBIGRAM", ["E", "F"], ["F", "E"]),
        ("CURWD", ["d"], ["c"]),
        ("PREVWD", ["c"], ["d"]),
        ("NEXTWD", ["e"], ["d"]),
        ("PREV1OR2WD", ["b"], ["a"]),
        ("NEXT1OR2WD", ["f"], ["g"]),
        ("WDPREVTAG", ["C", "d"], ["B", "d"]),
        ("WDNEXTTAG", ["d", "E"], ["d", "F"]),
        ("WDAND2AFT", ["d", "f"], ["d", "e"]),
        ("WDAND2TAGBFR", ["B", "d"], ["C", "d"]),
        ("WDAND2TAGAFT", ["d", "F"], ["d", "E"]),
        ("LBIGRAM", ["c", "d"], ["d", "c"]),
        ("RBIGRAM", ["d", "e"], ["e", "d"]),
    ],
)
def test_each_test_looks_where_its_name_says(test: str, yes: list[str], no: list[str]):
    place = W.index("d")
    assert brill.TESTS[test](*yes)(W, T, place)
    assert not brill.TESTS[test](*no)(W, T, place)


def test_every_test_is_tried_and_every_rule_is_read():
    tried = {mark.args[1][row][0] for mark in test_each_test_looks_where_its_name_says.pytestmark for row in range(23)}
    assert tried == set(brill.TESTS)
    assert len(brill.rules()) > 270 and len(brill.known()) > 90_000 and len(brill.endings()) == 148


def test_a_missing_word_list_is_said_in_a_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    read = brill.table.__wrapped__
    with pytest.raises(BadInput, match="cannot be read.*install textblob again"):
        read("nothing")
    monkeypatch.setattr("sys.path", [str(tmp_path)])
    monkeypatch.delitem(__import__("sys").modules, "textblob", raising=False)
    with pytest.raises(BadInput, match="pip install textblob"):
        read("lexicon")


def one_rule_after_the_other(words: list[str], tags: list[str]) -> list[str]:
    """Brill's procedure at its plainest: every rule, in order, at every place of the sentence."""
    outside = ["STAART"] * 3
    around, tags = [*outside, *words, *outside], [*outside, *tags, *outside]
    for line in brill.table("context"):
        old, new, name, *sought = line.split()
        before = list(tags)
        for place in range(3, 3 + len(words)):
            if before[place] == old and brill.TESTS[name](*sought)(around, before, place):
                rare = 0 if "TO" in sought or "MD" in sought else brill.RARE
                tags[place] = new if brill.may_be(around[place], new, rare) else old
    return tags[3:-3]


def test_skipping_rules_changes_no_outcome():
    dice = Random(0)
    common = [
        "the",
        "a",
        "to",
        "of",
        "that",
        "as",
        "is",
        "was",
        "be",
        "have",
        "would",
        "it",
        "they",
        "films",
        "film",
        "shows",
        "set",
        "good",
        "like",
        "run",
        "love",
        "works",
        "up",
        "n't",
    ]
    listed = sorted(word for word in brill.known() if word.isalpha())
    moved = 0
    for _ in range(300):
        words = [dice.choice(common if dice.random() < 0.7 else listed) for _ in range(dice.randint(0, 12))]
        first = [brill.known()[word] for word in words]
        wanted = one_rule_after_the_other(words, first)
        assert brill.in_context(words, first) == wanted == brill.brill_tags(words)
        moved += first != wanted
    assert moved > 100


def test_capitals_do_not_hide_a_word():
    assert brill.brill_tags(["THE", "BEAUTIFUL", "SONGS"]) == brill.brill_tags(["the", "beautiful", "songs"])
