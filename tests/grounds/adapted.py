"""Runs of classification methods over tiny networks that the other contracts do not have: adapters, decoders."""

from pathlib import Path

from decoders import save_decoder
from tiny import save_encoder
from two_processes import classification

from unfooled.methods import Method
from unfooled.models import ModelSettings
from unfooled.models.encoders.lora import Lora
from unfooled.training import Engine, Plan, Processes, Run, RunFolder

PLAN = {"batch_size": 8, "learning_rate": 1e-2, "max_steps": 2, "epochs": 4, "save_every": 1}
NETWORKS = {"encoder, adapter": (False, True), "decoder": (True, False), "decoder, adapter": (True, True)}


def saved(folder: Path, network: str, dropout: float = 0.0) -> ModelSettings:
    """The settings of a network, saved where it is not yet."""
    decoder, adapter = NETWORKS[network]
    if not (folder / "config.json").is_file():
        save_decoder(folder, "gpt2", dropout) if decoder else save_encoder(folder, dropout)
    lora = Lora(rank=2, dropout=dropout) if adapter else None
    return ModelSettings(name=str(folder), max_length=32, dropout=dropout, lora=lora)


def prepared(method: Method, folder: Path, network: str) -> Run:
    """A run of 13 tiny reviews, ready to go; dropout is on, for what is resumed must draw it again."""
    processes, plan = Processes(), Plan.model_validate(PLAN)
    runs = RunFolder(folder)
    runs.checkpoints.mkdir(parents=True, exist_ok=True)
    objective, loader, look = classification(method, saved(folder / "base", network, 0.2), plan, processes)
    return Run(objective, Engine(objective, plan, processes), loader, runs, look)
