import pytest
import torch
from support import make_tokens, padding_of, tiny_network

from unfooled.models.encoders.classifier import Classifier
from unfooled.models.encoders.layouts import LAYOUTS

KINDS = ("bert", "roberta", "distilbert", "electra", "mpnet")


@pytest.mark.parametrize("kind", KINDS)
def test_the_parts_are_those_of_the_network(kind: str) -> None:
    network = tiny_network(kind, layers=3).eval()
    layout = LAYOUTS[type(network).__name__](network)
    own = {id(module) for module in network.modules()}
    parts = [part for layer in layout.layers for part in vars(layer).values() if isinstance(part, torch.nn.Module)]
    parts = [part for part in parts if not isinstance(part, torch.nn.Identity)]  # DistilBERT drops nothing there
    assert len(layout.layers) == 3 and layout.heads == 4
    assert all(id(part) in own for part in parts) and len({id(part) for part in parts}) == len(parts)


@pytest.mark.parametrize("kind", KINDS)
def test_tokens_alone_are_embedded_as_in_their_text(kind: str) -> None:
    network = tiny_network(kind).eval()
    layout, tokens = LAYOUTS[type(network).__name__](network), make_tokens((5, 3, 7), (0, 1, 2), 8, padding_of(kind))
    tokens.ids[2, 3] = padding_of(kind)  # which some count no position for
    states = network.base_model(tokens.ids, tokens.mask.long(), output_hidden_states=True).hidden_states[0]
    found = layout.embed(tokens.ids[tokens.mask], layout.positions(tokens.ids)[tokens.mask], None)
    assert torch.allclose(found, states[tokens.mask], atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_the_answer_is_read_off_the_first_token(kind: str) -> None:
    network = tiny_network(kind, classes=3).eval()
    layout, tokens = LAYOUTS[type(network).__name__](network), make_tokens((5, 3), (0, 1), padding=padding_of(kind))
    output = Classifier(network)(tokens, states=True)
    assert output.states is not None
    assert torch.allclose(layout.answer(output.states[:, 0]), output.logits, atol=1e-6)
