"""A victim is asked for the logits of an attack's clean texts, and its temperature is fitted to them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from unfooled.errors import Stopped
from unfooled.types import Texts
from unfooled.victims.temperature import of_classes, of_sets
from unfooled.victims.victim import Victim, characters


def temperature_of(victim: Victim, texts: Sequence[Texts], labels: Sequence[Any], batch_size: int) -> float | None:
    """T* of a victim on all clean texts of an attack with their gold labels; None where it gives no logits.

    Texts that it cannot answer are left out, for their attacks will say so. The questions are no part of any search.
    """
    if not victim.logits:
        return None
    able = victim.tried(texts[0])
    rows = clean_logits(able, texts, batch_size)
    return of_classes(rows, labels) if able.sets is None else of_sets(rows, labels)


def clean_logits(victim: Victim, texts: Sequence[Texts], batch_size: int) -> np.ndarray:
    """The logits of texts [n, classes], asked in batches of texts of like length; NaN where there is no answer."""
    try:
        lengths = victim.lengths(texts)
    except Exception:  # a victim that cannot measure a text may still answer the others
        lengths = characters(texts)
    order = np.argsort(-np.asarray(lengths), kind="stable")
    rows = np.zeros((len(texts), victim.classes))
    for start in range(0, len(order), batch_size):
        some = order[start : start + batch_size]
        rows[some] = answered(victim, [texts[place] for place in some])
    return rows


def answered(victim: Victim, texts: Sequence[Texts]) -> np.ndarray:
    """The logits of a batch; one that fails is halved until the text at fault is alone."""
    try:
        rows = victim.raw(texts)
    except Stopped:
        raise
    except Exception:
        rows = np.zeros(0)
    if rows.shape == (len(texts), victim.classes):
        return rows.astype(np.float64)
    if len(texts) == 1:
        return np.full((1, victim.classes), np.nan)
    middle = len(texts) // 2
    return np.concatenate([answered(victim, texts[:middle]), answered(victim, texts[middle:])])
