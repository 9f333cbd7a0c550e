from pathlib import Path

import torch
from sklearn.metrics import accuracy_score, confusion_matrix, log_loss
from two_processes import prepared

from unfooled.methods import Finetune
from unfooled.training import Processes, validate


def test_scores_equal_scikit_learns_and_the_mode_is_restored(tmp_path: Path) -> None:
    run = prepared(Finetune(), tmp_path, dropout=0.5)
    model, encoded, labels = run.objective.model, run.loader.encoded, list(run.loader.labels)
    model.train()
    found = validate(model, encoded, labels, 2, Processes(), batch_size=4)
    assert model.training
    model.eval()
    with torch.no_grad():
        logits = torch.cat([model(encoded.pad([row])).logits for row in range(len(labels))])
    assert found.scores["accuracy"] == accuracy_score(labels, logits.argmax(1))
    assert abs(found.scores["loss"] - log_loss(labels, logits.double().softmax(1).numpy())) < 1e-5
    assert found.confusion is not None
    assert found.confusion.tolist() == confusion_matrix(labels, logits.argmax(1), labels=[0, 1]).tolist()
