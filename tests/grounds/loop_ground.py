"""One training twice: by our own loop, and by a trainer of transformers, on the same rows in the same order."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from safetensors.torch import save_file
from tiny import reviews, save_encoder
from trained import trained
from two_processes import LIGHT

import unfooled as uf
from unfooled.data.batches.examples import ExampleBatches
from unfooled.data.splits import Split
from unfooled.loops.trainer import RobustTrainer
from unfooled.methods import METHODS, Method, TrainingTask
from unfooled.models import ModelSettings, TextModel, build
from unfooled.models.encoders.lora import Lora
from unfooled.progress import Display
from unfooled.seeds import begin_pass
from unfooled.stopping import StopAsked
from unfooled.substitution.reading import WordReader
from unfooled.tokens import encode
from unfooled.training import Engine, Plan, Processes, Run, RunFolder, fit, validate
from unfooled.training.jobs.text import with_additions
from unfooled.training.loop import prepare
from unfooled.training.run_folder import State
from unfooled.types import Progress

LABELS = ("negative", "positive")
COUNT, BATCH, STEPS = 32, 8, 20
RATE = 1e-4
# What a method needs to be quick, and not to make much of rounding, which two processes do otherwise than one: a
# temperature of .07 multiplies it by 14, and where smart usually starts, its divergence is nearly nothing else.
SETTINGS: dict[str, dict[str, Any]] = {
    "carl": {"negatives": 16},
    "atcl": {"temperature": 0.5},
    "smart": {"norm": "l2", "spread": 0.05},
    **LIGHT,
}
PLAN = {"batch_size": BATCH, "learning_rate": RATE, "warmup": 0.0, "max_steps": STEPS, "epochs": 40, "clip": None}
ARGUMENTS = {
    "per_device_train_batch_size": BATCH,
    "learning_rate": RATE,
    "weight_decay": 0.01,
    "max_grad_norm": 0.0,
    "max_steps": STEPS,
    "logging_steps": 1,
    "eval_strategy": "epoch",
    "save_strategy": "no",
    "train_sampling_strategy": "sequential",
    "report_to": "none",
    "use_cpu": True,
    "disable_tqdm": True,
    "dataloader_pin_memory": False,
    "seed": 0,
}


class InOrder(ExampleBatches):
    """Rows one after the other in every epoch; a sweep goes its own way."""

    def order(self, epoch: int) -> list[np.ndarray]:
        rows = np.arange(len(self.encoded))
        starts = range(0, len(rows), self.batch_size)
        return super().order(epoch) if epoch < 0 else [rows[start : start + self.batch_size] for start in starts]

    @property
    def batches_per_epoch(self) -> int:
        return -(-len(self.encoded) // self.batch_size)


def split() -> Split:
    rows = reviews(COUNT)
    return Split([(text,) for text, _ in rows], [LABELS.index(label) for _, label in rows])


def method_of(name: str, folder: Path, **settings: Any) -> Method:
    """A method of the table; where it trains on adversaries, with those of a plain model."""
    own = {**SETTINGS.get(name, {}), **settings}
    if name == "adversarial_text":
        rows = split()
        if not (folder / "attack").is_dir():
            plain = trained(folder / "plain", LABELS, rows.texts, rows.labels)
            uf.attack(plain, rows, "deepwordbug", folder / "attack", similarity=None)
        own["adversaries"] = str(folder / "attack")
    return METHODS[name].model_validate(own)


def model_of(folder: Path, dropout: float = 0.0, lora: bool = False) -> TextModel:
    """The same weights at every call."""
    if not (folder / "encoder" / "config.json").is_file():
        save_encoder(folder / "encoder", dropout)
    settings = ModelSettings(
        name=str(folder / "encoder"), max_length=32, dropout=dropout, lora=Lora(rank=2) if lora else None
    )
    return build(settings, LABELS, seed=0)


def our_run(method: Method, folder: Path, plan: Mapping[str, Any] | None = None, **kind: Any) -> Run:
    """A run of our own loop, ready to go."""
    processes, model = Processes(), model_of(folder, **kind)
    rows = with_additions(method, 0, split(), LABELS).train
    encoded, settings = (
        encode(model.tokenizer, rows.texts, 32),
        Plan.model_validate({**PLAN, "log_every": 1, **(plan or {})}),
    )
    loader = InOrder(
        encoded, torch.tensor(rows.labels), BATCH, 0, settings.accumulation, processes.rank, processes.count
    )
    known = {"names": LABELS, "texts": rows.texts, "reader": WordReader(model.tokenizer, 32)}
    task = TrainingTask(2, torch.tensor(rows.labels), STEPS, seed=0, **known)
    objective = method.build(model.classifier, task)
    whole = split()
    tokens = encode(model.tokenizer, whole.texts, 32)
    runs = RunFolder(folder / "ours")
    runs.checkpoints.mkdir(parents=True, exist_ok=True)
    look = lambda: validate(model.classifier, tokens, whole.labels, 2, processes)  # noqa: E731
    return Run(objective, Engine(objective, settings, processes), loader, runs, look)


def our_steps(run: Run) -> list[dict[str, float]]:
    """The mean of every term of the loss at every step, and the gradient's norm."""
    fit(run)
    lines = [json.loads(line) for line in (run.folder.root / "metrics.jsonl").read_text().splitlines()]
    left_out = {"step", "kind", "step_seconds", "learning_rate"}
    return [{key: own for key, own in line.items() if key not in left_out} for line in lines if line["kind"] == "train"]


