"""BERT+DA: training on copies of the texts in which words are replaced by synonyms.

The baseline of Chen et al., Disentangled Contrastive Learning for Learning Robust Textual Representations, 2021
(Tables 1 and 2): "we leverage synonyms from WordNet categories to conduct data augmentation". Every training text gets
``copies`` synonym versions with its own label; all are trained on as one larger training set.

Paper says / we do, because:
- it does not say how many copies, nor how many words change: one copy, three words in ten, as in the view of the same
  paper's own method.
- a copy equal to its original (no word could be replaced) is left out: it would only weigh that text twice.
- the context that an answer is taken from stays as it is, and so do the names that a relation is asked for.
"""

from typing import ClassVar

from pydantic import Field

from unfooled.methods.objective import Additions, Method, Objective, TrainingRows, TrainingTask
from unfooled.models.encoders.classifier import Classifier
from unfooled.text.document import read
from unfooled.text.versions import VersionSettings, synonym_view
from unfooled.types import Texts


class Augment(Method):
    """Minimise the task loss over the training texts and their synonym versions."""

    tasks: ClassVar = ("text",)
    off: ClassVar = {"copies": 0}  # the training texts alone

    copies: int = Field(1, ge=0)  # of every training text
    ratio: float = Field(0.3, gt=0, le=1)  # of the words of a text, as far as they have synonyms
    reinflect: bool = True  # plurals stay plurals, past tenses past

    def more_rows(self, known: TrainingRows) -> Additions:
        """Synonym versions, keyed by (seed, row, copy, text)."""
        texts: list[Texts] = []
        rows: list[int] = []
        for row, original in enumerate(known.texts):
            for copy in range(self.copies):
                version = self.version(original, known, row, copy)
                if version != original:
                    texts.append(version)
                    rows.append(row)
        left = len(known.texts) * self.copies - len(texts)
        note = f"augment adds {len(texts):,} synonym versions to {len(known.texts):,} training texts"
        note += f"; {left:,} had no word to replace" if left else ""
        return Additions(texts, rows, note if self.copies else "", {"copies_without_a_change": left})

    def version(self, original: Texts, known: TrainingRows, row: int, copy: int) -> Texts:
        """A row with synonyms in the texts that are free."""
        settings = VersionSettings(synonym_ratio=self.ratio, synonym_kinds=("synonym",), reinflect=self.reinflect)
        changed = list(original)
        for place in known.free:
            document = read(original[place])
            others = " ".join(text for number, text in enumerate(original) if number != place)
            stay = {word.casefold() for word in read(others).words} if known.pair_stays else set()
            view = synonym_view(original[place], settings, known.seed, row, copy, place, "augment")
            changes = {one.word: one.new for one in view.replacements if one.old.casefold() not in stay}
            changed[place] = document.replace(changes).text
        return tuple(changed)

    def build(self, model: Classifier, task: TrainingTask) -> Objective:
        """The task loss: what is special are the rows."""
        return Objective(model)
