import gzip
import hashlib
import json
from pathlib import Path

import pytest

from unfooled.errors import BadInput
from unfooled.text.english.lexicon import lexicon
from unfooled.text.english.neighbours import counter_fitted, without_antonyms

ROWS = [{"word": "film", "neighbors": ["movie", "films"]}, {"word": "good", "neighbors": ["nice"]}]


def written(folder: Path, lines: list[str]) -> Path:
    folder.mkdir(parents=True)
    content = gzip.compress("\n".join(lines).encode(), mtime=0)
    (folder / "neighbors.jsonl.gz").write_bytes(content)
    meta = {"files": {"neighbors.jsonl.gz": {"sha256": hashlib.sha256(content).hexdigest()}}}
    (folder / "meta.json").write_text(json.dumps(meta))
    return folder


def test_the_table_is_found_in_a_data_folder_or_by_itself(tmp_path: Path):
    table = written(tmp_path / "counterfitted_neighbors", [json.dumps(row) for row in ROWS])
    wanted = {"film": ("movie", "films"), "good": ("nice",)}
    assert counter_fitted(tmp_path) == wanted == counter_fitted(table)


def test_no_table_is_no_error(tmp_path: Path):
    assert counter_fitted(tmp_path) is None
    assert counter_fitted(tmp_path / "nowhere") is None


@pytest.mark.parametrize("line", ["", "{", "[]", '{"word": 1, "neighbors": []}', '{"word": "a", "neighbors": "b"}'])
def test_a_bad_row_is_named(tmp_path: Path, line: str):
    table = written(tmp_path / "table", [json.dumps(ROWS[0]), line, json.dumps(ROWS[1])])
    with pytest.raises(BadInput, match="row 2"):
        counter_fitted(table)


def test_a_changed_table_or_one_without_a_digest_is_refused(tmp_path: Path):
    table = written(tmp_path / "table", [json.dumps(ROWS[0])])
    (table / "neighbors.jsonl.gz").write_bytes(gzip.compress(b"other"))
    with pytest.raises(BadInput, match="copy the folder again"):
        counter_fitted(table)
    (table / "meta.json").write_text("{}")
    with pytest.raises(BadInput, match="sha256"):
        counter_fitted(table)


def test_what_is_not_gzip_is_refused(tmp_path: Path):
    table = written(tmp_path / "table", [])
    (table / "neighbors.jsonl.gz").write_bytes(b"plain")
    meta = {"files": {"neighbors.jsonl.gz": {"sha256": hashlib.sha256(b"plain").hexdigest()}}}
    (table / "meta.json").write_text(json.dumps(meta))
    with pytest.raises(BadInput, match="gzip"):
        counter_fitted(table)


@pytest.mark.parametrize(
    ("word", "opposite"),
    [
        ("good", "bad"),
        ("Good", "BAD"),
        ("good", "worse"),  # by its base form
        ("rises", "falling"),
        ("heavy", "light"),
        ("ponderous", "light"),  # indirect, through heavy
        ("light", "ponderous"),  # the same, asked the other way round
        ("quickly", "slowly"),
    ],
)
def test_opposites_are_vetoed_in_every_form_and_direction(word: str, opposite: str):
    assert without_antonyms(word, ["neutral", opposite, "unknownword"], lexicon()) == ("neutral", "unknownword")


def test_the_rest_keeps_its_order():
    near = ["great", "fine", "nice", "decent", "excellent"]
    assert without_antonyms("good", iter(near), lexicon()) == tuple(near)
    assert without_antonyms("blorf", near, lexicon()) == tuple(near)
