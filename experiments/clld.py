"""CLLD against fine-tuning, supervised contrast and R-Drop: ``make results-clld`` (Tables II and III, small)."""

import sys
from pathlib import Path

from grid import Entry, Grid, Setting, fill, interval, markdown, read

from unfooled.report.charts.heat_map import heat_map

ROWS = Path("docs/results/clld.jsonl")
PLAN = {"epochs": 4, "batch_size": 64, "evaluations_per_epoch": 5, "save_every": None}
SMALL = {"epochs": 2, "batch_size": 32, "evaluations_per_epoch": 10, "save_every": None}
TEXTCNN, MINILM = {"name": "textcnn", "max_length": 64}, {"name": "minilm", "max_length": 32}


def cnn(data: str, rows: int = 3000, rates: tuple[float, ...] = (3e-3,)) -> Setting:
    """TextCNN; the rate was tuned on TREC-6, where every method's choice was the same, and kept for the others."""
    source = {"source": data, "limit": rows, "validation_fraction": 0.2}
    return Setting(f"{data}-textcnn", source, TEXTCNN, PLAN, rates)


def minilm(data: str) -> Setting:
    """MiniLM on 750 rows; nothing is tuned."""
    source = {"source": data, "limit": 750, "validation_fraction": 0.3}
    return Setting(f"{data}-minilm", source, MINILM, SMALL, (2e-4,))


SETTINGS = [
    cnn("trec6", rates=(1e-3, 3e-3)),
    cnn("mr"),
    cnn("20ng", 2000),
    cnn("r8", 1200),
    cnn("r52", 1200),
    minilm("trec6"),
]
ENTRIES = [
    Entry("finetune", "finetune"),
    Entry("supcon", "supcon"),  # and CLLD with distance = "none", which is the same to the bit
    Entry("rdrop", "rdrop"),
    Entry("static", "clld", lambda plain, rate: {"distance": "static", "auto_pairs": 3, "baseline": plain}),
    Entry("adaptive", "clld", lambda plain, rate: {"distance": "adaptive"}),
]


def table() -> str:
    """Test accuracy, mean over seeds with Student's interval."""
    rows, lines = read(ROWS), []
    for setting in SETTINGS:
        cells, size = [], ""
        for entry in ENTRIES:
            mine = [row for row in rows if (row["setting"], row["entry"]) == (setting.name, entry.name)]
            cells.append(interval([row["test"] for row in mine]) if mine else "")
            size = str(mine[0]["test_n"]) if mine else size
        lines.append([setting.name, *cells, size])
    return markdown(["", *(entry.name for entry in ENTRIES), "n"], lines)


def draw() -> None:
    """The label distances that the first seed's adaptive run ended with, one picture per data set of TextCNN."""
    for row in read(ROWS):
        if row["entry"] == "adaptive" and row["seed"] == 0 and row["setting"].endswith("textcnn"):
            data = row["setting"].removesuffix("-textcnn")
            title = f"label distances learnt on {data} ({row['label_distance_updates']} updates)"
            picture = heat_map(row["label_distance"], row["label_names"], title)
            (ROWS.parent / f"label-distance-{data}.svg").write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    if "--table" not in sys.argv:
        fill(ROWS, Grid(Path("runs/clld")).cells(SETTINGS, ENTRIES))
    draw()
    print(table())
