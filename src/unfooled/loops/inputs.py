"""What a loader yields, as the objectives see it; what is refused, because a method could not do right by it."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from unfooled.errors import BadInput
from unfooled.types import Batch, Tokens

INDEX = "unfooled_index"  # which rows of the training set a batch holds, beside its inputs
LABELS = "labels"
READ = {"input_ids", "attention_mask", "token_type_ids", LABELS, INDEX}


def batch_of(inputs: Mapping[str, Any], kind: str, key: tuple[int, int]) -> Batch:
    """A loader's inputs as the objectives see them."""
    strange = [name for name, value in inputs.items() if name not in READ and isinstance(value, Tensor)]
    missing = [name for name in ("input_ids", LABELS) if name not in inputs]
    if strange or missing:
        raise BadInput(
            f"the batches hold {', '.join(strange)}, which methods have no use for; leave it out of the dataset"
            if strange
            else f"the batches hold no {missing[0]}; tokenise the texts, and call the label label or labels"
        )
    if INDEX not in inputs:
        raise BadInput("the batches do not say which rows they hold; leave the making of the training loader to us")
    tokens, index = tokens_of(inputs), inputs[INDEX]
    counts = {"examples": len(index), "tokens": int(tokens.mask.sum())}
    return Batch(index.to(tokens.ids.device), inputs[LABELS], {"original": tokens}, key, counts, kind)


def tokens_of(inputs: Mapping[str, Any]) -> Tokens:
    """The tokens of a loader's inputs."""
    ids, given = inputs["input_ids"], inputs.get("attention_mask")
    mask = torch.ones_like(ids, dtype=torch.bool) if given is None else given.bool()
    if ids.ndim != 2 or mask.shape != ids.shape:
        raise BadInput(
            f"the batches hold input_ids of shape {tuple(ids.shape)} and a mask of {tuple(mask.shape)}; give "
            "[rows, tokens] for both"
        )
    return Tokens(ids, mask, inputs.get("token_type_ids"))


def reduced_precision(dtype: torch.dtype) -> torch.dtype:
    """The precision of passes, refused where gradients would have to be scaled."""
    if dtype is not torch.bfloat16:
        raise BadInput(
            f"methods take gradients of their own between passes, which no scaler knows of; use bfloat16, not {dtype}"
        )
    return dtype
