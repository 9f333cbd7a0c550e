"""TextAttack's PWWS over given sentences, run inside the peer's own environment by ``bench/attack.py``.

One JSON line per example: outcome, texts asked about, texts that reached the model (the peer's own count includes what
its cache answers), the changed text, seconds by the wall and of the processor. Loading is not counted, and one sentence
is attacked before the clock starts, so that WordNet is in memory. Outcomes: ``fooled``, ``held``, ``skipped`` (the
model is wrong already).
"""

import argparse
import json
import time
from pathlib import Path

import torch
from textattack import Attack
from textattack.attack_recipes import PWWSRen2019
from textattack.attack_results import SkippedAttackResult, SuccessfulAttackResult
from textattack.models.wrappers import HuggingFaceModelWrapper
from transformers import AutoModelForSequenceClassification, AutoTokenizer

WARM_UP = "a quiet film"


class CountingWrapper(HuggingFaceModelWrapper):
    """The peer's wrapper, which also counts the texts that reach it."""

    reached = 0

    def __call__(self, texts: list[str]) -> torch.Tensor:
        self.reached += len(texts)
        return super().__call__(texts)


def outcome(result: object) -> str:
    if isinstance(result, SkippedAttackResult):
        return "skipped"
    return "fooled" if isinstance(result, SuccessfulAttackResult) else "held"


def attack_all(attack: Attack, wrapper: CountingWrapper, rows: list[dict], out: Path) -> None:
    with out.open("w", encoding="utf-8") as file:
        for row in rows:
            reached, began, worked = wrapper.reached, time.perf_counter(), time.process_time()
            result = attack.attack(row["text"], row["label"])
            record = {
                "outcome": outcome(result),
                "wall": time.perf_counter() - began,
                "cpu": time.process_time() - worked,
                "asked": result.num_queries,
                "queries": wrapper.reached - reached,
                "text": row["text"],
                "perturbed": result.perturbed_text(),
            }
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
            file.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("sentences", type=Path, help="JSON lines with text and label, a class number")
    parser.add_argument("--max-length", type=int, default=512)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    model = AutoModelForSequenceClassification.from_pretrained(given.model).eval()
    tokenizer = AutoTokenizer.from_pretrained(given.model)
    tokenizer.model_max_length = given.max_length
    wrapper = CountingWrapper(model, tokenizer)
    attack = PWWSRen2019.build(wrapper)
    rows = [json.loads(line) for line in given.sentences.read_text(encoding="utf-8").splitlines()]
    for label in range(model.config.num_labels):  # one of them is the model's own answer, and is attacked
        attack.attack(WARM_UP, label)
    attack_all(attack, wrapper, rows, given.out)


if __name__ == "__main__":
    main()
