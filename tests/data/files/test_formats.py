"""One table of kinds of files: what stands in it is read everywhere, and what does not is refused in the same words."""

import sys
from pathlib import Path
from types import ModuleType

import pytest

from unfooled.data.adversaries import StoredAdversary, read_adversaries
from unfooled.data.contrast_sets import contrast_set
from unfooled.data.corpus import corpus_file, load_corpus, load_lines
from unfooled.data.examples import load_examples, load_split
from unfooled.data.files.formats import FORMATS, Format, ending, format_of, is_plain, tables
from unfooled.data.files.tables import read_table
from unfooled.data.files.texts import TextFile
from unfooled.data.parallel import load_parallel
from unfooled.data.sources import DataSettings, find, known_names
from unfooled.errors import BadInput
from unfooled.tasks.guess import guess


def test_the_table_says_what_each_kind_is_and_all_load() -> None:
    assert list(FORMATS) == [".csv", ".tsv", ".jsonl", ".json", ".parquet", ".xlsx", ".txt"]
    assert all(isinstance(FORMATS[kind], Format) for kind in FORMATS)
    assert tables() == [".csv", ".tsv", ".jsonl", ".json", ".parquet", ".xlsx"]
    assert is_plain(Path("a.TXT.gz")) and not is_plain(Path("a.csv")) and not is_plain(Path("a"))
    assert ending(Path("a.jsonl.gz")) == ".jsonl.gz" and ending(Path("a.gz")) == ""


def test_what_is_no_file_of_ours_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_text("x")
    for path, said in {"a.pdf": "unknown kind of file", "b.csv": "no such file", ".": "is a folder"}.items():
        with pytest.raises(BadInput, match=said):
            format_of(tmp_path / path)


def bars(file):
    """Fields between bars, the first row naming them."""
    header = None
    for line in file:
        fields = line.rstrip("\n").split("|")
        if header is None:
            header = fields
        else:
            yield dict(zip(header, fields, strict=True))
        file.row += 1


@pytest.fixture
def piped(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kind of file that is added by one module and one line of the table."""
    module = ModuleType("bars_of_a_test")
    module.BARS = Format(bars)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(FORMATS.entries, ".bar", ("bars_of_a_test:BARS", "Fields between bars."))


@pytest.mark.usefixtures("piped")
def test_a_new_kind_is_one_file_and_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        f"film number {number} is {('bad', 'good')[number % 2]}|{('neg', 'pos')[number % 2]}" for number in range(40)
    ]
    films = tmp_path / "films"
    films.mkdir()
    (films / "train.bar").write_text("\n".join(["text|label", *rows]))
    settings = DataSettings(source=str(films))
    monkeypatch.setenv("UNFOOLED_DATA", str(tmp_path))
    assert "films" in known_names() and find("films/train").is_one_file and guess(settings)[0] == "classification"
    data = load_examples(settings, 0)
    assert data.labels == ("neg", "pos") and len(data.train) == 36
    assert len(load_split(settings, ("neg", "pos"))[0]) == 40
    texts = [row.split("|")[0] for row in rows]
    assert [text for _, text in TextFile(corpus_file(films))] == texts
    for load in (load_corpus, load_lines):
        corpus = load(settings)
        assert corpus.splits["train"] + corpus.splits["validation"] == texts
    (tmp_path / "set.bar").write_text("text|label|pair|version\na|neg|1|original\nb|pos|1|revised\n")
    assert len(contrast_set(DataSettings(source=str(tmp_path / "set.bar")), ("neg", "pos"))[0]) == 2
    (tmp_path / "stored.bar").write_text("original|adversary|label\na|b|pos\n")
    assert read_adversaries(tmp_path / "stored.bar", ("neg", "pos")) == [StoredAdversary(("a",), ("b",), 1)]
    (tmp_path / "two").mkdir()
    for language in ("en", "de"):
        (tmp_path / "two" / f"train.{language}.bar").write_text("text\none\ntwo\n")
    pairs = load_parallel(DataSettings(source=str(tmp_path / "two"), text="en", label="de"))
    assert pairs.splits["train"] == [("one", "one")]
    (films / "train.bar.zip").write_text("")
    with pytest.raises(BadInput, match=r"must end in .csv, .*, .bar \(or"):
        read_table(films / "train.bar.zip")


CONTENTS = {
    ".csv": "id,review\n1,a good film\n2,\n3,a bad film\n",
    ".tsv": "id\treview\n1\ta good film\n2\t\n3\ta bad film\n",
    ".jsonl": '{"id": 1, "review": "a good film"}\n{"id": 2}\n{"id": 3, "review": "a bad film"}\n',
    ".json": '[{"id": 1, "review": "a good film"}, {"id": 2, "review": null}, {"id": 3, "review": "a bad film"}]',
    ".txt": "a good film\n\na bad film\n",
}


@pytest.mark.parametrize("kind", CONTENTS)
def test_generation_pre_training_and_language_models_read_the_same_texts(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"c{kind}"
    path.write_text(CONTENTS[kind])
    settings = DataSettings(source=str(path), validation_fraction=0.4)
    expected = ["a good film", "", "a bad film"]
    assert [text for _, text in TextFile(corpus_file(path))] == expected
    lines, corpus = load_lines(settings).splits, load_corpus(settings).splits
    assert lines["train"] + lines["validation"] == expected
    assert corpus["train"] + corpus["validation"] == [text for text in expected if text]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.csv", b"first,second\na,b\n", "which column is the text is not clear"),
        ("a.csv", b"text,text\na,b\n", "column text appears twice"),
        ("a.tsv", b"text\tid\na\n", "row 2: too few fields"),
        ("a.jsonl", b'{"text": 3}\n', "row 1, column text: 3 is no text"),
        ("a.txt", b"fin\xc3\xa9\n\xff\n", "row 2: byte 6 of the file is not UTF-8"),
        ("a.txt.gz", b"no gzip", "broken gzip"),
        ("a.pdf", b"x", "unknown kind of file; the name must end in .csv"),
        ("a.csv", b"review\n" + b"x" * (33 * 2**20), "row 2: longer than 16 MB without a line end"),
    ],
)
def test_generation_pre_training_and_language_models_refuse_in_the_same_words(
    tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    (tmp_path / name).write_bytes(content)
    settings, words = DataSettings(source=str(tmp_path / name)), set()
    for read in (load_lines, load_corpus, lambda _: list(TextFile(corpus_file(tmp_path / name)))):
        with pytest.raises(BadInput, match=said) as caught:
            read(settings)
        words.add(str(caught.value))
    assert len(words) == 1
