from pathlib import Path

import pytest

from unfooled.errors import BadInput
from unfooled.text.english.wordnet import FILE, POS, open_tables


@pytest.fixture(scope="module")
def tables():
    return open_tables()


def test_the_counts_are_those_of_wordnet_3(tables):
    # wnstats(7WN) of WordNet 3.0: synsets, unique strings and word-sense pairs by part of speech
    assert len(tables.kinds) == 117_659 == len(tables.offsets)
    kinds = {kind: tables.kinds.count(kind) for kind in "nvasr"}
    assert kinds == {"n": 82_115, "v": 13_767, "a": 18_156 - kinds["s"], "s": kinds["s"], "r": 3_621}
    starts, keys = tables.senses.starts, len(tables.keys)
    pairs = [starts[(part + 1) * keys] - starts[part * keys] for part in range(len(POS))]
    assert pairs == [146_312, 25_047, 30_002, 5_580]
    unique = [
        sum(starts[row] < starts[row + 1] for row in range(part * keys, (part + 1) * keys)) for part in range(len(POS))
    ]
    assert unique == [117_798, 11_529, 21_479, 4_481]


def test_rows_have_their_values(tables):
    noun = tables.senses[tables.keys["dog"]]
    assert [tables.offsets[synset] for synset in noun][:2] == [2084071, 10114209]
    assert [tables.names[name] for name in tables.lemmas[noun[0]]] == ["dog", "domestic dog", "Canis familiaris"]


def test_every_satellite_has_one_head_and_nothing_else_has_any(tables):
    lengths = {(kind, len(tables.heads[synset])) for synset, kind in enumerate(tables.kinds)}
    assert lengths == {("s", 1), ("n", 0), ("v", 0), ("a", 0), ("r", 0)}


def test_antonyms_go_both_ways_but_for_five_slips_of_wordnet(tables):
    slips = [
        (tables.names[tables.lemmas[word[0]][word[1]]], tables.names[tables.lemmas[other[0]][other[1]]])
        for word, others in tables.antonyms.items()
        for other in others
        if word not in tables.antonyms.get(other, [])
    ]
    assert slips == [
        ("centralise", "decentralise"),
        ("decentralize", "centralise"),
        ("legalise", "outlaw"),
        ("have", "lack"),
        ("miss", "have"),
    ]


def test_a_damaged_or_missing_file_is_refused_in_a_sentence(tmp_path: Path):
    content = bytearray(FILE.read_bytes())
    content[len(content) // 2] ^= 1
    damaged = tmp_path / "wordnet.npz"
    damaged.write_bytes(content)
    with pytest.raises(BadInput, match="damaged.*install unfooled again"):
        open_tables(damaged)
    with pytest.raises(BadInput, match="cannot be read.*install unfooled again"):
        open_tables(tmp_path / "nowhere.npz")


def test_the_file_is_small_and_its_licence_lies_beside_it():
    assert FILE.stat().st_size <= 8_000_000
    notice = FILE.with_name("WORDNET-LICENSE.txt").read_text(encoding="utf-8")
    assert "Copyright 2006 by Princeton University" in notice and "title to copyright" in notice.lower()
