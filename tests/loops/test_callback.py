"""Trials during anybody's training: their numbers reach the trackers, and training does not notice."""

from pathlib import Path
from typing import Any

import pytest
import transformers
from loop_ground import LABELS, STEPS, model_of, split, trainer_of

import unfooled as uf
from unfooled.errors import BadInput
from unfooled.models.encoders.pretrained import weights_hash

ROWS = split()
DATA = ([text for (text,) in ROWS.texts], [LABELS[label] for label in ROWS.labels])
QUICK = {"settings": {"deepwordbug": {"similarity": None}}}
TRIALS = ["clean", "deepwordbug"]


class Tracker(transformers.TrainerCallback):
    """What any tracker is: it is told every log line."""

    def __init__(self) -> None:
        self.lines: list[tuple[int, dict[str, float]]] = []

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **known: Any) -> None:
        self.lines.append((state.global_step, dict(logs)))


def plain(folder: Path, **given: Any) -> Any:
    """A stock trainer."""
    return trainer_of(None, folder, model_of(folder, dropout=0.1), transformers.Trainer, **given)


def losses(trainer: Any) -> list[float]:
    return [line["loss"] for line in trainer.state.log_history if "loss" in line]


def test_training_goes_on_as_if_nothing_had_been_measured(tmp_path: Path) -> None:
    alone = plain(tmp_path, max_steps=6)
    alone.train()
    measured, tracker = plain(tmp_path, max_steps=6, callbacks=[tracker := Tracker()]), tracker
    measured.add_callback(uf.RobustnessCallback(measured, DATA, TRIALS, every=2, limit=8, **QUICK))
    measured.train()
    assert weights_hash(measured.model) == weights_hash(alone.model)
    assert losses(measured) == losses(alone) and len(losses(alone)) == 6  # no line of the trainer's own is lost
    told = [(step, line) for step, line in tracker.lines if "eval_deepwordbug_accuracy_under_attack" in line]
    assert [step for step, _ in told] == [2, 4, 6]
    assert all({"eval_clean_accuracy", "eval_deepwordbug_attack_success", "epoch"} <= line.keys() for _, line in told)


def test_the_numbers_are_those_of_an_evaluation(tmp_path: Path) -> None:
    trainer = plain(tmp_path, max_steps=8, learning_rate=1e-2)
    trainer.add_callback(
        uf.RobustnessCallback(trainer, DATA, TRIALS, every="epoch", limit=8, out=tmp_path / "measured", **QUICK)
    )
    trainer.train()
    lines = [line for line in trainer.state.log_history if "eval_clean_accuracy" in line]
    assert [line["step"] for line in lines] == [4, 8]
    both = (trainer.model, trainer.processing_class)
    results = uf.evaluate(both, DATA, tmp_path / "after", TRIALS, limit=8, **QUICK)
    after = {f"eval_{row.trial}_{row.metric}": row.score.value for row in results.rows if not row.detail}
    assert {name: lines[-1][name] for name in after} == pytest.approx(after, nan_ok=True)
    assert uf.report([tmp_path / "measured" / "step-000008"], tmp_path / "page.html").is_file()


def test_the_best_weights_may_be_chosen_by_a_trial(tmp_path: Path) -> None:
    trainer = plain(
        tmp_path, max_steps=8, save_strategy="epoch", load_best_model_at_end=True,
        metric_for_best_model="eval_deepwordbug_accuracy_under_attack", greater_is_better=True,
    )  # fmt: skip
    trainer.add_callback(uf.RobustnessCallback(trainer, DATA, ["deepwordbug"], limit=8, **QUICK))
    trainer.train()
    name = "eval_deepwordbug_accuracy_under_attack"
    seen = [line[name] for line in trainer.state.log_history if name in line]
    assert len(seen) == 2 and trainer.state.best_metric == max(seen)


def test_a_robust_trainer_is_measured_too(tmp_path: Path) -> None:
    trainer = trainer_of("freelb", tmp_path, max_steps=4)
    trainer.add_callback(uf.RobustnessCallback(trainer, DATA, ["clean"], limit=8))
    trainer.train()
    assert any("eval_clean_accuracy" in line for line in trainer.state.log_history)
    assert STEPS > 4


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"every": 0}, 'every=0 is no moment of training; give "evaluation", "epoch" or a number of steps'),
        ({"every": "step"}, "every='step' is no moment of training"),
        ({"trials": ["pwsw"]}, "there is no trial called pwsw; did you mean pwws?"),
        ({"data": (["a text"], ["strange"])}, "strange"),
        ({"settings": {"pgd": {}}}, "pgd has settings but is not among the trials"),
    ],
)
def test_what_would_fail_in_the_midst_of_training_is_refused_before(
    change: dict[str, Any], sentence: str, tmp_path: Path
) -> None:
    given = {"data": DATA, "trials": ["clean"], **change}
    with pytest.raises(BadInput, match=sentence):
        uf.RobustnessCallback(plain(tmp_path), **given)


def test_a_trainer_that_cannot_be_asked_is_refused(tmp_path: Path) -> None:
    trainer = plain(tmp_path, processing_class=None)
    with pytest.raises(BadInput, match="give the trainer processing_class=tokenizer"):
        uf.RobustnessCallback(trainer, DATA)
    trainer.is_fsdp_enabled = True
    with pytest.raises(BadInput, match="share the weights out, and no process could ask the model; measure it after"):
        uf.RobustnessCallback(trainer, DATA)


def test_a_trial_that_fails_stops_training_in_a_sentence(tmp_path: Path) -> None:
    trainer = plain(tmp_path, max_steps=2)
    (tmp_path / "file").write_text("")
    trainer.add_callback(uf.RobustnessCallback(trainer, DATA, ["clean"], every=1, limit=8, out=tmp_path / "file"))
    with pytest.raises(BadInput, match="the trials at step 1 failed: .*step-000001"):
        trainer.train()
