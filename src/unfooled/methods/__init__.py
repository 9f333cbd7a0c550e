"""Papers: one file each. METHODS is the one table of their names."""

from unfooled.methods.adversarial import FGM, PGD
from unfooled.methods.carl import CARL
from unfooled.methods.clld import CLLD, SupCon
from unfooled.methods.finetune import Finetune
from unfooled.methods.freelb import FreeLB
from unfooled.methods.objective import Method, Objective, Task
from unfooled.methods.rar import RAR
from unfooled.methods.rdrop import RDrop
from unfooled.methods.smart import SMART

METHODS: dict[str, type[Method]] = {
    "finetune": Finetune,
    "fgm": FGM,
    "pgd": PGD,
    "freelb": FreeLB,
    "smart": SMART,
    "carl": CARL,
    "rar": RAR,
    "clld": CLLD,
    "supcon": SupCon,
    "rdrop": RDrop,
}

__all__ = [
    "CARL",
    "CLLD",
    "FGM",
    "METHODS",
    "PGD",
    "RAR",
    "SMART",
    "Finetune",
    "FreeLB",
    "Method",
    "Objective",
    "RDrop",
    "SupCon",
    "Task",
]
