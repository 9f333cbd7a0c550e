"""What every attempt of tests/commands/test_evaluate_language.py runs, in a file that a fresh process can import."""

import os

TRIALS = ["perplexity", "continuation"]


def evaluate_quietly(model: str, text: str, out: str) -> None:
    """What is killed: measure a language model, or go on measuring it."""
    import torch

    torch.set_num_threads(1)
    os.close(2)  # a killed process's last words are of no interest
    os.open(os.devnull, os.O_WRONLY)
    evaluate(model, text, out)


def evaluate(model: str, text: str, out: str) -> None:
    """Measure, or go on measuring."""
    import unfooled as uf

    settings = {"perplexity": {"radii": [0.5]}, "continuation": {"most": 60, "count": 2}}
    uf.evaluate(model, text, out, TRIALS, settings=settings, split="train")
