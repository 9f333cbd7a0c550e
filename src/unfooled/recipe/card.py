"""The model card of a trained model, from its recipe and its scores; and how the model is opened."""

from collections.abc import Mapping
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

# task → (what the hub calls it, what the model is, how it is opened)
KINDS = {
    "classification": (
        "text-classification",
        "A text classifier",
        'transformers.pipeline("text-classification", "FOLDER", truncation=True)',
    ),
    "regression": (
        "text-classification",
        "A model that gives texts a number",
        'transformers.pipeline("text-classification", "FOLDER", truncation=True, function_to_apply="none")',
    ),
    "multilabel": (
        "text-classification",
        "A model that gives texts any number of labels",
        'transformers.pipeline("text-classification", "FOLDER", truncation=True, top_k=None)',
    ),
    "span": (
        "question-answering",
        "A model that answers questions by a piece of their context",
        'transformers.AutoModelForQuestionAnswering.from_pretrained("FOLDER")',
    ),
    "pretraining": ("fill-mask", "An encoder", 'transformers.pipeline("fill-mask", "FOLDER")'),
    "lm": ("text-generation", "A language model", 'transformers.pipeline("text-generation", "FOLDER")'),
    "translation": ("translation", "A translator", 'transformers.AutoModelForSeq2SeqLM.from_pretrained("FOLDER")'),
}


def opening(task: str, folder: str) -> str:
    """How a model folder of a task is opened with transformers alone.

    >>> opening("classification", "run/model")
    'transformers.pipeline("text-classification", "run/model", truncation=True)'
    """
    return KINDS[task][2].replace("FOLDER", folder)


def model_card(facts: Mapping[str, Any], recipe: str) -> str:
    """Method, data, seed, scores and settings as Markdown that the Hugging Face hub reads."""
    scores = "".join(
        "| {} | {value:.4f} (95 % interval {low:.4f} to {high:.4f}, n = {n}) |\n".format(name, **score)
        for name, score in facts["scores"].items()
    )
    ours = facts["base"] in ("textcnn", "tensorized")
    task = facts.get("task", "classification")
    tag, what, _ = KINDS[task]
    return TEMPLATE.format(
        library="unfooled" if ours else "transformers",
        tag=tag,
        what=what,
        method=facts["method"],
        title=f"{plain(facts['base'])}, {facts['method']}, {plain(facts['data'])}",
        base=plain(facts["base"]),
        data=plain(facts["data"]),
        data_hash=facts["data_hash"],
        own=own_rows(facts),
        seed=facts["seed"],
        steps=facts["steps"],
        best_step=facts["best_step"],
        scores=scores,
        extra_import="import unfooled.models  # registers the network\n" if ours else "",
        use=f"import transformers\n\nmodel = {opening(task, 'THIS FOLDER')}",
        recipe=recipe,
    )


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
