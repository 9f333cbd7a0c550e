"""The gradients of a run's first updates, in one process or in two."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed as dist
from exchange_ground import save_neighbours
from safetensors.torch import save_file
from tiny import reviews, save_encoder
from torch.distributed.tensor import DTensor

from unfooled.data.batches.address import global_batches
from unfooled.data.batches.blocks import Blocks
from unfooled.data.batches.examples import ExampleBatches
from unfooled.data.batches.views import Reader, ViewBatches
from unfooled.gather import added_up, added_up_by_name, first_row, gather, in_step
from unfooled.methods import METHODS, Method, TrainingTask
from unfooled.models import ModelSettings, build
from unfooled.models.encoders.masked import build_masked
from unfooled.progress import Display
from unfooled.seeds import begin_pass
from unfooled.stopping import StopAsked
from unfooled.substitution.reading import WordReader
from unfooled.tokens import encode
from unfooled.training import Plan, Processes, Run, RunFolder, fit, validate
from unfooled.training.engines import ENGINES
from unfooled.training.jobs.pretraining import LOOK, looked, looking
from unfooled.training.loop import prepare
from unfooled.training.run_folder import State
from unfooled.types import Progress


def prepared(
    method: Method,
    folder: Path,
    dropout: float = 0.0,
    plan: Mapping[str, Any] | None = None,
    change: Callable[[Any], None] = lambda objective: None,
) -> Run:
    """A run of 13 tiny reviews in global batches of 8 and 5, ready to go, with a ``change`` of its objective made."""
    processes = Processes()
    encoder = folder / "encoder"
    if processes.first:
        save_encoder(encoder, dropout)
        save_neighbours(folder / "data")
    processes.wait()
    settings = Plan.model_validate({"batch_size": 8, "learning_rate": 5e-5, **(plan or {})})
    runs = RunFolder(folder)
    runs.checkpoints.mkdir(parents=True, exist_ok=True)
    parts = pretraining if "pretraining" in method.tasks else classification
    with pytest.MonkeyPatch.context() as patch:  # near words of a table that is there, not of an encoder
        patch.setenv("UNFOOLED_DATA", str(folder / "data"))
        objective, loader, look = parts(method, ModelSettings(name=str(encoder), dropout=dropout), settings, processes)
    change(objective)
    return Run(objective, ENGINES[settings.engine](objective, settings, processes), loader, runs, look)


def classification(method: Method, model: ModelSettings, plan: Plan, processes: Processes) -> tuple[Any, Any, Any]:
    """Objective, loader and look of a classifier of the reviews."""
    rows = reviews(13)
    # Words lean clearly only where many texts have them: some that no batch has are counted too.
    every = [*rows, *reviews(200, seed=3)] if method.exchanges_words else rows
    texts = [(text,) for text, _ in every]
    found = method.prepared(build(model, ["negative", "positive"], seed=0), texts)
    encoded = encode(found.tokenizer, [(text,) for text, _ in rows], 32)
    labels = [int(label == "positive") for _, label in rows]
    loader = ExampleBatches(encoded, labels, 8, 0, plan.accumulation, processes.rank, processes.count)
    known = {"names": found.labels, "texts": texts, "reader": WordReader(found.tokenizer, 32)}
    lengths = torch.from_numpy(encoded.lengths)
    told = known if method.exchanges_words else {}
    counted = torch.tensor([int(label == "positive") for _, label in every])
    task = TrainingTask(2, counted, steps=6, seed=0, lengths=lengths, **told)
    objective = method.build(found.classifier, task)
    return objective, loader, lambda: validate(found.classifier, encoded, labels, 2, processes)


def pretraining(method: Any, model: ModelSettings, plan: Plan, processes: Processes) -> tuple[Any, Any, Any]:
    """Objective, loader and look of an encoder that goes on learning from the reviews' texts."""
    found = build_masked(model, seed=0)
    texts = [text for text, _ in reviews(13)]
    blocks = Blocks(texts, encode(found.tokenizer, [(text,) for text in texts], 32).lengths)
    reader = Reader.of(found.tokenizer, 32)
    loader = ViewBatches(blocks, reader, method.views(), 8, 0, plan.accumulation, processes.rank, processes.count)
    objective = method.build(found.model, TrainingTask(0, torch.zeros(13), steps=6, seed=0))
    return objective, loader, lambda: looked(objective, looking(blocks, 5, LOOK, loader), processes)


def gradients(run: Run, updates: int, epoch: int = 0) -> dict[str, torch.Tensor]:
    """The summed gradients of the first updates of an epoch, all at the initial weights."""
    found = {}
    run.objective.train()
    for number, batches in enumerate(list(run.loader.updates(epoch))[:updates]):
        run.engine.leave_out()
        with Display("preparing", updates, show=False) as display:
            prepare(run, State(), Progress(number, updates, 0), display, StopAsked())
        run.objective.train()
        run.engine.begin(batches)
        for batch in batches:
            begin_pass(0, "dropout", number)
            with in_step():
                run.objective.step(run.engine, batch)
        run.engine.reduced()
        for name, parameter in run.objective.named_parameters():
            if parameter.grad is not None:
                found[f"{number}/{name}"] = entirely(parameter.grad).clone()
    return found


def entirely(tensor: torch.Tensor) -> torch.Tensor:
    """A tensor with the rows that other processes hold."""
    return tensor.full_tensor() if isinstance(tensor, DTensor) else tensor


