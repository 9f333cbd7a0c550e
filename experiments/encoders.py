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
}


def encoder(name: str) -> str:
    """The folder of an encoder, trained if it is not there; ``minilm`` is the one that comes along."""
    if name == "minilm":
        return name
    out = RUNS / name.replace(" ", "-")
    if not (out / "summary.json").is_file():
        method, settings = ENCODERS[name]
        base = "minilm" if name == "start" else encoder("start")
        model = {"name": base, "max_length": LENGTH}
        uf.train(CORPUS, out, model, METHODS[method].model_validate(settings), PLAN, resume=True)
    return str(out / "model")


def facts(name: str) -> dict[str, Any]:
    """The scores of an encoder's own training, and its last look at validation: how alike texts and versions are."""
    encoder(name)
    folder = RUNS / name.replace(" ", "-")
    summary = json.loads((folder / "summary.json").read_text())
    looks = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    last = [look for look in looks if look["kind"] == "validation"][-1]
    alike = {key: value for key, value in last.items() if key.split()[0] in ("text", "projection")}
    return {"steps": summary["steps"], "scores": summary["scores"], "alike": alike}


if __name__ == "__main__":
    for each in ENCODERS:
        print(each, json.dumps(facts(each)), flush=True)
