"""The model card of a trained model, from its recipe and its scores; and how the model is opened."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

TEMPLATE = """---
library_name: {library}
pipeline_tag: {tag}
tags:
- unfooled
- {method}
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
## Use

```python
{extra_import}{use}
```

## Settings

```toml
{recipe}```
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


def model_card(facts: Mapping[str, Any], recipe: str, card: Card) -> str:
    """Method, data, seed, scores and settings as Markdown that the Hugging Face hub reads."""
    scores = "".join(
        "| {} | {value:.4f} (95 % interval {low:.4f} to {high:.4f}, n = {n}) |\n".format(name, **score)
        for name, score in facts["scores"].items()
    )
    home, base, data = OUR_NETWORKS.get(facts["base"]), plain(facts["base"]), plain(facts["data"])
    own = {
        "library": "unfooled" if home else "transformers",
        "tag": card.tag,
        "what": card.what,
        "title": f"{base}, {facts['method']}, {data}",
        "base": base,
        "data": data,
        "own": own_rows(facts),
        "warning": f"\n> **Warning**: {plain(facts['warning'])}.\n" if facts.get("warning") else "",
        "scores": scores,
        "extra_import": f"import {home}  # registers the network\n" if home else "",
        "use": f"import transformers\n\nmodel = {card.opening('THIS FOLDER')}",
        "recipe": recipe,
    }
    return TEMPLATE.format(**{**facts, **own})


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
