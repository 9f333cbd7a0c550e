"""A corpus's versions: a file and its summary, the same for any number of workers, after any kill, or refused."""

import hashlib
import json
from pathlib import Path

import pytest
from village import TEXTS, left, refused

import unfooled as uf
from unfooled.commands.generate import generate_versions
from unfooled.generate import file as version_file
from unfooled.generate.lines import lines
from unfooled.text.versions import VersionSettings

GERMAN = "Ein Mann fährt mit dem Fahrrad durch die Straße"


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(version_file, "BATCH_ROWS", 8)
    path = tmp_path / "village.txt"
    path.write_text("".join(f"{text}\n\n" for text in [*TEXTS, "word", GERMAN, "It is."]), encoding="utf-8")
    return path


def test_the_file_holds_a_line_a_text_in_order(corpus: Path, tmp_path: Path):
    made = uf.generate_versions(corpus, tmp_path / "new" / "out.jsonl", seed=3)
    rows = enumerate(corpus.read_text(encoding="utf-8").split("\n")[:-1])
    _, expected, counts = lines(rows, VersionSettings(), 3)
    assert made.file.read_text(encoding="utf-8") == "".join(f"{line}\n" for line in expected)
    assert made.counts.items() >= counts.items() and counts["texts"] == len(TEXTS) + 3
    assert left(tmp_path / "new") == {"out.jsonl", "out.summary.json"}


def test_the_summary_says_what_was_made_of_what(corpus: Path, tmp_path: Path):
    made = generate_versions(corpus, "out.jsonl", {"policy": "released"}, seed=3)
    summary = json.loads(made.summary.read_text(encoding="utf-8"))
    assert summary["settings"] == VersionSettings(policy="released").model_dump(mode="json") and summary["seed"] == 3
    assert summary["file_sha256"] == hashlib.sha256(Path("out.jsonl").read_bytes()).hexdigest()
    assert summary["corpus_sha256"] == hashlib.sha256(corpus.read_bytes()).hexdigest()
    counts, found = summary["counts"], [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]
    assert (summary["rows"], counts["empty"], counts["not_english"], counts["unreplaceable"]) == (86, 43, 1, 1)
    for name in ("synonym", "antonym"):
        replaced = sum(len(line[name]["replacements"]) for line in found)
        assert summary["ratios"][f"{name}_ratio"] == replaced / counts["words"] == made.ratios[f"{name}_ratio"]
    assert summary["definitions"]["counts"].keys() == {name for name in counts if "." not in name}


def test_realised_ratios_are_near_the_papers(tmp_path: Path):
    path = tmp_path / "plain.txt"
    path.write_text("\n".join(TEXTS), encoding="utf-8")
    ratios = generate_versions(path, tmp_path / "out.jsonl").ratios
    assert ratios["synonym_ratio"] == pytest.approx(0.4, abs=0.02)
    assert ratios["antonym_ratio"] == pytest.approx(0.2, abs=0.02)


def test_any_number_of_workers_gives_the_same_bytes(corpus: Path):
    made = [generate_versions(corpus, f"{workers}.jsonl", seed=3, workers=workers) for workers in (1, 3)]
    assert made[0].file.read_bytes() == made[1].file.read_bytes()
    assert made[0].summary.read_bytes() == made[1].summary.read_bytes()


def test_other_languages_are_refused_or_passed_by_option(tmp_path: Path):
    path = tmp_path / "german.txt"
    path.write_text(f"\n{GERMAN}\nZwei Hunde spielen im Schnee\nThe dog sleeps\n", encoding="utf-8")
    said = refused(path, tmp_path / "out.jsonl")
    assert "is not English: 2 of its first 3 texts are not, the first in row 2" in said and "pass" in said
    made = generate_versions(path, tmp_path / "out.jsonl", other_languages="pass")
    assert made.counts["not_english"] == 2 and made.counts["texts"] == 3
    first = json.loads(made.file.read_text(encoding="utf-8").splitlines()[0])
    assert first["synonym"]["text"] == first["antonym"]["text"] == GERMAN


def test_bad_corpora_leave_nothing_behind(tmp_path: Path):
    cases = {
        "junk.txt": (b"fine\n\xff\xfe\x00", "is not UTF-8"),
        "blank.txt": (b"\n \n\t\n", "has no text in it"),
        "empty.txt": (b"", "has no text in it"),
        "line.txt": (b"x" * (33 << 20), "longer than 16 MB without a line end"),
        "book.doc": (b"word", "unknown kind of file"),
    }
    for name, (content, sentence) in cases.items():
        (tmp_path / name).write_bytes(content)
        assert sentence in refused(tmp_path / name, tmp_path / "out.jsonl"), name
        assert left(tmp_path) <= cases.keys()
    assert "no corpus called" in refused(tmp_path / "nowhere.txt", tmp_path / "out.jsonl")
    (tmp_path / "fine.txt").write_text("Good films")
    for out in (tmp_path / "out.jsonl.gz", tmp_path / "out.paper", ".", ""):
        assert "name a file that ends in .jsonl" in refused(tmp_path / "fine.txt", out)
    assert "workers" in refused(tmp_path / "fine.txt", tmp_path / "out.jsonl", workers=0)
    assert "no_such" in refused(tmp_path / "fine.txt", tmp_path / "out.jsonl", {"tagger": "no_such"})
    assert left(tmp_path) == {*cases, "fine.txt"}


def test_the_first_rows_alone(corpus: Path):
    made = generate_versions(corpus, "out.jsonl", seed=3, limit=5)
    assert [json.loads(line)["index"] for line in made.file.read_text().splitlines()] == [0, 2, 4]
    assert json.loads(made.summary.read_text())["rows"] == 5
