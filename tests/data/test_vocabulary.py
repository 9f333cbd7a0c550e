"""Vocabularies, and which tokens are complete words."""

import numpy as np
import pytest
from transformers import AutoTokenizer

from unfooled.data.vocabulary import allowed_tokens, alone, byte_pairs, is_word, marked, word_vocabulary
from unfooled.errors import BadInput

LINES = ["the cat sat <unk> N times", "the cat ran away", "the dog , 1990s @-@ mr. don't"]


def test_words_come_frequent_first_and_every_line_ends():
    tokenizer = word_vocabulary(LINES)
    assert tokenizer.convert_ids_to_tokens([0, 1, 2, 3]) == ["<eos>", "<unk>", "the", "cat"]
    types = {word for line in LINES for word in line.split()}
    assert len(tokenizer) == len(types | {"<eos>"})
    assert tokenizer("the zebra <unk> sat")["input_ids"] == [2, 1, 1, tokenizer.convert_tokens_to_ids("sat"), 0]
    assert len(word_vocabulary(LINES, size=4)) == 4


def test_a_saved_vocabulary_opens_as_an_ordinary_tokenizer(tmp_path):
    for name, tokenizer in (("words", word_vocabulary(LINES)), ("bytes", byte_pairs(LINES * 5, 300))):
        tokenizer.save_pretrained(tmp_path / name)
        again = AutoTokenizer.from_pretrained(tmp_path / name)
        assert again(LINES[0])["input_ids"] == tokenizer(LINES[0])["input_ids"]
        assert again.eos_token_id == tokenizer.eos_token_id and again.pad_token_id == tokenizer.pad_token_id


def test_byte_pairs_know_every_text_and_give_it_back():
    tokenizer = byte_pairs(LINES * 5, 300)
    text = "der süße Käse, 狗!"
    ids = tokenizer(text)["input_ids"]
    assert tokenizer.decode(ids, skip_special_tokens=True).strip() == text
    assert ids[-1] == tokenizer.eos_token_id


@pytest.mark.parametrize(
    ("text", "complete"),
    [
        ("friend", True),
        ("süß", True),
        ("well-known", True),
        ("don't", True),
        ("ab", True),
        ("a", False),
        ("Z.", False),
        ("N", False),
        ("mr.", False),
        ("'s", False),
        ("-", False),
        ("well-", False),
        ("<unk>", False),
        ("<eos>", False),
        ("@-@", False),
        ("@,@", False),
        ("1990s", False),
        ("42", False),
        ("!", False),
        ("under_score", False),
        ("##ing", False),
        ("", False),
    ],
)
def test_complete_words_are_letters_alone_and_two_at_least(text, complete):
    assert is_word(text) is complete


def test_special_tokens_are_no_words():
    tokenizer = word_vocabulary([*LINES, "eos unk"])
    names = tokenizer.convert_ids_to_tokens(np.flatnonzero(allowed_tokens(tokenizer)).tolist())
    assert set(names) == {"the", "cat", "sat", "times", "ran", "away", "dog", "don't", "eos", "unk"}


def test_pieces_of_words_are_marked_as_none():
    tokenizer = byte_pairs(["the cat saw the cat today ."] * 9 + ["today the cat"] * 9, 280)
    lines = ["the cat, the cats saw today!", "catcat the"]
    found = marked(tokenizer, lines)
    for number, line in enumerate(lines):
        encoding = tokenizer(line)
        for place, owner in enumerate(encoding.word_ids()):
            several = owner is not None and encoding.word_ids().count(owner) > 1
            text = tokenizer.decode([encoding["input_ids"][place]]).strip()
            complete = not several and text in ("the", "cat", "saw", "today")
            assert found.words[found.offsets[number] + place] == complete, (line, text)
    assert found.words.sum() >= 4


def test_lines_stand_in_one_flat_array():
    tokenizer = word_vocabulary(LINES)
    found = marked(tokenizer, LINES, chunk=2)
    assert len(found) == 3 and found.lengths.tolist() == [7, 5, 8]
    for number, line in enumerate(LINES):
        assert found.line(number).tolist() == tokenizer(line)["input_ids"]
    first = found.words[: found.offsets[1]]
    assert first.tolist() == [True, True, True, False, False, True, False]


def test_alone_is_who_shares_its_word_with_nobody():
    assert alone([0, 0, 1, None, None, 2, 3, 3]).tolist() == [False, False, True, True, True, True, False, False]
    assert alone([]).tolist() == []


def test_texts_without_a_word_make_no_vocabulary():
    with pytest.raises(BadInput, match="no word besides <unk>"):
        word_vocabulary(["<unk> <unk>", ""])
    with pytest.raises(BadInput, match="smaller than the bytes"):
        byte_pairs(LINES, 100)


def test_a_line_can_be_closed_from_outside_and_a_beginning_stays_open():
    for tokenizer in (word_vocabulary(LINES, closing=False), byte_pairs(LINES * 5, 300, closing=False)):
        assert tokenizer("")["input_ids"] == []
        ending = tokenizer.eos_token_id
        found, plain = marked(tokenizer, LINES, closing=ending), marked(tokenizer, LINES)
        for number in range(3):
            assert found.line(number).tolist() == [*plain.line(number).tolist(), ending]
            assert not found.words[found.offsets[number + 1] - 1]
        assert found.words.sum() == plain.words.sum()
