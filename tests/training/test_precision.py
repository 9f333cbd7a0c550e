"""Half precision on a network that was really trained: the answers to texts it has not seen stay what they are."""

from collections.abc import Callable
from pathlib import Path

import torch
from trained import sentences, trained, two

from unfooled.models.encoders.classifier import still
from unfooled.tokens import encode

HELD = 500  # texts


def test_half_precision_decides_alike_on_texts_it_has_not_seen(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    model = trained(tmp_path, ("a", "b"), *two(*sentences(120, 0)))
    texts, _ = two(*sentences(HELD, 1))
    tokens = encode(model.tokenizer, texts, 32).pad(range(HELD))
    with still(model.classifier), torch.inference_mode():
        full = model.classifier(tokens).logits
        model.classifier.autocast = torch.bfloat16
        half = model.classifier(tokens).logits
    assert half.dtype == torch.bfloat16 and not torch.equal(full, half.float())
    alike = float((full.argmax(dim=1) == half.argmax(dim=1)).double().mean())
    record_property("texts", HELD)
    record_property("smallest share decided alike", alike)
    assert alike >= 0.99 and 0.1 < float(full.argmax(dim=1).double().mean()) < 0.9
