"""The learning rate that suits a network and the number of updates, for whoever named none.

    a pretrained network    2e-4 · (384 / width)^1.5 · (150 / updates)^0.25
    one made from nothing   1e-3 · (1000 / updates)^0.5, no less than 1e-3

Short runs need large steps: 57 updates of the small encoder at 5e-5 leave it where it was. Wide networks bear only
small ones. Below 150 updates (from nothing: 50) the rate no longer rises, and a network narrower than 192 gets what
one of 192 does. Adapters (LoRA) get five times as much, by common practice. ``docs/learning_rate.md`` holds the rule
against a third and three times its rate, for a network of width 384 and a small one made from nothing; for wider ones
it is what their authors searched among.
"""

from typing import Any

from unfooled.errors import either
from unfooled.recipe.config import Recipe
from unfooled.recipe.plan import AUTO

PRETRAINED = 2e-4  # of a network as wide as the embedded one, at so few updates that it no longer rises
WIDTH = 384
NARROWEST = 192
FEW_UPDATES = 150
FALL = 0.25
SHRINKING = 1.5
FROM_NOTHING = 1e-3  # at many updates
MANY_UPDATES, FEWEST_UPDATES = 1000, 50
STEEP_FALL = 0.5
ADAPTED = 5.0  # times as large, for the few weights of an adapter, half of which begin at zero


def suited_rate(width: int, updates: int, from_nothing: bool = False) -> float:
    """The rate, in two digits.

    >>> suited_rate(384, 57), suited_rate(384, 3000), suited_rate(768, 3000), suited_rate(300, 57, from_nothing=True)
    (0.0002, 9.5e-05, 3.3e-05, 0.0042)
    """
    if from_nothing:
        rate = FROM_NOTHING * (MANY_UPDATES / min(max(updates, FEWEST_UPDATES), MANY_UPDATES)) ** STEEP_FALL
    else:
        rate = PRETRAINED * (WIDTH / max(width, NARROWEST)) ** SHRINKING
        rate *= (FEW_UPDATES / max(updates, FEW_UPDATES)) ** FALL
    return float(f"{rate:.1e}")


def with_rate(recipe: Recipe, network: Any, updates: int, from_nothing: bool) -> tuple[Recipe, tuple[str, ...]]:
    """The recipe with a learning rate, chosen where it names none, and a note on the choice."""
    if recipe.plan.learning_rate != AUTO:
        return recipe, ()
    width = network.config.hidden_size
    adapter = recipe.model.lora is not None
    rate = float(f"{suited_rate(width, updates, from_nothing) * (ADAPTED if adapter else 1):.1e}")
    kind = "made from nothing" if from_nothing else f"of width {width}" + " under an adapter" * adapter
    suits = f"for a network {kind} and {updates:,} update{'' if updates == 1 else 's'}"
    plan = recipe.plan.model_copy(update={"learning_rate": rate})
    otherwise = either("--set plan.learning_rate", 'plan={"learning_rate": …}')
    note = f"learning rate: {rate:g}, {suits} ({otherwise} says otherwise)"
    return recipe.model_copy(update={"plan": plan}), (note,)
