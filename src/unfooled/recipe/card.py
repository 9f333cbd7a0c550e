"""The model card of a trained model, from its recipe and its scores; and how the model is opened."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from unfooled.recipe.metadata import CardNumber, metadata, of_run

TEMPLATE = """---
{metadata}
---

# {title}

{what} trained with unfooled by the method `{method}`.
{warning}
| | |
|---|---|
| base model | `{base}` |
| data | `{data}` (SHA-256 `{data_hash}`) |
{own}| seed | {seed} |
| steps | {steps}, best at {best_step} |
{scores}
{robustness}## Use

```python
{extra_import}{use}
```

## Settings

```toml
{recipe}```
"""
ROBUSTNESS = """## Robustness

Measured with unfooled on `{data}`.

| | value | 95 % interval | n |
|---|---|---|---|
{rows}
{picture}
"""
# What registers the networks that transformers does not come with.
OUR_NETWORKS = {"textcnn": "unfooled.models.encoders.text_cnn", "tensorized": "unfooled.models.sequences.tensorized"}


@dataclass(frozen=True)
class Card:
    """What a task's cards say: what the hub calls the task, what the model is, how it is opened."""

    tag: str
    what: str
    opens: str  # with transformers alone, the model in "FOLDER"

    def opening(self, folder: str) -> str:
        """How a model folder is opened with transformers alone.

        >>> Card("", "", 'AutoModel.from_pretrained("FOLDER")').opening("run/model")
        'AutoModel.from_pretrained("run/model")'
        """
        return self.opens.replace("FOLDER", folder)


@dataclass(frozen=True)
class Evaluated:
    """What an evaluation said of the model: its numbers, and a picture beside the card with what it shows in words."""

    data: str
    numbers: Sequence[CardNumber]
    picture: str = ""
    caption: str = ""


@dataclass(frozen=True)
class Published:
    """What is known of a model that is published: its name there, and its licence where a person told it."""

    name: str
    licence: str | None = None


def model_card(
    facts: Mapping[str, Any],
    recipe: str,
    card: Card,
    evaluated: Evaluated | None = None,
    published: Published | None = None,
) -> str:
    """Method, data, seed, scores and settings as Markdown that the Hugging Face hub reads."""
    scores = "".join(
        "| {} | {value:.4f} (95 % interval {low:.4f} to {high:.4f}, n = {n}) |\n".format(name, **score)
        for name, score in facts["scores"].items()
    )
    home, base, data = OUR_NETWORKS.get(facts["base"]), plain(facts["base"]), plain(facts["data"])
    title = f"{base}, {facts['method']}, {data}"
    own = {
        "metadata": head(facts, card, evaluated, published or Published(title)),
        "what": card.what,
        "title": title if published is None else plain(published.name),
        "base": base,
        "data": data,
        "own": own_rows(facts),
        "warning": f"\n> **Warning**: {plain(facts['warning'])}.\n" if facts.get("warning") else "",
        "scores": scores,
        "robustness": "" if evaluated is None else robustness(evaluated),
        "extra_import": f"import {home}  # registers the network\n" if home else "",
        "use": f"import transformers\n\nmodel = {card.opening('THIS FOLDER' if published is None else published.name)}",
        "recipe": recipe,
    }
    return TEMPLATE.format(**{**facts, **own})


def head(facts: Mapping[str, Any], card: Card, evaluated: Evaluated | None, published: Published) -> str:
    """What the hub reads: as much as is known."""
    numbers = [*of_run(facts), *(evaluated.numbers if evaluated else ())]
    library = "unfooled" if facts["base"] in OUR_NETWORKS else "transformers"
    return metadata(facts, card.tag, library, numbers, published.name, published.licence)


def robustness(evaluated: Evaluated) -> str:
    """The numbers of an evaluation as a table, and its picture."""
    known = [one for one in evaluated.numbers if math.isfinite(one.value)]
    rows = [f"| {plain(one.title)} | {one.value:.4f} | {one.interval} | {one.n} |" for one in known]
    picture = (
        f"![{plain(evaluated.caption)}]({evaluated.picture})\n\n{plain(evaluated.caption)}\n"
        if evaluated.picture
        else ""
    )
    return ROBUSTNESS.format(data=plain(evaluated.data), rows="\n".join(rows), picture=picture)


def own_rows(facts: Mapping[str, Any]) -> str:
    """The rows of the table that only some tasks have."""
    rows = {"labels": ", ".join(plain(label) for label in facts.get("labels", ()))}
    rows["longest input"] = f"{facts['max_length']} tokens" if "max_length" in facts else ""
    return "".join(f"| {name} | {value} |\n" for name, value in rows.items() if value)


def plain(text: object) -> str:
    """A text that cannot break the table it stands in.

    >>> plain("a|b`c\\n")
    'a/bc '
    """
    return str(text).replace("|", "/").replace("`", "").replace("\n", " ")
