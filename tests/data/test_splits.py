"""Draws are exact, stratified and functions of the seed; shared texts and fingerprints are what they say."""

import os
import subprocess
import sys
from collections import Counter
from hashlib import sha256

from hypothesis import given
from hypothesis import strategies as st

from unfooled.data.splits import Split, cut, cut_together, draw, fingerprint, shared_texts, text_key


@given(groups=st.lists(st.sampled_from("abc"), max_size=60), count=st.integers(0, 70), least=st.integers(0, 2))
def test_draws_are_exact_and_in_proportion(groups, count, least):
    rows = draw(groups, count, 3, "test", least=least)
    sizes, taken = Counter(groups), Counter(groups[row] for row in rows)
    bottom = sum(min(least, size) for size in sizes.values())
    assert rows == sorted(set(rows))
    assert len(rows) == min(max(count, bottom), len(groups))
    for group, size in sizes.items():
        assert taken[group] >= min(least, size)
        if least == 0 and count <= len(groups):
            assert abs(taken[group] - count * size / len(groups)) < 1


def test_a_draw_depends_on_seed_and_purpose_alone():
    groups = ["a", "b"] * 50
    assert draw(groups, 20, 1, "x") == draw(groups, 20, 1, "x")
    assert len({tuple(draw(groups, 20, seed, purpose)) for seed in (1, 2) for purpose in "xy"}) == 4


def test_a_draw_is_the_same_under_every_hash_seed():
    code = "from unfooled.data.splits import draw; print(draw(['a', 'b', 'c'] * 9, 9, 5, 'x'))"
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1 and outputs != {b""}


def test_a_cut_loses_nothing_and_leaves_a_row_of_every_class():
    labels = [0] * 60 + [1] * 38 + [2] + [3]
    split = Split([(f"text {n}",) for n in range(100)], labels)
    stays, away = cut(split, 0.2, 0, "validation")
    assert len(away) == 20 and sorted(stays.texts + away.texts) == sorted(split.texts)
    assert Counter(away.labels)[0] == 12 and Counter(away.labels)[1] == 8
    assert set(cut(split, 0.99, 0, "validation")[0].labels) == {0, 1, 2, 3}
    assert all(labels[int(text.split()[1])] == label for (text,), label in zip(away.texts, away.labels, strict=True))


def test_repeated_texts_are_not_cut_apart():
    texts = [(f"Text {n % 80}!" if n < 80 else f"text {n % 80}",) for n in range(100)]
    stays, away = cut(Split(texts, [n % 2 for n in range(100)]), 0.3, 0, "validation")
    assert len(away) == 30
    assert shared_texts(away, {text_key(text) for text in stays.texts}) == 0
    # Where all are repeated there is no other way.
    assert len(cut(Split([("same",)] * 20, [0, 1] * 10), 0.5, 0, "validation")[1]) == 10


@given(text=st.text(st.characters(exclude_categories=["Cs"])))
def test_texts_are_compared_by_lower_cased_letters_and_digits(text):
    naive = "".join(letter for letter in text.lower() if letter.isalnum())
    if naive:
        assert text_key((text,)) == text_key((naive,)) == text_key((f" {text}_!\n",))


def test_emoji_alone_and_pairs_are_told_apart():
    assert text_key(("😀",)) != text_key(("😡",))
    assert text_key(("a", "bc")) != text_key(("ab", "c"))
    assert shared_texts(Split([("A b!",), ("c",)], [0, 0]), {text_key(("ab",))}) == 1


def test_the_fingerprint_sees_every_text_label_and_split():
    base = {"train": Split([("a", "b"), ("c", "d")], ["x", "y"])}
    others = [
        {"test": base["train"]},
        {"train": Split([("a", "b"), ("c", "D")], ["x", "y"])},
        {"train": Split([("ab", ""), ("c", "d")], ["x", "y"])},
        {"train": Split([("a", "b"), ("c", "d")], ["y", "y"])},
        {"train": base["train"].take([1, 0])},
        {**base, "test": Split([], [])},
    ]
    marks = [fingerprint(splits) for splits in [base, *others]]
    assert len(set(marks)) == len(marks) and len(marks[0]) == 64
    assert marks[0] == fingerprint({"train": base["train"].take([0, 1])})
    content = "train\x1e2\x1e" + "".join(f"1\x1f{part}" for part in "abxcdy")
    assert marks[0] == sha256(content.encode()).hexdigest(), "old runs know their data by this number"


def test_units_are_cut_off_whole_and_by_the_seed() -> None:
    split = Split([(f"text {number}", f"unit {number // 5}") for number in range(50)], list(range(50)))
    kept, away = cut_together(split, 0.2, 0, lambda texts: texts[1])
    assert len(away) == 10 and len(kept) == 40
    assert not {texts[1] for texts in kept.texts} & {texts[1] for texts in away.texts}
    assert all(int(texts[0].split()[1]) == label for texts, label in zip(away.texts, away.labels, strict=True))
    assert cut_together(split, 0.2, 0, lambda texts: texts[1]) == (kept, away)
    assert cut_together(split, 0.2, 1, lambda texts: texts[1]) != (kept, away)


def test_a_lone_unit_stays() -> None:
    split = Split([(str(number), "same") for number in range(10)], list(range(10)))
    kept, away = cut_together(split, 0.5, 0, lambda texts: texts[1])
    assert len(kept) == 10 and len(away) == 0
