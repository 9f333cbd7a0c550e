"""The evaluator for sentence-transformers, in that library's own hands."""

import json
from pathlib import Path

import pytest
import torch
from tiny import save_encoder
from village import TEXTS

import unfooled as uf
from unfooled.errors import BadInput
from unfooled.text.triples import triples

pytestmark = pytest.mark.filterwarnings("ignore")  # the other library's own


class Planted:
    """Embeddings in which antonym versions lie opposite, but for the first so many texts."""

    def __init__(self, wrong: int) -> None:
        every = triples(TEXTS)
        self.places = {one.original: torch.tensor([1.0, 0.0]) for one in every}
        self.places |= {one.synonym: torch.tensor([1.0, 0.1]) for one in every}
        self.places |= {
            one.antonym: torch.tensor([1.0, 0.1 if place < wrong else 9.0]) for place, one in enumerate(every)
        }
        self.model_card_data = self

    def encode(self, texts: list[str], **_: object) -> torch.Tensor:
        return torch.stack([self.places[text] for text in texts])

    def similarity_pairwise(self, first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
        return torch.cosine_similarity(first, second)

    def set_evaluation_metrics(self, evaluator: object, metrics: dict[str, float], epoch: int, step: int) -> None:
        self.told = metrics


def test_hits_are_counted_a_tie_is_none_and_the_model_card_is_told() -> None:
    evaluator, count = uf.HitsEvaluator(TEXTS, name="village"), len(triples(TEXTS))
    model = Planted(wrong=3)
    metrics = evaluator(model)
    assert metrics["village_hits"] == (count - 3) / count and metrics["village_triples"] == count
    assert metrics["village_hits_low"] < metrics["village_hits"] < metrics["village_hits_high"]
    assert evaluator.primary_metric == "village_hits" and model.told == metrics
    assert uf.HitsEvaluator(TEXTS)(Planted(wrong=0))["hits"] == 1.0


def test_texts_without_such_words_are_refused() -> None:
    with pytest.raises(BadInput, match="no text has a word with a synonym and one with an antonym"):
        uf.HitsEvaluator(["It is so.", "They were."])


def test_a_trainer_learns_from_triplets_and_asks_the_evaluator(tmp_path: Path) -> None:
    from datasets import Dataset
    from sentence_transformers import (
        SentenceTransformer,
        SentenceTransformerTrainer,
        SentenceTransformerTrainingArguments,
    )
    from sentence_transformers.sentence_transformer.losses import TripletLoss

    (tmp_path / "village.txt").write_text("\n".join(TEXTS[:16]) + "\n", encoding="utf-8")
    made = uf.generate_versions(tmp_path / "village.txt", tmp_path / "triplets.jsonl", format="triplets")
    rows = [json.loads(line) for line in made.file.read_text().splitlines()]
    encoder = SentenceTransformer(str(save_encoder(tmp_path / "encoder")), device="cpu")
    arguments = SentenceTransformerTrainingArguments(
        str(tmp_path / "out"), max_steps=2, per_device_train_batch_size=4, eval_strategy="steps", eval_steps=1,
        report_to="none", use_cpu=True, save_strategy="no", disable_tqdm=True,
    )  # fmt: skip
    trainer = SentenceTransformerTrainer(
        encoder, arguments, Dataset.from_list(rows), loss=TripletLoss(encoder), evaluator=uf.HitsEvaluator(TEXTS)
    )
    trainer.train()
    asked = [entry["eval_hits"] for entry in trainer.state.log_history if "eval_hits" in entry]
    assert len(asked) == 2 and asked[-1] == uf.HitsEvaluator(TEXTS)(encoder)["hits"]
