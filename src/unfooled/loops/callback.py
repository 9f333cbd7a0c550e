"""``RobustnessCallback``: trials while anybody trains, logged by the trainer's own trackers.

    trainer.add_callback(uf.RobustnessCallback(trainer, test, ["pwws"], every="epoch", limit=50))

The model is measured as it is, in evaluation mode and full precision; nothing is drawn that training would draw, so
training goes on as if nothing had been measured. Of several processes the first measures and the others wait.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import torch
import transformers

from unfooled.commands.attack_parts import parts_for
from unfooled.commands.evaluate import Asked, check_trials, chosen_trials, data_settings, gathered
from unfooled.commands.label_names import opened_by
from unfooled.errors import BadInput
from unfooled.gather import said_by_first
from unfooled.loops.trainer import plain_forward
from unfooled.parsing import json_value
from unfooled.progress import quietly
from unfooled.results.run import evaluate as run_trials
from unfooled.terminal import say
from unfooled.trials.trial import Row, remembering
from unfooled.victims.victim import Victim

Moment = Literal["evaluation", "epoch"]
PREFIX = "eval_"  # by which trainers and trackers know what was measured


class RobustnessCallback(transformers.TrainerCallback):
    """Puts a trainer's model through trials: at every evaluation, every epoch, or every so many steps.

    At an evaluation the numbers also join the evaluation's own, so that ``metric_for_best_model`` may name one, such as
    ``eval_pwws_accuracy_under_attack``. ``data`` is whatever ``uf.evaluate`` takes, ``limit`` how many of its texts;
    ``settings`` go by trial. With ``out`` each time leaves a results folder there, for ``uf.report``.
    """

    def __init__(
        self,
        trainer: Any,
        data: Any,
        trials: Sequence[str] = ("pwws",),
        every: Moment | int = "evaluation",
        *,
        limit: int | None = 50,
        settings: Mapping[str, Mapping[str, Any]] | None = None,
        labels: Sequence[str] | Mapping[str, str] = (),
        text: str | None = None,
        label: str | None = None,
        out: str | Path | None = None,
        batch_size: int = 64,
        seed: int = 0,
    ) -> None:
        check_every(every)
        check_whole(trainer)
        check_trials(trials, "quick", settings or {})
        self.trainer, self.every, self.labels = trainer, every, labels
        self.out, self.batch_size, self.seed = None if out is None else Path(out), batch_size, seed
        victim = self.victim(trainer.model)
        self.trials = chosen_trials(trials, "quick", settings or {}, victim.task)
        asked = Asked(data_settings(data, text=text, label=label), None, limit, seed, explicit=True)
        self.inputs, notes = gathered(asked, victim, self.trials)
        self.parts = remembering(parts_for)
        if trainer.is_world_process_zero():
            say(*notes, error=True) if notes else None

    def victim(self, model: Any) -> Victim:
        """The model as it is now."""
        [victim] = opened_by([(model, self.trainer.processing_class)], self.labels)
        return victim

    def on_evaluate(self, args: Any, state: Any, control: Any, metrics: Any = None, **known: Any) -> None:
        """After the trainer's own evaluation, whose numbers these join."""
        if self.every == "evaluation":
            numbers = self.measured(control)
            if metrics is not None:
                metrics.update(numbers)

    def on_epoch_end(self, args: Any, state: Any, control: Any, **known: Any) -> None:
        """After an epoch."""
        if self.every == "epoch":
            self.measured(control)

    def on_step_end(self, args: Any, state: Any, control: Any, **known: Any) -> None:
        """After an update."""
        if isinstance(self.every, int) and state.global_step % self.every == 0:
            self.measured(control)

    def measured(self, control: Any) -> dict[str, float]:
        """The numbers of all trials now, logged; the same in all processes."""
        failure: Exception | None = None
        told: dict[str, Any] = {}
        if self.trainer.is_world_process_zero():
            try:
                told = {"numbers": self.run()}
            except Exception as error:  # whatever it is: the other processes wait to hear of it
                failure, told = error, {"error": str(error)}
        answer = json_value(said_by_first(json.dumps(told)), finite=False)
        if "error" in answer:
            step = self.trainer.state.global_step
            raise BadInput(f"the trials at step {step} failed: {answer['error']}") from failure
        numbers: dict[str, float] = answer["numbers"]
        due = control.should_log
        self.trainer.log(dict(numbers))
        control.should_log = due  # a log line answers the wish for one; the loss is still to be logged
        return numbers

    def run(self) -> dict[str, float]:
        """Put the model through the trials."""
        model, step = self.trainer.model, self.trainer.state.global_step
        devices = [model.device] if model.device.type == "cuda" else []
        folder: Callable[[], Any] = TemporaryDirectory
        if self.out is not None:
            place = self.out / f"step-{step:06d}"
            folder = lambda: nullcontext(place)  # noqa: E731
        with plain_forward(model), torch.random.fork_rng(devices=devices), quietly(), folder() as name:
            results = run_trials(
                [self.victim(model)], self.inputs, Path(name), self.trials,
                parts=self.parts, batch_size=self.batch_size, seed=self.seed,
            )  # fmt: skip
            return {key_of(row): float(row.score.value) for row in results.rows if not row.detail}


def key_of(row: Row) -> str:
    """What trackers call a number.

    >>> from unfooled.scores.score import Score
    >>> key_of(Row("accuracy", Score(0.5, 0.4, 0.6, 10, ""), eps=0.1, trial="pgd"))
    'eval_pgd_accuracy_eps_0.1'
    """
    eps = () if row.eps is None else ("eps", f"{row.eps:g}")
    part = () if row.part is None else (row.part,)
    return PREFIX + "_".join((row.trial, row.metric, *eps, *part)).replace(" ", "_")


def check_every(every: Any) -> None:
    """Refuse moments that never come."""
    number = isinstance(every, int) and not isinstance(every, bool) and every > 0
    if not number and every not in ("evaluation", "epoch"):
        raise BadInput(f'every={every!r} is no moment of training; give "evaluation", "epoch" or a number of steps')


def check_whole(trainer: Any) -> None:
    """Refuse trainers whose model no process has whole, or whose texts nobody can read."""
    if trainer.is_deepspeed_enabled or trainer.is_fsdp_enabled:
        raise BadInput("DeepSpeed and FSDP share the weights out, and no process could ask the model; measure it after")
    if not hasattr(trainer.processing_class, "get_vocab"):
        raise BadInput("trials read texts by the model's tokenizer; give the trainer processing_class=tokenizer")
