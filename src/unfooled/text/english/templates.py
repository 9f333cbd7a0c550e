"""Short sentences whose answer is known: what a model must master before anything else (CheckList's MFT)."""

from collections.abc import Iterator
from dataclasses import dataclass

THINGS = ("film", "book", "meal", "hotel", "concert", "service", "teacher", "phone")
GOOD: tuple[str, ...] = ("good", "great", "excellent", "wonderful", "lovely", "superb", "delightful", "brilliant")
GOOD += ("fantastic", "perfect")
BAD = ("bad", "terrible", "awful", "horrible", "dreadful", "poor", "disappointing", "boring", "useless", "miserable")
LIKE = ("like", "love", "enjoy", "admire", "recommend")
DISLIKE = ("dislike", "hate", "regret", "despise", "loathe")
ANIMALS = ("dog", "cat", "horse", "bird", "child", "woman", "man", "boy")
DOING = ("sleeping", "eating", "running", "waiting", "jumping", "singing", "drinking", "swimming")


@dataclass(frozen=True)
class Sentence:
    """A text, or a pair, of a named test; an answer among ``labels`` is right."""

    test: str
    capability: str
    texts: tuple[str, ...]
    labels: tuple[str, ...]


def sentiment() -> Iterator[Sentence]:
    """Opinions in one sentence: negative, positive and, where a model knows it, neutral."""
    positive, negative = ("positive",), ("negative",)
    unlike_negative, unlike_positive = ("positive", "neutral"), ("negative", "neutral")
    for number, thing in enumerate(THINGS):
        for place, (good, bad) in enumerate(zip(GOOD, BAD, strict=True)):
            if (number + place) % 2:  # half of the combinations are enough
                continue
            yield Sentence("a plain opinion", "Vocabulary", (f"The {thing} was {good}.",), positive)
            yield Sentence("a plain opinion", "Vocabulary", (f"The {thing} was {bad}.",), negative)
            yield Sentence("praise denied", "Negation", (f"The {thing} was not {good}.",), unlike_positive)
            yield Sentence("blame denied", "Negation", (f"The {thing} was not {bad}.",), unlike_negative)
            changed = f"I used to think this {thing} was {bad}, but now I think it is {good}."
            yield Sentence("a changed mind", "Temporal", (changed,), positive)
            changed = f"I used to think this {thing} was {good}, but now I think it is {bad}."
            yield Sentence("a changed mind", "Temporal", (changed,), negative)
            own = f"Some people say that the {thing} is {bad}, but I find it {good}."
            yield Sentence("whose opinion counts", "Roles", (own,), positive)
            own = f"Some people say that the {thing} is {good}, but I find it {bad}."
            yield Sentence("whose opinion counts", "Roles", (own,), negative)
        for like, dislike in zip(LIKE, DISLIKE, strict=True):
            yield Sentence("a verb of opinion", "Vocabulary", (f"I {like} this {thing}.",), positive)
            yield Sentence("a verb of opinion", "Vocabulary", (f"I {dislike} this {thing}.",), negative)


def inference() -> Iterator[Sentence]:
    """Premises and hypotheses: a sentence entails itself and contradicts its denial."""
    for animal in ANIMALS:
        for doing in DOING:
            premise = f"The {animal} is {doing}."
            yield Sentence("a sentence and itself", "Logic", (premise, premise), ("entailment",))
            yield Sentence(
                "a sentence and its denial", "Negation", (premise, f"The {animal} is not {doing}."), ("contradiction",)
            )
            yield Sentence("there is somebody", "Taxonomy", (premise, f"Something is {doing}."), ("entailment",))


# By the labels a model must know for the sentences to be for it, and the number of texts of an example.
TEMPLATES = {(("negative", "positive"), 1): sentiment, (("entailment", "contradiction"), 2): inference}


def templates_for(labels: tuple[str, ...], columns: int) -> list[Sentence]:
    """The sentences a model with these labels can be asked about; none for most tasks.

    >>> len(templates_for(("Negative", "Positive"), 1)) > 300, templates_for(("sport", "politics"), 1)
    (True, [])
    """
    known = {label.casefold() for label in labels}
    sentences = [one() for (needed, width), one in TEMPLATES.items() if known.issuperset(needed) and width == columns]
    return [sentence for some in sentences for sentence in some if known.intersection(sentence.labels)]
