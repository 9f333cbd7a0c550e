"""Classifiers over decoders: a text is known at its last real token, and what pads must never be taken for one."""

from typing import Any

import torch
from torch import Tensor

from unfooled.errors import BadInput
from unfooled.models.checks import reads_onward


def at_last(states: Tensor, mask: Tensor) -> Tensor:
    """Of states [B, T, …] those of each text's last real token, whichever side is padded.

    >>> mask = torch.tensor([[True, True, False], [False, True, True]])
    >>> at_last(torch.tensor([[[1.0], [2.0], [3.0]], [[4.0], [5.0], [6.0]]]), mask).tolist()
    [[2.0], [6.0]]
    """
    places = torch.arange(mask.shape[1], device=mask.device)
    last = (places * mask).argmax(dim=1)
    return states[torch.arange(len(states), device=states.device), last]


def positions_of(mask: Tensor) -> Tensor:
    """The place of each token among its text's real ones [B, T]: padding on the left moves no text.

    >>> positions_of(torch.tensor([[False, True, True]])).tolist()
    [[0, 0, 1]]
    """
    return (mask.long().cumsum(dim=1) - 1).clamp(min=0)


def prepared_to_pad(config: Any, tokenizer: Any, name: str) -> tuple[str, ...]:
    """Let a decoder and its tokenizer agree on what pads, and say which token it is where there was none.

    Plain transformers finds the last real token by its number, so one that ends every text cannot pad.
    """
    if not reads_onward(config):
        return ()
    notes: tuple[str, ...] = ()
    if tokenizer.pad_token_id is None:
        ending = set(tokenizer("a")["input_ids"])
        able = [token for token in (tokenizer.unk_token, tokenizer.eos_token, tokenizer.bos_token) if token is not None]
        free = [token for token in able if tokenizer.convert_tokens_to_ids(token) not in ending]
        if not free:
            raise BadInput(f"the tokenizer of {name} has no token that could pad; give it a pad_token and save it")
        tokenizer.pad_token = free[0]
        notes = (f"{name} has no token that pads; {free[0]} does from now on, which no text may end with",)
    if tokenizer.pad_token_id in tokenizer("a")["input_ids"]:
        raise BadInput(f"the tokenizer of {name} ends texts with what it pads with; give it another pad_token")
    config.pad_token_id = tokenizer.pad_token_id
    return notes
