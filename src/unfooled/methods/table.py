"""The one table of methods: each paper's name, where its class is, and the first line of its docstring."""

from typing import TYPE_CHECKING

from unfooled.table import Table

if TYPE_CHECKING:
    from unfooled.methods.objective import Method

# Trained by labels, answers or the next word.
TASK_METHODS = {
    "finetune": ("unfooled.methods.finetune:Finetune", "Minimise the task loss."),
    "fgm": (
        "unfooled.methods.adversarial:FGM",
        "L_C(E) + weight · L_C(E + r), r = eps · g / ‖g‖ with g the gradient of L_C at E.",
    ),
    "pgd": (
        "unfooled.methods.adversarial:PGD",
        "L_C(E + delta_k) after k projected ascent steps; only that last pass pays parameter gradients.",
    ),
    "freelb": ("unfooled.methods.freelb:FreeLB", "The mean task loss over K passes along an ascent."),
    "smart": ("unfooled.methods.smart:SMART", "Smoothness-inducing regularisation."),
    "carl": (
        "unfooled.methods.carl:CARL",
        "FreeLB, and a contrast of each text and its adversary against texts of other labels.",
    ),
    "rar": (
        "unfooled.methods.rar:RAR",
        "FreeLB, and every original token guessed from its state under the perturbation.",
    ),
    "clld": (
        "unfooled.methods.clld:CLLD",
        "Classification, and a contrast that pushes hardest between labels that are confused.",
    ),
    "supcon": (
        "unfooled.methods.clld:SupCon",
        "The control: the same objective with every label distance 1 (the paper's CT+CL).",
    ),
    "rdrop": ("unfooled.methods.rdrop:RDrop", "Agreement of two dropout passes."),
    "augment": (
        "unfooled.methods.augment:Augment",
        "Minimise the task loss over the training texts and their synonym versions.",
    ),
    "adversarial_text": (
        "unfooled.methods.adversarial_text:AdversarialText",
        "Minimise the task loss over the training texts and the adversaries of some of them.",
    ),
    "worst_words": (
        "unfooled.methods.worst_words:WorstWords",
        "The task loss, and that of the same texts with their worst words exchanged, held to the same answer.",
    ),
    "atcl": (
        "unfooled.methods.atcl:ATCL",
        "L + alpha · L_adv + beta · L_cont, one complete word of each sequence perturbed.",
    ),
}
# Trained by running text alone: of such data nothing but texts is asked, and this is known before torch is loaded.
PRETRAINING_METHODS = {
    "mlm": ("unfooled.methods.mlm:MLM", "Guess the tokens behind the masks."),
    "cline": (
        "unfooled.methods.cline:CLINE",
        "Guess masked tokens, find replaced ones, and tell a text's synonyms from its antonyms.",
    ),
    "dcl": (
        "unfooled.methods.dcl:DCL",
        "Guess masked tokens, and predict what a slow copy of the network says of the text in synonyms.",
    ),
}
METHODS: "Table[type[Method]]" = Table("method", {**TASK_METHODS, **PRETRAINING_METHODS})
