"""Label values are read, ordered, named and matched the same however a file spells them."""

import json

import pytest

from unfooled.data.labels import apply_names, check_classes, match_labels, read_names, sort_labels
from unfooled.errors import BadInput, on_the_command_line

SENTIMENT = (("0", "negative"), ("1", "positive"))


@pytest.mark.parametrize("labels, expected", [
    ({"1": "good", "0": "bad"}, (("0", "bad"), ("1", "good"))),
    ({"10": "j", "9": "i"}, (("9", "i"), ("10", "j"))),
    (["x", "a"], (("0", "x"), ("1", "a"))),
    (None, ()),
    ({"part": {"0": "a"}}, ()),
    ({"part": ["a", "b"]}, ()),
    ("words", ()),
])  # fmt: skip
def test_names_of_meta_json(tmp_path, labels, expected):
    (tmp_path / "meta.json").write_text(json.dumps({"labels": labels}))
    assert read_names(tmp_path / "meta.json") == expected


@pytest.mark.parametrize("content, word", [("{", "not JSON"), ('{"labels": ["a", "a"]}', "one name")])
def test_a_broken_meta_json_is_one_sentence(tmp_path, content, word):
    (tmp_path / "meta.json").write_text(content)
    with pytest.raises(BadInput, match=f"meta.json: .*{word}"):
        read_names(tmp_path / "meta.json")


def test_data_may_hold_ids_or_names():
    assert apply_names(["1", "0", "1"], SENTIMENT, "f") == ["positive", "negative", "positive"]
    assert apply_names(["Positive", "NEGATIVE"], SENTIMENT, "f") == ["positive", "negative"]
    # Names that are numbers themselves are names first.
    assert apply_names(["1", "2"], (("0", "1"), ("1", "2")), "f") == ["1", "2"]
    assert apply_names(["0", "1"], (("0", "1"), ("1", "2")), "f") == ["1", "2"]
    with pytest.raises(BadInput, match=r"f: label 7 is not among those of meta.json \(0 = negative, 1 = pos"):
        apply_names(["0", "7"], SENTIMENT, "f")


@pytest.mark.parametrize("labels, classes, words", [
    ([f"opinion {n}" for n in range(60)], None, ["60 different values", "60 rows", "not a label", "label="]),
    ([str(n % 1001) for n in range(9000)], None, ["1,001 different", "not a label"]),
    ([str(n % 30 / 7) for n in range(900)], None, ["30 different", "numbers"]),
    (["a"] * 9, None, ["only one class (a)", "9 usable rows", "two or more"]),
    (["a", "b"], ["a", "b", "c"], ["2 usable rows for 3 classes", "at least one row per class"]),
])  # fmt: skip
def test_labels_nothing_can_be_learnt_from(labels, classes, words):
    with pytest.raises(BadInput) as caught:
        check_classes(labels, classes or sort_labels(labels), "stars", "a.csv")
    message = str(caught.value)
    assert message.startswith("a.csv, column stars: ")
    assert [word for word in words if word not in message] == [], message


def test_many_whole_numbers_and_half_stars_are_fine():
    for labels in ([str(n % 150) for n in range(900)], [str(n % 10 / 2) for n in range(90)], ["a", "b"]):
        check_classes(labels, sort_labels(labels), "stars", "a.csv")


@pytest.mark.parametrize("labels, names, known, expected, noted", [
    (["POS", "neg"], (), ["neg", "pos"], [1, 0], False),
    (["1", "0"], SENTIMENT, ["positive", "negative"], [0, 1], False),
    (["1", "0"], (), ["negative", "positive"], [1, 0], True),
    (["1", "0"], SENTIMENT, ["0", "1"], [1, 0], False),
    (["1", "0"], SENTIMENT, ["LABEL_0", "LABEL_1"], [1, 0], True),
    (["positive", "negative"], SENTIMENT, ["LABEL_0", "LABEL_1"], [1, 0], True),
    (["1", "2"], (), ["1", "2", "3"], [0, 1], False),
    (["true"], (), ["False", "True"], [1], False),
])  # fmt: skip
def test_labels_are_matched_with_a_model(labels, names, known, expected, noted):
    numbers, note = match_labels(labels, names, known, "a.csv")
    assert numbers == expected
    assert (note is not None) == noted


def test_labels_a_model_does_not_know_name_both_sets():
    with pytest.raises(BadInput, match=r"a.csv: its labels \(joy, rage\) are not those of the model \(neg, pos\)"):
        match_labels(["joy", "rage", "joy"], (), ["neg", "pos"], "a.csv")
    with pytest.raises(BadInput, match=r"\(0, 2\)"):
        match_labels(["0", "2"], (), ["neg", "pos"], "a.csv")


@pytest.mark.parametrize(
    ("labels", "known", "places"),
    [
        (["pos", "neg"], ["NEGATIVE", "POSITIVE"], [1, 0]),
        (["Negative review", "x"], ["neg", "pos"], None),
        (["1", "5"], ["1 star", "2 stars", "3 stars", "4 stars", "5 stars"], [0, 4]),
        (["1", "2", "3"], ["LABEL_0", "LABEL_1", "LABEL_2"], [0, 1, 2]),
        (["1", "3", "9"], ["LABEL_0", "LABEL_1", "LABEL_2"], None),
        (["bad", "good"], ["LABEL_0", "LABEL_1"], None),
        (["re"], ["red", "green"], None),
        (["gre"], ["green", "grey"], None),
    ],
)
def test_what_is_evident_is_taken_and_said_and_nothing_else(labels, known, places):
    if places is None:
        with pytest.raises(BadInput, match="labels="):
            match_labels(labels, (), known, "a.csv")
        return
    numbers, note = match_labels(labels, (), known, "a.csv")
    assert numbers == places and "labels taken as" in note and f"{labels[0]} = {known[places[0]]}" in note


def test_what_to_give_is_written_out():
    with pytest.raises(BadInput, match=r'labels=\{"LABEL_0": "bad", "LABEL_1": "good"\} if that is what they mean'):
        match_labels(["good", "bad"], (), ["LABEL_0", "LABEL_1"], "a.csv")
    with on_the_command_line(), pytest.raises(BadInput, match="as in --labels LABEL_0=bad,LABEL_1=good if that"):
        match_labels(["good", "bad"], (), ["LABEL_0", "LABEL_1"], "a.csv")
