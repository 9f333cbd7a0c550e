"""The encoders that the tables of CLINE and DCL compare: MiniLM, pre-trained further in several ways from one start.

MiniLM comes without a head for masked tokens, so ``start`` trains one by plain MLM; every other encoder goes on from
there for the same number of steps on the same blocks of WikiText-2. ``mlm`` is the control: the same steps, masked
tokens alone.
"""

import json
from pathlib import Path
from typing import Any

import unfooled as uf
from unfooled.methods import METHODS

RUNS = Path("runs/encoders")
CORPUS = {"source": "wikitext2_raw"}
LENGTH = 64
PLAN: dict[str, Any] = {
    "max_steps": 100,
    "batch_size": 16,
    "learning_rate": 1e-4,
    "evaluations_per_epoch": 1,
    "save_every": 50,
}
# name → (its method, settings of it)
ENCODERS: dict[str, tuple[str, dict[str, Any]]] = {
    "start": ("mlm", {}),
    "mlm": ("mlm", {}),
    "cline": ("cline", {}),
    "cline without detection": ("cline", {"rtd": "off"}),
    "cline with random negatives": ("cline", {"hard_negative": False}),
    "dcl": ("dcl", {}),
    "dcl with batch norm": ("dcl", {"norm": "batch"}),
    "dcl without norm": ("dcl", {"norm": "none"}),
    "mlm, 400 steps": ("mlm", {}),
    "cline, 400 steps": ("cline", {}),
    "dcl, 400 steps": ("dcl", {}),
}
LONGER = {name: {"max_steps": 400} for name in ENCODERS if name.endswith("400 steps")}


def encoder(name: str) -> str:
    """The folder of an encoder, trained if it is not there; ``minilm`` is the one that comes along."""
    if name == "minilm":
        return name
    out = folder(name)
    if not (out / "summary.json").is_file():
        method, settings = ENCODERS[name]
        base = "minilm" if name == "start" else encoder("start")
        model, plan = {"name": base, "max_length": LENGTH}, {**PLAN, **LONGER.get(name, {})}
        uf.train(CORPUS, out, model, METHODS[method].model_validate(settings), plan, resume=True)
    return str(out / "model")


def folder(name: str) -> Path:
    """Where an encoder is, or will be."""
    return RUNS / slug(name)


def slug(name: str) -> str:
    """An encoder's name as part of a path."""
    return name.replace(",", "").replace(" ", "-")


def facts(name: str) -> dict[str, Any]:
    """The scores of an encoder's own training, and its last look at validation: how alike texts and versions are."""
    encoder(name)
    out = folder(name)
    summary = json.loads((out / "summary.json").read_text())
    looks = [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]
    last = [look for look in looks if look["kind"] == "validation"][-1]
    alike = {key: value for key, value in last.items() if key.split()[0] in ("text", "projection")}
    return {"steps": summary["steps"], "scores": summary["scores"], "alike": alike}


if __name__ == "__main__":
    for each in ENCODERS:
        print(each, json.dumps(facts(each)), flush=True)
