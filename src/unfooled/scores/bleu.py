"""BLEU and chrF of translations, sacrebleu's, with its signatures, so that they can be compared with others' scores."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from unfooled.scores.score import Score
from unfooled.seeds import digest

RESAMPLES = 1000


def bleu_and_chrf(
    written: Sequence[str], references: Sequence[str], split: str
) -> tuple[dict[str, Score], dict[str, str]]:
    """BLEU and chrF of a split, each with a bootstrap interval over its texts; and their signatures."""
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF

    scores: dict[str, Score] = {}
    signatures: dict[str, str] = {}
    random = np.random.default_rng(digest("bootstrap"))
    draws = random.integers(0, len(written), (RESAMPLES, len(written)))
    for name, metric in (("BLEU", BLEU()), ("chrF", CHRF())):
        value = float(metric.corpus_score(list(written), [list(references)]).score)
        counts = np.asarray(metric._extract_corpus_statistics(list(written), [list(references)]), dtype=np.float64)
        # Not sacrebleu's own interval, which fails where a resample scores 0. Counts add up, so texts can be resampled.
        resampled = [float(metric._compute_score_from_stats(counts[rows].sum(axis=0).tolist()).score) for rows in draws]
        low, high = np.quantile(resampled, [0.025, 0.975])
        signatures[name] = str(metric.get_signature())
        definition = f"sacrebleu {name} of the {split} split, {signatures[name]}"
        score = Score(value, float(low), float(high), len(written), definition, least=0.0, most=100.0)
        scores[f"{split} {name}"] = score.called(name, "")
    return scores, signatures


def sentence_chrf(written: str, reference: str) -> float:
    """chrF of one translation, from 0 to 100."""
    return float(chrf().sentence_score(written, [reference]).score)


def chrf() -> Any:
    """sacrebleu's chrF."""
    from sacrebleu.metrics.chrf import CHRF

    return CHRF()
