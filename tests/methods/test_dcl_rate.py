"""DCL at the rate of its recipes: real weights, real reviews, and ten times the rate as the control that collapses."""

import tomllib
from pathlib import Path

import torch

from unfooled.data.batches.blocks import in_blocks
from unfooled.data.batches.views import Reader, ViewBatches, ViewSettings
from unfooled.data.embedded import movie_reviews
from unfooled.losses.contrastive import mean_cosines
from unfooled.methods import DCL
from unfooled.methods.dcl import Align
from unfooled.models.encoders.classifier import still
from unfooled.models.encoders.masked import build_masked
from unfooled.models.encoders.pretrained import ModelSettings
from unfooled.types import Batch, Progress

STEPS, ROWS, LOOKED_AT, TOKENS, LONGEST = 10, 8, 64, 16, 24
RECIPE = Path(__file__).parents[2] / "recipes" / "dcl-wikitext2-cpu.toml"


def cosine_of_strangers(objective: Align, batch: Batch) -> float:
    """The mean cosine of the projections of two texts that have nothing to do with each other."""
    with still(objective), torch.no_grad():
        plain, exchanged = (objective.represent(objective.model(batch.views[view])) for view in ("plain", "synonym"))
    return float(mean_cosines(plain["projection"], exchanged["projection"])[1])


def before_and_after(rate: float) -> tuple[float, float]:
    """How alike strangers are before and after ten updates of MiniLM's last layer."""
    torch.manual_seed(0)
    built, method = build_masked(ModelSettings(name="minilm", max_length=LONGEST), 0), DCL(frozen_layers=5)
    tables, _ = movie_reviews("rotten_tomatoes")
    blocks = in_blocks([str(row["text"]) for row in tables["train"]().rows[:200]], built.tokenizer, TOKENS)
    reader, views = Reader.of(built.tokenizer, LONGEST), method.views()
    training = ViewBatches(blocks.take(range(ROWS * STEPS)), reader, views, ROWS, 0)
    both = ViewSettings(synonym=True, plain=True, versions=views.versions, room=views.room)
    held_out = blocks.take(range(ROWS * STEPS, ROWS * STEPS + LOOKED_AT))
    ((batch,),) = ViewBatches(held_out, reader, both, LOOKED_AT, 0).updates(0)
    objective = Align(built.model, method, warmup=STEPS // 10)
    parameters = [parameter for parameter in objective.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=rate)
    before = cosine_of_strangers(objective, batch)
    for number, (examples,) in enumerate(training.updates(0), start=1):
        optimizer.zero_grad()
        sum(term.weight * term.sum / term.count for term in objective(examples).terms.values()).backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        objective.after_step(Progress(number, STEPS, 0))
    return before, cosine_of_strangers(objective, batch)


def test_at_the_rate_of_the_recipe_strangers_stay_apart_and_at_ten_times_it_they_fall_together() -> None:
    rate = tomllib.loads(RECIPE.read_text())["plan"]["learning_rate"]
    before, after = before_and_after(rate)
    assert after < before
    assert before_and_after(10 * rate)[1] > before + 0.05
