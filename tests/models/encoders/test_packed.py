"""Packed answers beside those of the plain network, on tiny random networks of every known layout."""

from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from support import make_tokens, padding_of, tiny_network
from torch import Tensor

from unfooled.models.encoders import packed as packing
from unfooled.models.encoders.classifier import Classifier
from unfooled.models.encoders.layouts import LAYOUTS, Layout
from unfooled.models.encoders.packed import attended, attended_at_once, packing_of, pass_of, said
from unfooled.types import Tokens

KINDS = ("bert", "roberta", "distilbert", "electra", "mpnet")
LENGTHS = (5, 3, 7, 1, 7, 2)


def tokens_for(kind: str, columns: int | None = None, segments: bool = False) -> Tokens:
    return make_tokens(LENGTHS, range(len(LENGTHS)), columns, padding_of(kind), segments)


def built(kind: str, layers: int = 3) -> Classifier:
    return Classifier(tiny_network(kind, 3, 0.2, layers=layers)).eval()


def plain(classifier: Classifier, tokens: Tokens) -> Tensor:
    with torch.no_grad():
        return classifier(tokens).logits


def far(classifier: Classifier, way: Callable[[Tokens], Tensor], tokens: Tokens) -> float:
    with torch.inference_mode():
        return float((way(tokens) - plain(classifier, tokens)).abs().max())


@pytest.mark.parametrize("layers", [1, 2, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_answers_are_those_of_the_plain_network(kind: str, layers: int) -> None:
    classifier = built(kind, layers)
    way = pass_of(classifier)
    assert way.__name__ == "quick"
    tokens = tokens_for(kind, columns=9)
    tokens.ids[2, 3] = padding_of(kind)  # a padding token that stands in a text
    assert plain(classifier, tokens).std(dim=0).max() > 0 and far(classifier, way, tokens) < 1e-5
    assert far(classifier, way, make_tokens((4,), (9,), None, padding_of(kind))) < 1e-5


@pytest.mark.parametrize("kind", ["bert", "electra", "distilbert"])
def test_the_segments_of_pairs_are_read_where_the_network_reads_them(kind: str) -> None:
    classifier, tokens = built(kind), tokens_for(kind, segments=True)
    assert far(classifier, pass_of(classifier), tokens) < 1e-5
    if kind != "distilbert":
        assert (plain(classifier, tokens) - plain(classifier, replace(tokens, segments=None))).abs().max() > 1e-3


def test_no_product_is_made_twice_nor_of_padding_nor_of_what_nobody_reads() -> None:
    classifier = built("bert")
    way, tokens = pass_of(classifier), tokens_for("bert", columns=12)
    tokens = Tokens(tokens.ids[[0, 0, 0, 2]], tokens.mask[[0, 0, 0, 2]])
    tokens.ids[1, 2] = 6
    rows: dict[str, int] = {}
    for name, module in classifier.named_modules():
        if isinstance(module, torch.nn.Linear):
            module.register_forward_hook(lambda _, given, out, name=name: rows.update({name: len(given[0])}))
    with torch.inference_mode():
        way(tokens)
    layers = [{name: rows.get(name_of(number, name)) for name in ("query", "key", "value")} for number in range(3)]
    different = {(int(one), place) for row in (0, 1, 3) for place, one in enumerate(tokens.ids[row]) if one}
    assert set(layers[0].values()) == {len(different)} and set(layers[1].values()) == {5 + 5 + 5 + 7}
    assert layers[2] == {"query": 4, "key": None, "value": None}
    assert rows["network.bert.encoder.layer.2.intermediate.dense"] == 4


def name_of(layer: int, part: str) -> str:
    return f"network.bert.encoder.layer.{layer}.attention.self.{part}"


def test_weights_may_change_at_any_time() -> None:
    classifier, tokens = built("bert"), tokens_for("bert")
    way, before = pass_of(classifier), plain(classifier, tokens)
    for change in (torch.nn.init.normal_, lambda weight: weight.data.copy_(torch.randn_like(weight))):
        for layer in (0, 1, 2):
            change(classifier.get_parameter(f"{name_of(layer, 'key')}.weight"))
            change(classifier.get_parameter(f"{name_of(layer, 'value')}.bias"))
    weight = classifier.get_parameter("network.bert.embeddings.word_embeddings.weight")
    weight.data = torch.randn_like(weight)
    assert (plain(classifier, tokens) - before).abs().max() > 1e-2 and far(classifier, way, tokens) < 1e-5


@pytest.mark.parametrize("kind", ["albert", "deberta"])
def test_a_layout_that_is_not_known_is_asked_as_it_is_which_is_said_once(
    kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    said.cache_clear()
    classifier, tokens = built(kind), tokens_for(kind)
    ways = [pass_of(classifier) for _ in range(2)]
    assert far(classifier, ways[1], tokens) == 0
    assert capsys.readouterr().err.count("its layout is not known") == 1


def other_heads(network: torch.nn.Module) -> Layout:
    return replace(LAYOUTS["BertForSequenceClassification"](network), heads=8)


def test_a_network_that_answers_otherwise_when_packed_is_asked_as_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said.cache_clear()
    monkeypatch.setattr(packing, "LAYOUTS", {"BertForSequenceClassification": other_heads})
    classifier = built("bert").train()
    ways = [pass_of(classifier) for _ in range(2)]
    assert classifier.training
    classifier.eval()
    assert far(classifier, ways[0], tokens_for("bert")) == 0
    with torch.no_grad():
        classifier.network.classifier.weight.mul_(1.5)  # as training does: it is off by another number
    pass_of(classifier)
    assert capsys.readouterr().err.count("off then") == 1


def test_what_is_no_plain_single_precision_is_asked_as_it_is() -> None:
    classifier, tokens = built("bert"), tokens_for("bert")
    way = pass_of(classifier)
    classifier.autocast = torch.bfloat16
    assert far(classifier, way, tokens) == 0
    classifier.autocast = None
    assert pass_of(built("bert").double()).__name__ == "plain"
    empty = replace(tokens, mask=tokens.mask.clone())
    empty.mask[1] = False  # a text without any token
    assert far(classifier, way, empty) == 0
    layers = classifier.network.bert.encoder.layer
    layers[2].attention.self.key = torch.nn.Sequential(torch.nn.Linear(32, 32))
    assert pass_of(classifier).__name__ == "plain"
    other = built("bert")
    other.network.bert.encoder.layer[1] = torch.nn.Sequential(other.network.bert.encoder.layer[1])
    assert pass_of(other).__name__ == "plain"


@pytest.mark.filterwarnings("ignore")  # nested tensors are called a prototype
def test_attention_over_all_lengths_at_once_is_attention_length_by_length() -> None:
    mask = tokens_for("bert").mask
    projected = list(torch.randn(3, int(mask.sum()), 32, generator=torch.Generator().manual_seed(0)))
    found = attended_at_once(projected, 4, packing_of(mask))
    assert torch.allclose(found, attended(projected, 4, packing_of(mask), None), atol=1e-5)


@pytest.mark.parametrize("error", [RuntimeError, TypeError, IndexError])
def test_a_network_that_cannot_be_asked_packed_here_is_asked_as_it_is(
    error: type[Exception], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def unable(*given: object) -> torch.Tensor:
        raise error("no kernel for this device")

    said.cache_clear()
    monkeypatch.setattr(packing, "packed", unable)
    classifier = built("bert").eval()
    assert far(classifier, pass_of(classifier), tokens_for("bert")) == 0
    assert "it cannot be asked so here (no kernel for this device)" in capsys.readouterr().err
