"""Results of language models and translators made by hand: nothing is computed."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from unfooled.evaluation.language_results import Found, keep
from unfooled.evaluation.metrics import Score


def score(value: float, n: int = 100, definition: str = "what it counts") -> Score:
    return Score(value, 0.9 * value, 1.1 * value, n, definition)


def save_found(folder: Path, found: Found, **changes: Any) -> Path:
    """One trial's file; changes go over what it says of itself."""
    header = {"model_hash": f"hash of {found.model}", "data_hash": "d test 40", "settings": {"radius": 3.0, "count": 3}}
    about = {"data": "ptb", "split": "test", "examples": 40}
    both = {**header, **about, **changes}
    path = folder / "".join(char if char.isalnum() else "-" for char in found.model) / f"{found.trial}.json"
    keep(path, {name: both[name] for name in header}, found, {name: both[name] for name in about if both[name]})
    return path


def perplexities(model: str, clean: float, moved: Sequence[tuple[str, float]]) -> Found:
    scores = {"clean": score(clean)} | {f"perturbed by {radius}": score(value) for radius, value in moved}
    return Found(model, "perplexity", scores)


def continued(model: str, texts: Sequence[tuple[str, str, str, str]]) -> Found:
    """Texts as (text, word, clean, perturbed)."""
    rows = tuple(
        {"text": text, "word": word, "clean": clean, "perturbed": perturbed, "losses": [1.0, 2.0]}
        for text, word, clean, perturbed in texts
    )
    return Found(model, "continuation", {"perplexity": score(9.0)}, rows)


def near(model: str, **nearest: Sequence[tuple[str, float]]) -> Found:
    rows = tuple({"word": word, "nearest": [list(one) for one in some]} for word, some in nearest.items())
    return Found(model, "neighbours", {}, rows)


def translated(model: str, texts: Sequence[tuple[str, str, str]], bleu: float = 20.0) -> Found:
    """Texts as (source, reference, written)."""
    rows = tuple({"source": source, "reference": told, "written": own} for source, told, own in texts)
    return Found(model, "quality", {"given BLEU": score(bleu), "given chrF": score(2 * bleu)}, rows)


def sides(model: str, texts: Sequence[tuple[str, str, str, str, str]]) -> Found:
    """Texts as (source, word, reference, clean, perturbed)."""
    rows = tuple(
        {"source": source, "word": word, "reference": told, "clean": {model: clean}, "perturbed": {model: moved}}
        for source, word, told, clean, moved in texts
    )
    return Found(model, "side_by_side", {}, rows)
