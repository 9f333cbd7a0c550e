"""The model card of a trained classifier, from its recipe and its scores."""

from collections.abc import Mapping
from typing import Any

TEMPLATE = """---
library_name: {library}
pipeline_tag: text-classification
tags:
- unfooled
- {method}
---

# {title}

A text classifier trained with unfooled by the method `{method}`.

| | |
|---|---|
| base model | `{base}` |
| data | `{data}` (SHA-256 `{data_hash}`) |
| labels | {labels} |
| longest input | {max_length} tokens |
| seed | {seed} |
| steps | {steps}, best at {best_step} |
{scores}
## Use

```python
from transformers import pipeline
{extra_import}classify = pipeline("text-classification", "THIS FOLDER", truncation=True)
classify("…")
```

## Settings

```toml
{recipe}```
"""


def model_card(facts: Mapping[str, Any], recipe: str) -> str:
    """Method, data, seed, scores and settings as Markdown that the Hugging Face hub reads."""
    scores = "".join(
        "| {} | {value:.4f} (95 % interval {low:.4f} to {high:.4f}, n = {n}) |\n".format(name, **score)
        for name, score in facts["scores"].items()
    )
    own = facts["base"] == "textcnn"
    return TEMPLATE.format(
        library="unfooled" if own else "transformers",
        method=facts["method"],
        title=f"{plain(facts['base'])}, {facts['method']}, {plain(facts['data'])}",
        base=plain(facts["base"]),
        data=plain(facts["data"]),
        data_hash=facts["data_hash"],
        labels=", ".join(plain(label) for label in facts["labels"]),
        max_length=facts["max_length"],
        seed=facts["seed"],
        steps=facts["steps"],
        best_step=facts["best_step"],
        scores=scores,
        extra_import="import unfooled.models  # registers TextCNN\n" if own else "",
        recipe=recipe,
    )


def plain(text: object) -> str:
    """A text that cannot break the table it stands in.

    >>> plain("a|b`c\\n")
    'a/bc '
    """
    return str(text).replace("|", "/").replace("`", "").replace("\n", " ")
