"""JSON: lines, or one array; a file of one long line is a file."""

import json
import re

import pytest

from unfooled.data.files import lines
from unfooled.data.files.tables import read_table
from unfooled.errors import BadInput

ROWS = [{"text": "great\u2028fun", "label": "pos"}, {"text": 'שלום, "quoted"\nsecond line', "label": "neg"}]


def test_json_may_be_one_array(tmp_path):
    path = tmp_path / "a.json"
    path.write_text(json.dumps(ROWS, indent=2), encoding="utf-8")
    assert read_table(path).rows == ROWS


def test_columns_of_json_lines_are_all_that_occur(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "a"}\n{"label": 1, "text": "b"}\n', encoding="utf-8")
    assert read_table(path).columns == ("text", "label")


def test_a_json_file_may_be_one_line_of_any_length(tmp_path, monkeypatch):
    monkeypatch.setenv("UNFOOLED_LIMITS", "line=100")
    for name, content in {"a.json": {"data": ["x" * 999]}, "b.json": [{"data": "x" * 999}]}.items():
        (tmp_path / name).write_text(json.dumps(content))
        assert read_table(tmp_path / name).columns == ("data",)


@pytest.mark.parametrize("block", [1, 7, 64, 2**18])
def test_an_array_is_read_object_by_object(tmp_path, monkeypatch, block):
    monkeypatch.setattr(lines, "BLOCK", block)
    rows = [{"text": "x" * number, "number": -1.5e-3 * number, "list": [[], {}]} for number in range(40)]
    for text in (json.dumps(rows), json.dumps(rows, indent=3), f"\ufeff \n{json.dumps(rows)}\n \n"):
        (tmp_path / "a.json").write_text(text, encoding="utf-8")
        assert read_table(tmp_path / "a.json").rows == rows


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[\n{"a": 1},\n{"a": }]', "row 3: not JSON"),
        ('[{"a": 1}', "Expecting ']'"),
        ('[{"a": 1}] x', "Extra data"),
        ('[{"a": 1},]', "not JSON"),
        ("[1]", "a JSON int, not an object"),
        ("[" + '{"a":' * 500 + "0" + "}" * 500 + "]", "more than 64 lists"),
        ("[" * 5000, "inside each other"),
        ("[" + "9" * 5000 + "]", "not JSON"),
    ],
)
def test_what_is_no_array_of_objects_is_named_by_its_line(tmp_path, text, said):
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(BadInput, match=re.escape(said)):
        read_table(tmp_path / "a.json")


def test_one_object_is_not_larger_than_is_taken(tmp_path, monkeypatch):
    monkeypatch.setenv("UNFOOLED_LIMITS", "json=1000")
    (tmp_path / "a.json").write_text(json.dumps([{"a": "x" * 10**6}]))
    with pytest.raises(BadInput, match="row 1: more than 1,000 bytes.*UNFOOLED_LIMITS=json="):
        read_table(tmp_path / "a.json")
