import gzip
import hashlib
import json
from pathlib import Path

import pytest
from tiny import save_encoder

from unfooled.attacks import PWWS, TextFooler
from unfooled.commands.attack_parts import parts_for, table_hash
from unfooled.errors import BadInput
from unfooled.models.encoders.similarity import Similarity
from unfooled.text.document import read


@pytest.fixture
def encoder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("UNFOOLED_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("UNFOOLED_DATA", str(tmp_path / "data"))
    return str(save_encoder(tmp_path / "encoder"))


def test_an_attack_gets_what_it_asks_for(encoder: str) -> None:
    assert parts_for(PWWS(), None).similarity is None
    found = parts_for(PWWS(), encoder)
    assert found.similarity.vectors(["film"]).shape == (1, 16)
    assert found.notes == {"similarity": encoder, "similarity_hash": Similarity(encoder).fingerprint()}
    assert found.substitutes is None
    with pytest.raises(BadInput, match="judges its candidates by a sentence encoder"):
        parts_for(TextFooler(), None)


def test_near_words_come_from_the_encoder_where_there_is_no_table(encoder: str) -> None:
    found = parts_for(TextFooler(least_cosine=-1.0, neighbours=5), encoder)
    assert found.notes["neighbours"] == f"near words of {encoder}" and found.substitutes is not None
    assert len(str(found.notes["neighbours_hash"])) == 64
    [near, stop] = found.substitutes(read("Film the"))
    assert 1 <= len(near) <= 5 and stop == () and all(word[0].isupper() for word in near)


def test_counter_fitted_neighbours_are_taken_where_there_is_a_table(encoder: str, tmp_path: Path) -> None:
    folder = tmp_path / "data" / "counterfitted_neighbors"
    folder.mkdir(parents=True)
    rows = json.dumps({"word": "film", "neighbors": ["movie", "picture"]}) + "\n"
    (folder / "neighbors.jsonl.gz").write_bytes(gzip.compress(rows.encode()))
    sha = hashlib.sha256((folder / "neighbors.jsonl.gz").read_bytes()).hexdigest()
    (folder / "meta.json").write_text(json.dumps({"files": {"neighbors.jsonl.gz": {"sha256": sha}}}))
    found = parts_for(TextFooler(neighbours=1), encoder)
    assert found.notes["neighbours"] == "counter-fitted" and found.substitutes is not None
    assert found.substitutes(read("film")) == [("movie",)]
    assert found.notes["neighbours_hash"] == table_hash({"film": ("movie", "picture")})


def test_the_hash_of_a_table_is_that_of_its_words() -> None:
    one = {"film": ("movie", "picture"), "dull": ("slow",)}
    assert table_hash(one) == table_hash(dict(reversed(one.items())))
    assert len({table_hash(some) for some in (one, {**one, "dull": ("grey",)}, {"film": one["film"]})}) == 3
