"""What a model must be before anything is done with it; every refusal says what is wrong with which model."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import nn
from transformers import MODEL_FOR_CAUSAL_LM_MAPPING, MODEL_FOR_MASKED_LM_MAPPING, PreTrainedModel
from transformers import MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING as SEQUENCES

from unfooled.errors import BadInput

POOLER = "pooler"  # many a checkpoint comes without; fine-tuning makes a new one


def reads_onward(config: Any) -> bool:
    """Whether a configuration is of a decoder: it reads from left to right, and knows a text at its last token."""
    return type(config) in MODEL_FOR_CAUSAL_LM_MAPPING and type(config) not in MODEL_FOR_MASKED_LM_MAPPING


def check_encoder(config: Any, name: str, opens_with: str = "AutoModelForSequenceClassification") -> None:
    """Refuse translators, and decoders but under a head of classes: they know a text as a whole at its end alone."""
    classes = opens_with == "AutoModelForSequenceClassification" and type(config) in SEQUENCES
    if config.is_encoder_decoder or (reads_onward(config) and not classes):
        raise BadInput(f"{name} is of architecture {config.model_type}, no encoder; use one such as BERT or RoBERTa")


def check_masked(config: Any, name: str) -> None:
    """Refuse what is no encoder with a masked-language model."""
    if type(config) not in MODEL_FOR_MASKED_LM_MAPPING or config.is_encoder_decoder:
        raise BadInput(
            f"{name} is of architecture {config.model_type}, which has no masked-language model; "
            "use an encoder such as BERT"
        )


def check_weights(network: PreTrainedModel, info: Mapping[str, Any], name: str, new_head: bool = False) -> None:
    """Refuse weights that the files have in another shape than config.json says, or that the encoder lacks.

    A head may be missing. Under ``new_head`` it may also be one for other labels, and the pooler be new.
    """
    inside = f"{network.base_model_prefix}."
    missing = sorted(key for key in info["missing_keys"] if key.startswith(inside))
    missing = [key for key in missing if not new_head or POOLER not in key]
    if missing:
        raise BadInput(
            f"{name} lacks {len(missing)} of the encoder's weights, such as {missing[0]}: its files are of another "
            "architecture than its config.json says, or not all there; restore them"
        )
    check_shapes(info, name, inside if new_head else "")


def check_shapes(info: Mapping[str, Any], name: str, inside: str = "") -> None:
    """Refuse weights, of those whose names begin so, that the files have in another shape than config.json says."""
    other = sorted((key, tuple(there), tuple(here)) for key, there, here in info["mismatched_keys"])
    other = [one for one in other if one[0].startswith(inside)]
    if other:
        key, there, here = other[0]
        raise BadInput(
            f"{name} has {len(other)} weights in another shape than its config.json says, such as "
            f"{key}: {there} in the file, {here} by the configuration; restore the files"
        )


def check_finite(network: nn.Module, name: str) -> None:
    """Refuse weights that are not numbers."""
    if not all(bool(torch.isfinite(tensor).all()) for tensor in network.state_dict().values()):
        raise BadInput(f"{name} has weights that are not finite numbers; restore or retrain the model")


def check_padding(tokenizer: Any, name: str, config: Any = None) -> None:
    """Refuse tokenizers that cannot pad, or only on the left where the network (by its config) is no decoder."""
    longest = tokenizer.model_max_length
    if not isinstance(longest, int | float) or longest < 1:
        raise BadInput(f"the tokenizer of {name} says no length (model_max_length); mend tokenizer_config.json")
    if config is not None and reads_onward(config):
        if tokenizer.pad_token_id is None or config.pad_token_id != tokenizer.pad_token_id:
            raise BadInput(
                f"{name} and its tokenizer do not agree on a token that pads ({config.pad_token_id}, "
                f"{tokenizer.pad_token_id}); set tokenizer.pad_token, and model.config.pad_token_id to its number"
            )
    elif tokenizer.pad_token_id is None or tokenizer.padding_side != "right":
        raise BadInput(f"the tokenizer of {name} does not pad on the right; use an encoder such as BERT or RoBERTa")


def check_tokenizer(tokenizer: Any, name: str) -> None:
    """Refuse tokenizers that cannot mask, or cannot say which characters a token stands for."""
    if tokenizer.mask_token_id is None:
        raise BadInput(
            f"the tokenizer of {name} has no mask token, so nothing can be masked; use an encoder such as BERT"
        )
    if not tokenizer.is_fast:
        raise BadInput(f"the tokenizer of {name} does not say where its tokens stand; use one with a tokenizer.json")


def lookup_of(network: PreTrainedModel, name: str | None = None) -> nn.Module:
    """What looks a network's token vectors up; one that has no table of them is refused, as CANINE, which hashes."""
    try:
        return network.get_input_embeddings()
    except NotImplementedError:
        raise BadInput(
            f"{name or type(network).__name__} has no table of token vectors, which gradients of words are taken at; "
            "use an encoder such as BERT or RoBERTa"
        ) from None


def check_vocabulary(tokenizer: Any, network: PreTrainedModel, name: str) -> None:
    """Refuse a tokenizer that numbers words which the network has no vector for."""
    rows = int(lookup_of(network, name).weight.shape[0])
    highest = max(tokenizer.get_vocab().values(), default=0)
    if highest >= rows:
        raise BadInput(
            f"the tokenizer of {name} numbers its words up to {highest:,}, but the network has vectors for {rows:,}; "
            "restore the files of one of them"
        )


def labels_of(config: Any, name: str) -> tuple[str, ...]:
    """The names of a model's classes, one for each number from 0."""
    names = config.id2label
    if sorted(names) != list(range(config.num_labels)):
        raise BadInput(
            f"{name} names its labels by {shown_keys(names)}, not by 0 to {config.num_labels - 1}; "
            "mend id2label in its config.json"
        )
    if len({str(label) for label in names.values()}) < len(names):
        raise BadInput(f"{name} has one name for two labels; mend id2label in its config.json")
    return tuple(str(names[number]) for number in range(config.num_labels))


def shown_keys(names: Mapping[Any, Any]) -> str:
    """The first keys of a mapping, for a sentence."""
    return ", ".join(str(key)[:20] for key in [*names][:6]) + (", …" if len(names) > 6 else "")
