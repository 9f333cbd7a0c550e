"""What decides a network's answers besides its weights and words: how texts become tokens, and its configuration.

A configuration whose activation is another one, or a tokenizer that no longer lowers capitals, changes every answer and
no weight.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import JsonValue
from tokenizers import Tokenizer

# Of a configuration, what no answer depends on: who wrote it and in which precision, what classes are called, how
# weights were drawn and trained, what else a pass returns or keeps.
IDLE = {
    *("transformers_version", "architectures", "dtype", "torch_dtype", "id2label", "label2id"),
    *("initializer_range", "initializer_factor", "initializer_cutoff_factor", "init_std", "gradient_checkpointing"),
    *("use_cache", "return_dict", "output_attentions", "output_hidden_states"),
    *("unfooled_trained_on", "unfooled_learnt_nothing", "unfooled_temperature", "unfooled_words"),
}


def rules_hash(tokenizers: Sequence[Any], config: Mapping[str, Any]) -> str:
    """The SHA-256 of how tokenizers cut texts and of what a configuration decides."""
    told = json.dumps([*map(cutting, tokenizers), deciding(config)], default=str)
    return hashlib.sha256(told.encode()).hexdigest()


def cutting(tokenizer: Any) -> JsonValue:
    """All that decides how a tokenizer cuts texts, but not how many tokens were asked for."""
    try:
        copied = Tokenizer.from_str(tokenizer.backend_tokenizer.to_str())
    except Exception:  # one that is written in Python, in whole or in part, and can tell its words alone
        return type(tokenizer).__name__
    copied.no_truncation()
    copied.no_padding()
    return [copied.to_str(), tokenizer.truncation_side, tokenizer.padding_side]


def deciding(value: Any) -> Any:
    """What of a configuration decides answers, at every depth; names that begin with _ are of this process.

    >>> deciding({"hidden_act": "gelu", "_name_or_path": "here", "hidden_dropout_prob": 0.1, "dtype": None})
    {'hidden_act': 'gelu'}
    """
    if not isinstance(value, Mapping):
        return value
    named = sorted((str(name), inner) for name, inner in value.items())
    return {name: deciding(inner) for name, inner in named if not is_idle(name)}


def is_idle(name: str) -> bool:
    """Whether no answer depends on what a configuration says under a name."""
    return name in IDLE or name.startswith("_") or "dropout" in name
