"""How classifiers are trained end to end is told in tests/calls/test_training.py; here, the parts of a job."""

from pathlib import Path

from tiny import save_encoder, save_reviews
from unfooled.config import recipe_from
from unfooled.models import load
from unfooled.tasks.classification import prepare
from unfooled.training import Processes
from unfooled.training.run_folder import State


def test_a_job_reads_judges_and_keeps_a_classifier(tmp_path: Path) -> None:
    recipe = recipe_from(
        {
            "data": {"source": str(save_reviews(tmp_path / "train.csv", 40)), "test": str(tmp_path / "test.csv")},
            "model": {"name": str(save_encoder(tmp_path / "encoder")), "max_length": 5},
            "plan": {"batch_size": 8},
        }
    )
    save_reviews(tmp_path / "test.csv", 20, seed=3)
    job = prepare(recipe, Processes())
    assert job.facts["labels"] == ["negative", "positive"] and job.facts["max_length"] == 5
    assert any("reach 5 tokens and are cut there" in note for note in job.notes)
    found = job.look()
    scores = job.scores(State(best_score=found.scores["accuracy"]))
    assert scores["validation accuracy"].value == found.scores["accuracy"] and scores["test accuracy"].n == 20
    job.save(tmp_path / "model", "a card")
    again = load(str(tmp_path / "model"))
    assert again.fingerprint() == job.model_hash() and again.trained_on is not None
    assert job.build().model is job.build().model  # the network of the job, not a copy
