"""Dropout rates, by whatever names configurations have for them."""

from typing import Any

from unfooled.errors import BadInput

# What configurations call the dropout between the pooled vector and the last layer.
CLASSIFIER_DROPOUTS = ("classifier_dropout", "classifier_dropout_prob", "seq_classif_dropout", "cls_dropout")


def set_dropout(config: Any, rate: float | None) -> None:
    """Set every dropout rate the configuration knows."""
    if rate is not None:
        known = config.to_dict().items()
        config.update({name: rate for name, value in known if "drop" in name and isinstance(value, float | int)})


def set_classifier_dropout(config: Any, rate: float | None, name: str) -> None:
    """Set the dropout rate before the last layer, by whatever name the configuration has for it."""
    if rate is None:
        return
    known = [key for key in CLASSIFIER_DROPOUTS if key in config.to_dict()]
    if not known:
        raise BadInput(f"{name} knows no dropout for its last layer alone; set model.dropout, or leave it out")
    config.update(dict.fromkeys(known, rate))
