"""What every attempt of tests/training/test_kill.py runs, in a file that a fresh process can import."""

import os

PLAN = {
    "epochs": 3,
    "batch_size": 8,
    "accumulation": 2,
    "save_every": 2,
    "evaluations_per_epoch": 2,
    "log_every": 3,
}


def train(folder: str, out: str, method: str) -> None:
    """What every attempt runs: train, or go on training."""
    import torch

    import unfooled as uf
    from unfooled.methods import METHODS

    torch.set_num_threads(1)
    os.close(2)  # a killed process's last words are of no interest
    os.open(os.devnull, os.O_WRONLY)
    settings = {
        "adversarial_text": {"adversaries": f"{folder}/attack", "strangers": "leave out"},
        "worst_words": {"sources": ["wordnet", "any_sense", "inflections", "typos", "mask"]},  # quick to open
    }
    chosen = METHODS[method].model_validate(settings.get(method, {}))
    uf.train(f"{folder}/reviews.csv", out, f"{folder}/encoder", chosen, PLAN, seed=5, resume=True)
