"""The loop, once."""

from unfooled.recipe.plan import Plan
from unfooled.training.engine import Engine, Processes
from unfooled.training.loop import Run, fit, planned_steps
from unfooled.training.run_folder import RunFolder
from unfooled.training.validate import validate

__all__ = ["Engine", "Plan", "Processes", "Run", "RunFolder", "fit", "planned_steps", "validate"]
