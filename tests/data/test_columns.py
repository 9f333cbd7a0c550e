"""Columns are those asked for, or a guess that is said; a guess that could be wrong is refused."""

import pytest

from unfooled.data.columns import Columns, choose
from unfooled.errors import BadInput

GUESSES = [
    ("text label", ("text",), "label"),
    ("Review STARS", ("Review",), "STARS"),
    ("id sentence label", ("sentence",), "label"),
    ("label premise hypothesis", ("premise", "hypothesis"), "label"),
    ("idx sentence1 sentence2 label", ("sentence1", "sentence2"), "label"),
    ("question2 question1 is_duplicate", ("question1", "question2"), "is_duplicate"),
    ("claim perspective stance", ("claim", "perspective"), "stance"),
    ("question passage title label", ("question", "passage"), "label"),
    ("question sentence label", ("question", "sentence"), "label"),
    ("text_a text_b target", ("text_a", "text_b"), "target"),
    ("tweet sentiment", ("tweet",), "sentiment"),
    ("text label stars category", ("text",), "label"),
    ("text title category", ("text",), "category"),
    ("words intent", ("words",), "intent"),
    ("id words topic", ("words",), "topic"),
    ("comment toxic", ("comment",), "toxic"),
]


@pytest.mark.parametrize("names, text, label", GUESSES)
def test_well_known_names_are_guessed_and_the_guess_is_said(names, text, label):
    columns, note = choose(names.split(), None, None, "a.csv")
    assert columns == Columns(text, label)
    assert note == (f"columns: text = {','.join(text)}, label = {label} (guessed; text= and label= say otherwise)")


def test_what_is_asked_for_wins_and_needs_no_note():
    names = ["text", "label", "other", "second"]
    assert choose(names, "other", "second", "a.csv") == (Columns(("other",), "second"), None)
    assert choose(names, " Other , second ", "label", "a.csv") == (
        Columns(("other", "second"), "label"),
        None,
    )


def test_half_a_guess_says_which_half():
    columns, note = choose(["review", "comment", "stars"], "comment", None, "a.csv")
    assert columns == Columns(("comment",), "stars")
    assert note == "columns: text = comment, label = stars (label guessed; label= says otherwise)"
    columns, note = choose(["review", "class", "stars"], None, "class", "a.csv")
    assert columns == Columns(("review",), "class")
    assert note == "columns: text = review, label = class (text guessed; text= says otherwise)"


def test_a_column_name_may_hold_a_comma():
    assert choose(["a,b", "label"], "a,b", None, "a.csv")[0].text == ("a,b",)


def test_values_decide_between_names():
    rows = [{"review": 17, "comment": "good film", "stars": None, "rating": 3}]
    assert choose(list(rows[0]), None, None, "a.csv", rows)[0] == Columns(("comment",), "rating")


BAD = {
    "two texts": ("review comment label", None, None, ["review or comment", "text="]),
    "text and pair": ("text premise hypothesis label", None, None, ["premise,hypothesis or text", "text="]),
    "two pairs": (
        "premise hypothesis sentence1 sentence2 label",
        None,
        None,
        ["premise,hypothesis", "sentence1", "text="],
    ),
    "two labels": ("text sentiment stars", None, None, ["sentiment, stars", "label="]),
    "label and labels": ("text label labels", None, None, ["label, labels", "label="]),
    "no label": ("text foo bar", None, None, ["label", "label=", "text, foo, bar"]),
    "no text": ("foo bar label", None, None, ["text", "text=", "foo, bar, label"]),
    "unknown text": ("review label", "reveiw", None, ["reveiw", "text=", "did you mean review?"]),
    "unknown label": ("review label", None, "zzz", ["zzz", "label=", "known: label, review"]),
    "three texts": ("a b c label", "a,b,c", None, ["text= a,b,c", "one column, or two"]),
    "same text twice": ("a b label", "a,a", None, ["text= a,a", "different"]),
    "text is label": ("a b", "a", "a", ["column a", "both", "label="]),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_told_is_one_sentence(case):
    names, text, label, words = BAD[case]
    with pytest.raises(BadInput) as caught:
        choose(names.split(), text, label, "a.csv")
    message = str(caught.value)
    assert message.startswith("a.csv") and message.isprintable()
    assert [word for word in words if word not in message] == [], message


def test_a_file_without_a_header_gives_a_short_message():
    with pytest.raises(BadInput) as caught:
        choose(["a whole review " * 1000, "1"], None, None, "a.csv")
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize("answers", [[True, False], ["yes", "no"], ["True", "False"], [1, 0]])
def test_yes_and_no_to_a_question_over_a_passage_is_the_label(answers):
    rows = [{"question": "is it so", "passage": "It is.", "title": "It", "answer": answer} for answer in answers]
    found, note = choose(["question", "passage", "title", "answer"], None, None, "boolq.jsonl", rows)
    assert found == Columns(("question", "passage"), "answer") and "guessed" in note
    worded = [{**row, "answer": "because it is"} for row in rows]
    with pytest.raises(BadInput):
        choose(["question", "passage", "title", "answer"], None, None, "why.jsonl", worded)
