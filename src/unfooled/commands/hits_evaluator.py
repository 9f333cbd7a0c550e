"""An evaluator for sentence-transformers: does an embedding tell a synonym from an antonym?"""

from collections.abc import Sequence
from typing import Any

from sentence_transformers.base.evaluation import BaseEvaluator

from unfooled.errors import BadInput
from unfooled.text.triples import triples
from unfooled.trials.hits import share_of_hits


class HitsEvaluator(BaseEvaluator):
    """Hits (CLINE 4.6) of sentence embeddings, for ``SentenceTransformerTrainer(evaluator=…)`` or to be called.

    Of every text with such words, one word is replaced by a synonym and one by an antonym; a hit is a text whose
    embedding is more like that of the first version, by the model's own similarity. ``hits`` is their share, with its
    95 % interval and the number of triples beside it. The same texts and seed give the same triples.
    """

    def __init__(self, texts: Sequence[str], name: str = "", seed: int = 0, batch_size: int = 32) -> None:
        super().__init__()
        self.name, self.batch_size = name, batch_size
        self.triples = triples(list(texts), seed)
        if not self.triples:
            raise BadInput("no text has a word with a synonym and one with an antonym; give other texts")
        self.primary_metric = f"{name}_hits" if name else "hits"

    def __call__(
        self, model: Any, output_path: str | None = None, epoch: int = -1, steps: int = -1
    ) -> dict[str, float]:
        """The share of hits of a model, its interval, and how many triples it is of."""
        texts = [text for one in self.triples for text in (one.original, one.synonym, one.antonym)]
        encoded = model.encode(texts, batch_size=self.batch_size, convert_to_tensor=True, show_progress_bar=False)
        original, synonym, antonym = encoded[0::3], encoded[1::3], encoded[2::3]
        alike, contrary = (model.similarity_pairwise(original, one).tolist() for one in (synonym, antonym))
        score = share_of_hits(list(zip(alike, contrary, strict=True)), "sentence embedding")
        numbers = {"hits": score.value, "hits_low": score.low, "hits_high": score.high, "triples": score.n}
        metrics: dict[str, float] = self.prefix_name_to_metrics(numbers, self.name)
        self.store_metrics_in_model_card_data(model, metrics, epoch, steps)
        return metrics
