import json
from pathlib import Path

import pytest

from unfooled.data.examples import load_examples
from unfooled.data.questions import SPANS
from unfooled.data.sources import DataSettings
from unfooled.errors import BadInput


def asked(number: int) -> dict[str, object]:
    context = f"Once, in {1900 + number // 2}, Ann met Bob."
    answer = {"text": ["Ann", "Bob"], "answer_start": [context.index("Ann"), context.index("Bob")]}
    return {"id": str(number), "question": f"Who met {number}?", "context": context, "answers": answer}


def written(path: Path, rows: list[dict[str, object]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def test_questions_their_contexts_and_all_their_answers(tmp_path: Path) -> None:
    data = load_examples(DataSettings(source=written(tmp_path / "a.jsonl", [asked(n) for n in range(20)])), 0, SPANS)
    assert len(data.train) + len(data.validation) == 20 and data.labels == ()
    for (_, context), answers in zip(data.train.texts, data.train.labels, strict=True):
        assert [text for _, text in answers] == ["Ann", "Bob"]
        assert all(context.startswith(text, start) for start, text in answers)
    apart = {context for _, context in data.train.texts} & {context for _, context in data.validation.texts}
    assert not apart, "all questions about a paragraph are on one side"


def test_other_ways_to_write_answers(tmp_path: Path) -> None:
    base = {"question": "who?", "context": "Ann met Bob"}
    forms = [[{"text": "Bob", "answer_start": 8}], "Bob", {"text": ["Bob"]}]
    rows = [{**base, "answers": form} for form in forms]
    path = written(tmp_path / "a.jsonl", rows)
    data = load_examples(DataSettings(source=path, validation=path), 0, SPANS)
    assert data.train.labels == [((8, "Bob"),)] * 3


def test_the_published_nesting_is_unfolded(tmp_path: Path) -> None:
    questions = [{"id": n, "question": f"who {n}?", "answers": [{"text": "Ann", "answer_start": 0}]} for n in range(4)]
    paragraphs = [{"context": f"Ann met {name}", "qas": questions} for name in ("Bob", "Cid", "Dan")]
    path = tmp_path / "train-v1.1.json"
    path.write_text(json.dumps({"version": "1.1", "data": [{"title": "t", "paragraphs": paragraphs}]}))
    data = load_examples(DataSettings(source=str(path)), 0, SPANS)
    assert len(data.train) + len(data.validation) == 12


def test_rows_without_an_answer_are_left_out_and_counted(tmp_path: Path) -> None:
    rows = [asked(n) for n in range(10)]
    rows[0]["answers"] = {"text": [], "answer_start": []}
    rows[1]["answers"] = None
    rows[2]["answers"] = {"text": [""], "answer_start": [0]}
    rows[3]["question"] = " "
    data = load_examples(DataSettings(source=written(tmp_path / "a.jsonl", rows)), 0, SPANS)
    assert "left out 4 rows of train: 1 with empty text, 3 without an answer" in data.notes


def test_nothing_but_rows_without_an_answer_is_refused(tmp_path: Path) -> None:
    rows = [{**asked(n), "answers": {"text": [], "answer_start": []}} for n in range(3)]
    with pytest.raises(BadInput, match="no usable row .*3 without an answer"):
        load_examples(DataSettings(source=written(tmp_path / "a.jsonl", rows)), 0, SPANS)


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ({"text": ["Zoe"], "answer_start": [0]}, "the answer Zoe does not stand in its context at letter 0"),
        ({"text": ["Ann"], "answer_start": [0]}, "the answer Ann does not stand in its context at letter 0"),
        ({"text": ["Ann"], "answer_start": [-5]}, "does not stand in its context at letter -5"),
        ("Zoe", "the answer Zoe does not stand in its context; mend or delete the row"),
        ({"text": ["Ann"], "answer_start": [1, 2]}, "1 texts and 2 starts"),
        ({"text": [7], "answer_start": [0]}, "an answer is 7, not a text"),
        (12, "holds 12, not answers like"),
    ],
)
def test_answers_that_are_not_in_the_context_are_named_with_their_row(
    tmp_path: Path, answers: object, said: str
) -> None:
    rows = [asked(n) for n in range(5)]
    rows[3]["answers"] = answers
    with pytest.raises(BadInput, match=f"a.jsonl, row 4, column answers: .*{said}"):
        load_examples(DataSettings(source=written(tmp_path / "a.jsonl", rows)), 0, SPANS)


def test_columns_may_have_other_names(tmp_path: Path) -> None:
    rows = [{"q": row["question"], "c": row["context"], "a": row["answers"]} for row in map(asked, range(10))]
    path = written(tmp_path / "a.jsonl", rows)
    with pytest.raises(BadInput, match="no column is known to be the question, context, answers"):
        load_examples(DataSettings(source=path), 0, SPANS)
    data = load_examples(DataSettings(source=path, text="q, c", label="a"), 0, SPANS)
    assert data.columns.text == ("q", "c") and len(data.train) > 0
    with pytest.raises(BadInput, match="must be two columns"):
        load_examples(DataSettings(source=path, text="q"), 0, SPANS)
