"""Training without padding beside the padded pass, on tiny random networks of every known layout."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from support import collected_gradients, largest_difference, make_tokens, padding_of, tiny_network
from torch import Tensor, nn

from unfooled.errors import BadInput
from unfooled.models.encoders import half_rows, packed_training
from unfooled.models.encoders.classifier import Classifier, in_single_precision
from unfooled.models.encoders.layouts import LAYOUTS
from unfooled.models.encoders.packed import said
from unfooled.models.encoders.packed_training import pack, passing, quick_pass
from unfooled.models.encoders.text_cnn import TextCNN, TextCNNConfig
from unfooled.types import Tokens

KINDS = ("bert", "roberta", "distilbert", "electra", "mpnet")
LENGTHS = (5, 3, 7, 1, 7, 2)


def pair(kind: str, dropout: float = 0.0) -> tuple[Classifier, Classifier]:
    """The same network twice, the second one packed."""
    padded, packed = (Classifier(tiny_network(kind, 3, dropout, layers=3)).train() for _ in range(2))
    packed.load_state_dict(padded.state_dict())
    pack(packed)
    return padded, packed


def passed(
    classifier: Classifier, tokens: Tokens, layers: Collection[int] = ()
) -> tuple[Tensor, dict[str, Tensor], Tensor]:
    """Logits, and the gradients of a loss of logits, features and states at all parameters and at a perturbation."""
    delta = (torch.arange(tokens.ids.numel() * classifier.width) % 7 * 0.01).view(*tokens.ids.shape, -1)
    delta.requires_grad_()
    output = classifier(tokens, delta, layers=layers)
    loss = F.cross_entropy(output.logits, torch.arange(len(tokens.ids)) % 3) + output.features.square().mean()
    for states in output.layers:
        loss = loss + (states.square().sum(dim=-1) * tokens.mask).mean()
    loss.backward()
    assert delta.grad is not None
    return output.logits, collected_gradients(classifier), delta.grad


@pytest.mark.parametrize("layers", [(), (1, 0), (2,)])
@pytest.mark.parametrize("kind", KINDS)
def test_logits_and_gradients_are_those_of_the_padded_pass(kind: str, layers: tuple[int, ...]) -> None:
    padded, packed = pair(kind)
    tokens = make_tokens(LENGTHS, range(len(LENGTHS)), 9, padding_of(kind), kind in ("bert", "electra"))
    (logits, gradients, moved), (own, others, same) = (passed(one, tokens, layers) for one in (padded, packed))
    assert (logits - own).abs().max() < 1e-5 and largest_difference(gradients, others) < 1e-5
    assert (moved - same).abs().max() < 1e-5 * moved.abs().max()


@pytest.mark.parametrize("kind", KINDS)
def test_in_half_precision_products_alone_are_rounded(kind: str) -> None:
    """Logits and gradients are near those of single precision, and in it themselves; the last layer stays whole."""
    padded, packed = pair(kind)
    tokens = make_tokens(LENGTHS, range(len(LENGTHS)), 9, padding_of(kind))
    packed.autocast = torch.bfloat16
    made = {}
    for name, module in packed.named_modules():
        if isinstance(module, nn.Linear):
            module.register_forward_hook(lambda _, given, out, name=name: made.update({name: out.dtype}))
    (logits, gradients, moved), (own, others, same) = (passed(one, tokens) for one in (packed, padded))
    assert {logits.dtype, moved.dtype, *(each.dtype for each in gradients.values())} == {torch.float32}
    assert not torch.equal(logits, own) and (logits - own).abs().max() < 0.2
    every, whole = (torch.cat([each.flatten() for each in some.values()]) for some in (gradients, others))
    assert F.cosine_similarity(every, whole, dim=0) > 0.99
    assert F.cosine_similarity(moved, same, dim=-1)[tokens.mask].min() > 0.9
    layers = LAYOUTS[type(packed.network).__name__](packed.network).layers
    names = {module: name for name, module in packed.named_modules()}
    inner = {made[names[part]] for layer in layers[:-1] for part in (layer.query, layer.key, layer.mix, layer.widen)}
    assert inner == {torch.bfloat16} and made[names[layers[-1].widen]] == torch.float32
    with in_single_precision(packed):
        assert (packed(tokens).logits - padded(tokens).logits).abs().max() < 1e-5


def test_a_text_of_no_tokens_takes_nothing_from_its_neighbour() -> None:
    padded, packed = pair("bert")
    tokens = make_tokens(LENGTHS, range(len(LENGTHS)), 9, padding_of("bert"))
    empty = replace(tokens, mask=tokens.mask & (torch.arange(len(LENGTHS)) > 0)[:, None])
    assert torch.equal(packed(empty).logits, padded(empty).logits)


def test_in_half_precision_products_have_few_sizes_and_what_fills_them_up_teaches_nothing() -> None:
    """A processor keeps a program for every size of a product, so that a size of its own for each batch has no end."""
    _, packed = pair("bert")
    packed.autocast = torch.bfloat16
    sizes, gradients = set(), []
    query = packed.network.bert.encoder.layer[0].attention.self.query
    query.register_forward_hook(lambda _, given, out: sizes.add(len(given[0])))
    for count in range(1, 7):
        packed(make_tokens(LENGTHS[:count], range(count), 9, padding_of("bert")))
    assert sizes == {half_rows.ROWS}
    for rows in (1, half_rows.ROWS):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(half_rows, "ROWS", rows)
            packed.zero_grad()
            passed(packed, make_tokens(LENGTHS, range(len(LENGTHS)), 9, padding_of("bert")))
            gradients.append(collected_gradients(packed))
    assert largest_difference(*gradients) < 1e-2  # products of another size may round otherwise


def test_no_product_is_made_of_padding_and_the_last_layer_is_made_at_one_token() -> None:
    _, packed = pair("bert")
    rows: dict[str, int] = {}
    for name, module in packed.named_modules():
        if isinstance(module, nn.Linear):
            module.register_forward_hook(lambda _, given, out, name=name: rows.update({name: len(given[0])}))
    packed(make_tokens(LENGTHS, range(len(LENGTHS)), 9, padding_of("bert")))
    wide = [rows[f"network.bert.encoder.layer.{layer}.intermediate.dense"] for layer in range(3)]
    assert wide == [sum(LENGTHS), sum(LENGTHS), len(LENGTHS)]


@pytest.mark.parametrize("kind", KINDS)
def test_every_dropout_of_the_network_is_drawn(kind: str) -> None:
    """As many numbers as there are modules that drop something, each off in turn: each changes what is said."""
    _, packed = pair(kind, dropout=0.3)
    tokens = make_tokens(LENGTHS, range(len(LENGTHS)), 9, padding_of(kind))
    dropouts = [module for module in packed.modules() if isinstance(module, nn.Dropout) and module.p]
    for module in dropouts:
        module.p = 0.0
    still = packed(tokens).logits
    for module in dropouts:
        module.p = 0.5
        torch.manual_seed(0)
        assert (packed(tokens).logits - still).abs().max() > 1e-6
        module.p = 0.0


def test_attention_that_is_dropped_takes_its_share_of_the_bias_with_it() -> None:
    """At the one token of the last layer, Σ_j m_j a_j (W_v h_j + b): the bias counts as often as what is kept."""
    _, packed = pair("bert", dropout=0.3)
    tokens = make_tokens((4, 4), (0, 1), 4, padding_of("bert"))
    for module in packed.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0
    layout = LAYOUTS[type(packed.network).__name__](packed.network)
    last = layout.layers[-1]
    nn.init.normal_(last.value.bias)
    last.drop_looks.p = 0.5
    by_layers = []
    for layers in ((), (2,)):  # at one token, and as a whole layer
        drawn = []
        for seed in range(400):
            torch.manual_seed(seed)
            drawn.append(packed(tokens, layers=layers).logits.detach())
        by_layers.append(torch.stack(drawn))
    spread = by_layers[1].std(dim=0) / 20
    assert ((by_layers[0].mean(dim=0) - by_layers[1].mean(dim=0)).abs() < 6 * spread).all()
    assert ((by_layers[0].std(dim=0) / by_layers[1].std(dim=0) - 1).abs() < 0.25).all()


def test_what_cannot_be_packed_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    cnn = TextCNN(TextCNNConfig(vocab_size=30, embedding_width=4, num_labels=2))
    with pytest.raises(BadInput, match="TextCNN cannot be trained without padding"):
        pack(Classifier(cnn))
    monkeypatch.setattr(packed_training, "fed", lambda layer, gathered, states: states)
    with pytest.raises(BadInput, match="cannot be trained without padding: its logits are .* off then"):
        pack(Classifier(tiny_network("bert", 3, 0.0, layers=3)))


def looked_at(classifier: Classifier, tokens: Tokens) -> tuple[Tensor, Tensor, Tensor]:
    """Logits and features at a perturbation, and the gradient of the loss there."""
    delta = (torch.arange(tokens.ids.numel() * classifier.width) % 7 * 0.01).view(*tokens.ids.shape, -1)
    output = classifier(tokens, delta.requires_grad_())
    (gradient,) = torch.autograd.grad(F.cross_entropy(output.logits, torch.arange(len(tokens.ids)) % 3), delta)
    return output.logits, output.features, gradient


@pytest.mark.parametrize("kind", KINDS)
def test_the_quick_pass_of_trials_is_the_networks_own_and_is_gone_afterwards(kind: str) -> None:
    classifier = Classifier(tiny_network(kind, 3, 0.2, layers=3)).eval()
    tokens = make_tokens(LENGTHS, range(len(LENGTHS)), 9, padding_of(kind), kind in ("bert", "electra"))
    way = quick_pass(classifier)
    assert way is not None and classifier.unpadded is None
    own = looked_at(classifier, tokens)
    with passing(classifier, way):
        quick = looked_at(classifier, tokens)
        assert classifier.unpadded is way
    assert classifier.unpadded is None
    for one, other in zip(own, quick, strict=True):
        assert 0 < (one - other).abs().max() < 1e-5 * one.abs().max()
    assert not quick[2][~tokens.mask].any()  # nothing is moved where nothing is read


def test_a_network_that_is_packed_or_in_another_precision_goes_its_own_way() -> None:
    classifier = Classifier(tiny_network("bert", 3, 0.0, layers=3)).eval()
    classifier.autocast = torch.bfloat16
    assert quick_pass(classifier) is None
    classifier.autocast = None
    pack(classifier)
    own = classifier.unpadded
    assert quick_pass(classifier) is None
    with passing(classifier, None):
        assert classifier.unpadded is own


def test_what_cannot_be_passed_through_quickly_is_passed_through_as_it_is_which_is_said_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said.cache_clear()
    cnn = TextCNN(TextCNNConfig(vocab_size=30, embedding_width=4, num_labels=2))
    albert = Classifier(tiny_network("albert", 3, 0.0, layers=3))
    assert [quick_pass(one) for one in (Classifier(cnn), albert, albert)] == [None] * 3
    assert capsys.readouterr().err.count("its layout is not known") == 1
    bert = Classifier(tiny_network("bert", 3, 0.0, layers=3))
    monkeypatch.setattr(packed_training, "embedded", still_lookup(packed_training.embedded))
    assert quick_pass(bert) is None and quick_pass(bert) is None and bert.training
    assert capsys.readouterr().err.count("off then") == 1


def still_lookup(embedded: Any) -> Any:
    """What forgets the perturbation."""
    return lambda model, layout, tokens, delta, places: embedded(model, layout, tokens, None, places)
