"""What stands in for a reader's files, models and servers when the blocks of a page are run: tiny, and made here."""

import csv
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from servers import classified, completed, serving
from tiny import reviews, save_encoder, save_reviews

import unfooled as uf

MOST_ROWS = 48  # of a table that a page itself writes
# Data sets that recipes and commands name below UNFOOLED_DATA, by what they hold.
LABELLED = ("mr", "sst2", "cola", "trec6", "perspectrum")
RUNNING_TEXT = ("wikitext2_raw", "ptb")


@dataclass(frozen=True)
class StandIns:
    """Where they are: the folder for UNFOOLED_DATA, a trained run, results of it, and two servers."""

    data: Path
    run: Path
    results: Path
    classifier: str
    chat: str


@contextmanager
def stand_ins(folder: Path) -> Iterator[StandIns]:
    """All of them, as long as they are asked for."""
    data = folder / "data"
    save_encoder(data / "minilm", positions=512)
    for name in LABELLED:
        (data / name).mkdir()
        for number, split in enumerate(("train", "validation", "test")):
            save_reviews(data / name / f"{split}.csv", 40 if split == "train" else 16, seed=number)
    for name in RUNNING_TEXT:
        (data / name).mkdir()
        for number, split in enumerate(("train", "validation", "test")):
            lines = [f"{text.capitalize()} ." for text, _ in reviews(80, seed=number)]
            lines.append("A friend is at the market .")
            (data / name / f"{split}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (data / "multi30k").mkdir()
    for number, split in enumerate(("train", "validation", "test")):
        lines = [text for text, _ in reviews(40, seed=number)]
        for language, own in (("en", lines), ("de", [line[::-1] for line in lines])):
            (data / "multi30k" / f"{split}.{language}.txt").write_text("\n".join(own) + "\n", encoding="utf-8")
    texts = reviews(60, seed=9)
    train, unseen = [[{"text": text, "label": label} for text, label in some] for some in (texts[:40], texts[40:])]
    encoder = {"name": str(data / "minilm"), "max_length": 32}
    run = uf.train(train, folder / "run", encoder, plan={"max_steps": 2})
    uf.evaluate([run.model], unseen, folder / "results", ["clean", "pwws"], settings={"pwws": {"similarity": None}})
    with serving(classified) as classifier, serving(completed) as chat:
        yield StandIns(data, folder / "run", folder / "results", classifier.url, chat.url)


def write_table(path: Path, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A CSV file."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(rows)


def fill(folder: Path) -> None:
    """The files that pages name as a reader's own."""
    save_reviews(folder / "reviews.csv", 44, seed=1)
    for name in ("unseen.csv", "test.csv"):
        save_reviews(folder / name, 10, seed=2)
    lines = [f"The old film was good, and the actors laughed at number {number}.\n" for number in range(30)]
    (folder / "corpus.txt").write_text("".join(lines), encoding="utf-8")


def cut(folder: Path) -> None:
    """Cut tables that a page wrote itself to a few rows."""
    for path in folder.glob("*.csv"):
        with path.open(encoding="utf-8", newline="") as file:
            columns, *rows = csv.reader(file)
        if len(rows) > MOST_ROWS:
            write_table(path, columns, rows[: MOST_ROWS // 2] + rows[-MOST_ROWS // 2 :])


def provide(names: Sequence[str], stand: StandIns, command: str) -> None:
    """Put a run, results or a file of scikit-learn where a command names one that no earlier command has made."""
    for name in names:
        path = Path(name)
        if path.exists() or name.startswith(("-", "http")):
            continue
        if path.name == "model.skops":
            save_skops(path)
        elif command in ("report", "gate", "verify"):
            shutil.copytree(stand.results, path)
        elif name == "runs/encoder":
            shutil.copytree(stand.data / "minilm", path)
        else:
            shutil.copytree(stand.run, path)


def save_skops(path: Path) -> None:
    """A fitted pipeline as skops writes it."""
    import skops.io
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    texts, labels = zip(*reviews(40), strict=True)
    skops.io.dump(make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(texts, labels), path)