def our_gradient(run: Run) -> dict[str, torch.Tensor]:
    """The gradient of the first update, with what the loop itself would draw."""
    batches = next(iter(run.loader.updates(0)))
    run.engine.begin(batches)
    with Display("preparing", 1, show=False) as display:
        prepare(run, State(), Progress(0, STEPS, 0), display, StopAsked())
    run.objective.train()
    for turn, batch in enumerate(batches):
        begin_pass(0, "dropout", 0, turn, 0)
        run.objective.step(run.engine, batch)
    run.engine.reduced()
    return {name: one.grad for name, one in run.objective.named_parameters() if one.grad is not None}


class FirstGradient(transformers.TrainerCallback):
    """Keeps the gradient of the first update of a trainer."""

    def __init__(self) -> None:
        self.found: dict[str, torch.Tensor] = {}
        self.trainer: Any = None

    def on_pre_optimizer_step(self, args: Any, state: Any, control: Any, **known: Any) -> None:
        if not self.found:
            named = self.trainer.robust.objective.named_parameters()
            self.found = {name: one.grad.clone() for name, one in named if one.grad is not None}


def dataset_of(model: TextModel) -> list[dict[str, Any]]:
    """The rows as people tokenise them, the texts kept."""
    rows = split()
    return [
        {"text": text, "labels": label, **model.tokenizer(text, truncation=True, max_length=32)}
        for (text,), label in zip(rows.texts, rows.labels, strict=True)
    ]


def trainer_of(
    method: Any, folder: Path, model: TextModel | None = None, kind: type = RobustTrainer, **given: Any
) -> Any:
    """A trainer over the same weights and rows; what is given besides goes to it, or to its arguments."""
    model = model or model_of(folder)
    rows = dataset_of(model)
    own = {name: given.pop(name) for name in list(given) if name in ("compute_metrics", "callbacks", "data_collator")}
    own |= {name: given.pop(name) for name in list(given) if name in ("train_dataset", "eval_dataset", "text")}
    own |= {name: given.pop(name) for name in list(given) if name in ("processing_class", "optimizers", "max_length")}
    arguments = transformers.TrainingArguments(output_dir=str(folder / "theirs"), **{**ARGUMENTS, **given})
    named = {"train_dataset": rows, "eval_dataset": rows, "processing_class": model.tokenizer, "max_length": 32, **own}
    if method is None:
        named.pop("max_length")
        return kind(model.classifier.network, arguments, **named)
    return kind(model.classifier.network, arguments, method=method, **named)


def their_steps(trainer: Any) -> list[dict[str, float]]:
    """The same of a trainer that has trained."""
    lines = [line for line in trainer.state.log_history if "loss" in line]
    names = {"grad_norm": "gradient_norm"}
    kept = {name for line in lines for name in line if name.startswith("loss_") or name in names}
    return [
        {names.get(key, key.removeprefix("loss_").replace("_", " ")): float(line[key]) for key in kept & set(line)}
        for line in lines
    ]


def farthest(ours: list[dict[str, float]], theirs: list[dict[str, float]]) -> float:
    """The largest difference between two trainings, of any number of any step; losses beside their size."""
    assert len(ours) == len(theirs) == STEPS
    apart = 0.0
    for one, other in zip(ours, theirs, strict=True):
        assert one.keys() == other.keys()
        apart = max(apart, *(abs(one[key] - other[key]) / max(1.0, abs(one[key])) for key in one))
    return apart


SHARED = ("carl", "rar", "clld", "atcl", "worst_words")  # trained by two processes, unless all are asked for
ADDING = ("augment", "adversarial_text")  # rows, of which two processes get some twice where they do not come out even
NAMES = "methods.json"


def two_train(folder: Path) -> None:
    """What each of two processes does: trainings by several methods, the first writing what came of them."""
    rows = split()
    texts = [text for (text,) in rows.texts], [LABELS[label] for label in rows.labels]
    halves = {"per_device_train_batch_size": BATCH // 2, "ddp_backend": "gloo"}
    for name in json.loads((folder / NAMES).read_text()):
        first = FirstGradient()
        trainer = trainer_of(method_of(name, folder), folder, callbacks=[first], **halves)
        first.trainer = trainer
        if name == SHARED[0]:
            trainer.add_callback(uf.RobustnessCallback(trainer, texts, ["clean"], limit=8))
        trainer.train()
        rank = trainer.args.process_index
        (folder / f"{name}-{rank}.log.json").write_text(json.dumps(trainer.state.log_history))
        (folder / f"{name}-{rank}.json").write_text(json.dumps(their_steps(trainer)))
        if trainer.is_world_process_zero():
            save_file(first.found, folder / f"{name}.safetensors")
    Processes().close()
