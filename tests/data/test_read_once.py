"""Each file is read once per command, and reading tables needs no torch."""

import csv
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import unfooled as uf
from unfooled.data.files import delimited
from unfooled.data.files.formats import Format, Row
from unfooled.data.files.lines import Lines
from unfooled.data.sources import DataSettings, forget, source_of

COLUMNS = ["text", "label", "pair", "version"]


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each CSV is read, by its name."""
    counts: Counter[str] = Counter()
    rows = delimited.CSV.rows

    def counted(file: Lines) -> Iterator[Row]:
        counts[file.path.name] += 1
        return rows(file)

    monkeypatch.setattr(delimited, "CSV", Format(counted))
    forget()
    return counts


def save(path: Path, count: int, word: str) -> None:
    rows = [
        (f"{word} film number {n}", ("neg", "pos")[n % 2], n // 2, ("original", "revised")[n % 2]) for n in range(count)
    ]
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([COLUMNS, *rows])


def test_training_and_evaluation_read_each_file_once(tmp_path: Path, reads: Counter[str]) -> None:
    data = tmp_path / "data"
    data.mkdir()
    for split, count in {"train": 40, "validation": 8, "test": 8}.items():
        save(data / f"{split}.csv", count, split)
    run = uf.train(str(data), tmp_path / "run", "textcnn", plan={"max_steps": 1})
    assert reads == {"train.csv": 1, "validation.csv": 1, "test.csv": 1}
    reads.clear()
    results = uf.evaluate(run.model, str(data), tmp_path / "results", limit=2, suite="quick")
    assert reads == {"test.csv": 1}
    assert "contrast" in {row.trial for row in results.rows}


def test_a_file_that_changed_is_read_again_and_what_is_forgotten_too(tmp_path: Path, reads: Counter[str]) -> None:
    path = tmp_path / "a.csv"
    save(path, 4, "old")
    settings = DataSettings(source=str(path), test=str(path))

    def first() -> object:
        return source_of(settings).splits["train"]().rows[0]["text"]

    assert first() == first() == source_of(settings).splits["test"]().rows[0]["text"] and reads["a.csv"] == 1
    save(path, 5, "new")
    assert first() == "new film number 0" and reads["a.csv"] == 2
    forget()
    assert first() == "new film number 0" and reads["a.csv"] == 3


def test_reading_tables_needs_no_torch(tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_text("text,label\na,0\nb\n")
    code = f"""
import sys
import unfooled.data.adversaries, unfooled.data.contrast_sets, unfooled.data.corpus, unfooled.data.parallel
import unfooled.data.label_sets, unfooled.data.numbers, unfooled.data.questions
from unfooled.data.examples import load_examples
from unfooled.data.sources import DataSettings
from unfooled.errors import BadInput
try:
    load_examples(DataSettings(source={str(tmp_path / "bad.csv")!r}), 0)
except BadInput as error:
    print(error)
assert not {{"torch", "transformers", "tokenizers", "pyarrow"}} & set(sys.modules), "too much is imported"
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "bad.csv, row 3: too few fields" in done.stdout
