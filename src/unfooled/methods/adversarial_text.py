"""BERT+Adv: training on texts that an attack found against the plain model.

The baseline of Chen et al., Disentangled Contrastive Learning for Learning Robust Textual Representations, 2021
(Table 3), which attacks BERT with PWWS and trains it on what fooled it. ``adversaries`` names the folder that
``unfooled attack PLAIN-MODEL --data D --split train --out DIR`` left behind; every text in it that fooled the model is
trained on with the label of its original, beside the training split.

Paper says / we do, because:
- it does not say which texts were attacked. An original that is no training text would carry knowledge of other splits
  into training: such a folder is refused, or, with ``strangers = "leave out"``, those adversaries are left out (data
  without a validation split needs that: some of what the attack saw as train is cut off for validation).
- the adversaries are made once, against the plain model, not anew against the model being trained.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Literal

from unfooled.data.adversaries import AttackedText, attacked_texts
from unfooled.errors import BadInput, either, option
from unfooled.methods.objective import Additions, Method, Objective, TrainingRows, TrainingTask
from unfooled.models.encoders.classifier import Classifier

# How to come by adversaries and how to train on them, on the command line and in Python.
ATTACKED = ("unfooled attack MODEL --data D --split train --out DIR", 'uf.attack(MODEL, DATA, out=DIR, split="train")')
TRAINED = ("--set method.adversaries=DIR", "uf.AdversarialText(adversaries=DIR)")


class AdversarialText(Method):
    """Minimise the task loss over the training texts and the adversaries of some of them."""

    tasks: ClassVar = ("classification", "multilabel")
    off: ClassVar = {"adversaries": None}  # the training texts alone (which only a direct build allows)

    adversaries: str | None = None  # an attack's folder
    strangers: Literal["refuse", "leave out"] = "refuse"  # adversaries of texts that are not trained on

    def more_rows(self, known: TrainingRows) -> Additions:
        """The adversaries of training texts, each with the label of its original."""
        if self.adversaries is None:
            raise BadInput(
                "adversarial_text trains on what an attack found: attack the plain model's training split "
                f"({either(*ATTACKED)}), then {either(*TRAINED)}"
            )
        attack, attacked = attacked_texts(Path(self.adversaries))
        rows = {key: row for row, key in reversed(list(enumerate(zip(known.texts, known.labels, strict=True))))}
        places = [rows.get((one.texts, one.label)) for one in attacked]
        self.refuse_strangers(attacked, places)
        fooled = [
            (one.adversary, row)
            for one, row in zip(attacked, places, strict=True)
            if one.adversary is not None and row is not None
        ]
        if not fooled:
            raise BadInput(f"no text in {self.adversaries} fooled its model; attack more texts, or another model")
        left = sum(row is None for row in places)
        note = f"adversarial_text adds {len(fooled):,} adversaries of {len(attacked):,} attacked texts to "
        note += f"{len(known.texts):,} training texts"
        note += f"; {left:,} attacked texts are not trained on" if left else ""
        facts = {"attack": attack, "attacked": len(attacked), "attacked_but_not_trained_on": left}
        return Additions([text for text, _ in fooled], [row for _, row in fooled], note, facts)

    def refuse_strangers(self, attacked: Sequence[AttackedText], places: Sequence[int | None]) -> None:
        """Refuse a folder whose originals are not training texts with these labels."""
        strange = [one for one, row in zip(attacked, places, strict=True) if row is None]
        if strange and (self.strangers == "refuse" or len(strange) == len(attacked)):
            first = " / ".join(strange[0].texts)[:60]
            raise BadInput(
                f"{len(strange):,} of the {len(attacked):,} texts attacked in {self.adversaries} are not among the "
                f"training texts, such as {first!r}; attack the rows that are trained on "
                f"({option('split', 'train')}, and all of them where data.limit, fraction or a validation cut takes "
                "some), or leave those out with "
                'method.strangers = "leave out"'
            )

    def build(self, model: Classifier, task: TrainingTask) -> Objective:
        """The task loss: what is special are the rows."""
        return Objective(model)
