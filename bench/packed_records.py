"""Every attack on a packed and on a padded network: whether all records are the same, and what each took.

``make bench-records``. The model and its sentences are those of ``attack.py``, or ``--model``; both sides are the same
weights, one asked without padding (``models/encoders/packed.py``), one as transformers has it. Records are compared in
every field, probabilities within 1e-5. Attacks stand beside each other on the same sentences: how many are fooled, how
many texts each asks, and processor seconds, which a busy machine changes little.
"""

import argparse
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import torch

from attack import BATCH, MODEL, trained_model
from unfooled.attacks import ATTACKS, PWWS_PEER, Attack, AttackRecord, Limits, run_attack
from unfooled.commands.attack_parts import parts_for
from unfooled.data.examples import load_split
from unfooled.data.sources import DataSettings
from unfooled.models import TextModel, load
from unfooled.tokens import encode
from unfooled.victims import Victim
from unfooled.victims.network import of_model

NEAR = 1e-5  # by which probabilities may differ
HEAD = "| attack | attacked | fooled | success | queries a text | other records | packed, s | padded, s | ratio |"


@dataclass(frozen=True)
class Side:
    """The records of one side and the processor seconds they took."""

    records: list[AttackRecord]
    seconds: float


def padded(model: TextModel) -> Victim:
    """The model as a victim whose network is asked as transformers has it."""

    def call(texts: Sequence[tuple[str, ...]]) -> np.ndarray:
        tokens = encode(model.tokenizer, texts, model.max_length).pad(range(len(texts)))
        with torch.inference_mode():
            return np.asarray(model.classifier(tokens).logits.double())

    return replace(of_model(model), call=call)


def attacked(attack: Attack, victim: Victim, texts: Sequence[str], labels: Sequence[int]) -> Side:
    parts = parts_for(attack, "minilm" if attack.needs_similarity or attack.near_words is not None else None)
    began = time.process_time()
    records = list(run_attack(attack, victim, texts, labels, parts=parts, limits=Limits(batch_size=BATCH)))
    return Side(sorted(records, key=lambda record: record.index), time.process_time() - began)


def alike(one: AttackRecord, other: AttackRecord) -> bool:
    """Whether two records are the same, probabilities but for rounding."""
    sides = [asdict(record) for record in (one, other)]
    chances = [[side.pop(name) for name in ("before", "after", "similarity")] for side in sides]
    near = [
        np.shape(a or 0.0) == np.shape(b or 0.0) and np.allclose(a or 0.0, b or 0.0, rtol=0, atol=NEAR)
        for a, b in zip(*chances, strict=True)
    ]
    return sides[0] == sides[1] and all(near)


def line(name: str, quick: Side, plain: Side) -> str:
    asked = [record for record in quick.records if record.outcome != "already wrong"]
    fooled = sum(record.outcome == "fooled" for record in asked)
    others = sum(not alike(*pair) for pair in zip(quick.records, plain.records, strict=True))
    queries = sum(record.queries for record in asked) / max(len(asked), 1)
    told = f"| {name} | {len(asked)} | {fooled} | {fooled / max(len(asked), 1):.1%} | {queries:.1f} | {others} "
    return f"{told}| {quick.seconds:.1f} | {plain.seconds:.1f} | {plain.seconds / quick.seconds:.2f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, help="a classifier of mr; else the one that attack.py trains")
    parser.add_argument("--examples", type=int, default=250)
    parser.add_argument("--attacks", help="names, parted by commas; else all")
    given = parser.parse_args()
    if given.model is None:
        trained_model()
    model = load(str(given.model or MODEL))
    model.classifier.eval()
    split, _, _ = load_split(DataSettings(source="mr"), model.labels, "test", given.examples)
    texts, labels = [text for (text,) in split.texts], [int(label) for label in split.labels]
    attacks: dict[str, Attack] = {name: ATTACKS[name]() for name in ATTACKS} | {"pwws_peer": PWWS_PEER}
    names = given.attacks.split(",") if given.attacks else list(attacks)
    print(f"{torch.get_num_threads()} threads, torch {torch.__version__}, {len(texts)} sentences\n\n{HEAD}", flush=True)
    print("|---|---|---|---|---|---|---|---|---|", flush=True)
    for name in names:
        sides = [attacked(attacks[name], victim, texts, labels) for victim in (of_model(model), padded(model))]
        print(line(name, *sides), flush=True)


if __name__ == "__main__":
    main()