# Methods whose own addition would begin only later in a run of two updates.
EAGER: dict[str, dict[str, Any]] = {
    "carl": {"start": 0.0, "negatives": 16},
    "worst_words": {"begin": 0.0, "warmup": 0.0},
    "mlm": {"head_first": 0},
    "cline": {"head_first": 0},
}
# Settings under which a method asks for nothing that takes long to make, as the near words of another encoder.
LIGHT: dict[str, dict[str, Any]] = {
    "worst_words": {"sources": ["wordnet", "any_sense", "inflections", "typos", "mask"]}
}
AS_IT_IS = "worst_words, as it is"  # every source that it has by itself, near words of a small table


# Settings of which two processes must make one as well.
VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    AS_IT_IS: ("worst_words", {"sources": METHODS["worst_words"]().sources, "begin": 0.0, "warmup": 0.0}),
    "dcl, batch normalisation": ("dcl", {"norm": "batch"}),
    "cline, released": ("cline", {"mode": "released", "head_first": 0}),
    "mlm, head first": ("mlm", {"head_first": 1}),
    "carl, positives of the banks": ("carl", {"start": 0.0, "negatives": 16, "positive": "bank"}),
    "rar, head and encoder at once": ("rar", {"head_first": 0.0}),
    "worst_words, turned": (
        "worst_words",
        {
            "turns": {"negative": "positive", "positive": "negative"},
            "turned": 0.5,
            "rounds": 2,
            "begin": 0.0,
            "warmup": 0.0,
        },
    ),
    "worst_words, recognising": ("worst_words", {"recognise": 0.5, "begin": 0.0, "warmup": 0.0}),
    "worst_words, half of the rows": (
        "worst_words",
        {"rows": 0.5, "recognise": 0.5, "rounds": 2, "begin": 0.0, "warmup": 0.0},
    ),
    "freelb, remembering": ("freelb", {"remember": True, "passes": 1, "radius": 0.5, "step_size": 0.3}),
    "worst_words, behind a layer": (
        "worst_words",
        {"layer": 1, "anchored": True, "renewed": 0.3, "begin": 0.0, "warmup": 0.0},
    ),
    "worst_words, every second step": ("worst_words", {"every": 2, "begin": 0.0, "warmup": 0.0}),
}


def eager(name: str) -> Method:
    """A method of the table that acts from its first step, or one of its variants."""
    if name in VARIANTS:
        kind, settings = VARIANTS[name]
        return METHODS[kind].model_validate({**LIGHT.get(kind, {}), **settings})
    return METHODS[name].model_validate({**LIGHT.get(name, {}), **EAGER.get(name, {})})


def light(name: str) -> Method:
    """A method of the table as it is, but for what takes long to make."""
    return METHODS[name].model_validate(LIGHT.get(name, {}))


def sizes(run: Run) -> str:
    """How each global batch is shared out, largest first, as "4+4 3+2"."""
    lengths = (run.loader.blocks if isinstance(run.loader, ViewBatches) else run.loader.encoded).lengths
    count, shares = run.loader.processes, []
    for rows in global_batches(lengths, 8, 0, 0):
        shares.append("+".join(str(len(rows[rank::count])) for rank in range(count)))
    return " ".join(sorted(shares, reverse=True))


def main(out: Path) -> None:
    """What each of two processes does, the first writing."""
    for name in (*METHODS, *VARIANTS):
        run = prepared(eager(name), out / name)
        found = gradients(run, updates=2)
        if run.engine.processes.first:
            save_file(found, out / f"{name}.safetensors")
            (out / f"{name}.sizes").write_text(sizes(run))
    Processes().close()


def trained_with_turns(folder: Path) -> Run:
    """Four updates with turned texts, each with a line in the log."""
    run = prepared(eager("worst_words, turned"), folder, plan={"max_steps": 4, "epochs": 2, "log_every": 1})
    fit(run)
    return run


def turns_in_two(folder: Path) -> None:
    """What each of two processes does: one of them may have a text turned in part where the other has none."""
    trained_with_turns(folder / "two")
    Processes().close()


def gradients_of_two_epochs(folder: Path) -> dict[str, torch.Tensor]:
    """Those of a method that remembers in the second epoch what the first has left, and the memory after both."""
    run = prepared(eager("freelb, remembering"), folder)
    gradients(run, updates=2)
    found = gradients(run, updates=2, epoch=1)
    return {**found, "memory": run.objective.memory.rows.float()}


def two_epochs(folder: Path) -> None:
    """What each of two processes does, the first writing."""
    found = gradients_of_two_epochs(folder / "both")
    if Processes().first:
        save_file(found, folder / "two.safetensors")
    Processes().close()


def gathering(folder: Path) -> None:
    """What each of two processes sees of the rows of both."""
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    mine = torch.arange(6.0).reshape(3, 2)[rank * 2 : 2 + rank].clone().requires_grad_()  # 2 rows and 1
    every = gather(mine)
    assert every.tolist() == [[0, 1], [2, 3], [4, 5]], every
    assert first_row(mine) == 2 * rank
    weights = torch.tensor([[1.0], [10.0], [100.0]]) * (rank + 1)
    (every * weights).sum().backward()
    expected = torch.tensor([[3.0], [30.0], [300.0]]).expand(3, 2)[rank * 2 : 2 + rank]
    assert torch.equal(mine.grad, expected), mine.grad
    assert gather(torch.tensor([rank])).tolist() == [0, 1]
    met = {"task": [1.0, 2.0]} if rank else {"task": [3.0, 4.0], "hinge": [5.0, 6.0]}
    assert added_up_by_name(met, "cpu") == {"hinge": [5.0, 6.0], "task": [4.0, 6.0]}
    own = torch.tensor([1.0 + rank])
    assert added_up(own).tolist() == [3.0] and own.item() == 1.0 + rank
    dist.destroy_process_group()
