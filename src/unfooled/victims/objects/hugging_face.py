"""A classifier of transformers in hand, with its tokenizer: ``(model, tokenizer)``. One under a LoRA adapter is one."""

import re
from typing import Any

from unfooled.errors import BadInput
from unfooled.victims.network import of_model
from unfooled.victims.victim import Kind, Victim

UNNAMED = re.compile(r"LABEL_\d+")  # what transformers calls classes that nobody named


def is_network(model: Any) -> bool:
    """Whether something is a network of transformers, by what it can do."""
    return hasattr(model, "get_input_embeddings") and hasattr(model, "config") and hasattr(model, "named_parameters")


def takes(model: Any) -> bool:
    """Whether it is a network, alone (which ``opened`` refuses) or with something beside it."""
    return is_network(model[0] if isinstance(model, tuple) and model else model)


def opened(model: Any, labels: tuple[str, ...]) -> Victim:
    """A network with its tokenizer, where it is and as it is; a copy is not made."""
    if not isinstance(model, tuple):
        kind = type(model).__name__
        raise BadInput(f"a {kind} reads tokens, and nobody said which; give (model, tokenizer)")
    if len(model) != 2 or not callable(model[1]) or not hasattr(model[1], "get_vocab"):
        given = ", ".join(type(part).__name__ for part in model)
        raise BadInput(f"({given}) is no network with its tokenizer; give (model, tokenizer)")
    return of_network(*model, labels)


def of_network(network: Any, tokenizer: Any, labels: tuple[str, ...], max_length: int | None = None) -> Victim:
    """A network with its tokenizer as a victim; ``labels`` name its classes where its configuration does not."""
    from unfooled.heads import head_of
    from unfooled.models.checks import check_finite, check_padding
    from unfooled.models.encoders.classifier import Classifier
    from unfooled.models.encoders.pretrained import LEARNT_NOTHING, TextModel, positions

    config = network.config
    name = str(getattr(config, "_name_or_path", "") or type(network).__name__)
    if str(config.to_dict().get("model_type")) == "" or not hasattr(config, "id2label"):
        raise BadInput(f"{name} has no configuration that names its classes; use a classifier of transformers")
    check_padding(tokenizer, name, config)
    check_finite(network, name)
    own = tuple(str(config.id2label[number]) for number in range(config.num_labels))
    unnamed = all(UNNAMED.fullmatch(label) for label in own) and len(labels) == len(own)
    known = config.to_dict()
    model = TextModel(
        Classifier(network),
        tokenizer,
        labels if unnamed else own,
        min(max_length or tokenizer.model_max_length, positions(network)),
        name,
        task=head_of(config).task,
        trained_on=known.get("unfooled_trained_on"),
        learnt_nothing=known.get(LEARNT_NOTHING) is True,
    )
    return of_model(model)


HUGGING_FACE = Kind(takes, opened)
