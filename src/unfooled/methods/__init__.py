"""Papers: one file each. METHODS is the one table of their names."""

from unfooled.methods.adversarial import FGM, PGD
from unfooled.methods.finetune import Finetune
from unfooled.methods.freelb import FreeLB
from unfooled.methods.objective import Method, Objective, Task
from unfooled.methods.smart import SMART

METHODS: dict[str, type[Method]] = {
    "finetune": Finetune,
    "fgm": FGM,
    "pgd": PGD,
    "freelb": FreeLB,
    "smart": SMART,
}

__all__ = ["FGM", "METHODS", "PGD", "SMART", "Finetune", "FreeLB", "Method", "Objective", "Task"]
