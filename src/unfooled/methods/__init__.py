"""Papers: one file each. METHODS is the one table of their names."""

from unfooled.methods.adversarial import FGM, PGD
from unfooled.methods.adversarial_text import AdversarialText
from unfooled.methods.atcl import ATCL
from unfooled.methods.augment import Augment
from unfooled.methods.carl import CARL
from unfooled.methods.cline import CLINE
from unfooled.methods.clld import CLLD, SupCon
from unfooled.methods.dcl import DCL
from unfooled.methods.finetune import Finetune
from unfooled.methods.freelb import FreeLB
from unfooled.methods.mlm import MLM
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
    "augment": Augment,
    "adversarial_text": AdversarialText,
    "mlm": MLM,
    "cline": CLINE,
    "dcl": DCL,
    "atcl": ATCL,
}

__all__ = [
    "ATCL",
    "CARL",
    "CLINE",
    "CLLD",
    "DCL",
    "FGM",
    "METHODS",
    "MLM",
    "PGD",
    "RAR",
    "SMART",
    "AdversarialText",
    "Augment",
    "Finetune",
    "FreeLB",
    "Method",
    "Objective",
    "RDrop",
    "SupCon",
    "Task",
]
