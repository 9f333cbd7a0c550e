"""JSON: lines, or one array; a file of one long line is a file."""

import json

from unfooled.data.files.tables import read_table

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
