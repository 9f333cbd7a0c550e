"""Data folders that several tests of this room read."""

import json

import pytest


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder as below UNFOOLED_DATA, called films, without a validation split."""
    films = tmp_path / "data" / "films"
    films.mkdir(parents=True)
    for split, count in (("train", 40), ("test", 10)):
        lines = [json.dumps({"text": f"{split} {n}", "label": n % 2}) for n in range(count)]
        (films / f"{split}.jsonl").write_text("\n".join(lines))
    (films / "meta.json").write_text(json.dumps({"labels": {"0": "worse", "1": "better"}}))
    monkeypatch.setenv("UNFOOLED_DATA", str(films.parent))
    return films
