"""Words that stand alone: gains behind a layer are derivatives, and a word is read the same in any company."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from exchange_ground import tiny_model
from support import make_batch
from torch import Tensor

from unfooled.errors import BadInput
from unfooled.models.encoders.classifier import Classifier
from unfooled.models.encoders.packed_training import pack
from unfooled.models.encoders.pretrained import TextModel
from unfooled.substitution.alone import WordsAlone, encoder_of, layers_of, words_alone, worth_reading
from unfooled.substitution.gains import Exchange
from unfooled.substitution.reading import WordReader
from unfooled.types import Tokens

FRAME = ((2,), (3,))
EXCHANGES = (
    Exchange(0, (1, 2), [(7,), (9,), (11, 12, 13)]),
    Exchange(0, (2, 4), [(20, 21), (22, 23), (24,)]),
    Exchange(2, (1, 4), [(30, 31), (32, 33, 34)], lasting=False),
)


@pytest.fixture
def model(tiny_bert: Callable[..., Classifier]) -> Classifier:
    return tiny_bert(classes=3).double().eval()


def moved(model: Classifier, layers: int, delta: Tensor) -> Any:
    """While open, the states behind some layers are moved."""
    own = layers_of(encoder_of(model), model.depth)
    assert own is not None

    def move(_: Any, given: Any, output: Any) -> Any:
        return output + delta if isinstance(output, Tensor) else (output[0] + delta, *output[1:])

    return own[layers - 1].register_forward_hook(move)


def test_oracle_a_gain_is_the_derivative_along_the_way_from_word_to_word(model: Classifier) -> None:
    batch, alone = make_batch((5, 3, 7), classes=3), WordsAlone(model, 1, FRAME)
    ids = batch.tokens.ids

    def loss(logits: Tensor) -> Tensor:
        return torch.nn.functional.cross_entropy(logits, batch.label, reduction="sum")

    output = model(batch.tokens, layers=(0,))
    (gradient,) = torch.autograd.grad(loss(output.logits), output.layers[0])
    found = alone.gains(gradient, ids, EXCHANGES)
    assert [len(values) for values in found] == [3, 3, 2]
    step = 1e-5
    for exchange, values in zip(EXCHANGES, found, strict=True):
        first, last = exchange.span
        stands = tuple(ids[exchange.row, first:last].tolist())
        for pieces, value in zip(exchange.candidates, values, strict=True):
            there, here = alone.states([pieces, stands], [False, False]).double()
            delta = torch.zeros(*ids.shape, there.shape[0], dtype=torch.float64)
            delta[exchange.row, first:last] = there - here
            with torch.no_grad():
                sides = []
                for sign in (1, -1):
                    with moved(model, 1, sign * step * delta):
                        sides.append(float(loss(model(batch.tokens).logits)))
            assert value == pytest.approx((sides[0] - sides[1]) / (2 * step), rel=1e-4, abs=1e-7)
            assert abs(value) > 1e-6  # there is something to compare


def test_a_word_is_what_the_network_itself_makes_of_it_alone(model: Classifier) -> None:
    alone = WordsAlone(model, 1, FRAME)
    ids = torch.tensor([[2, 11, 12, 13, 3]])
    states = model(Tokens(ids, torch.ones_like(ids, dtype=torch.bool)), layers=(0,)).layers[0]
    [own] = alone.states([(11, 12, 13)], [True])
    assert torch.allclose(own, states[0, 1:4].mean(dim=0).float(), atol=1e-6)


def test_a_word_is_read_the_same_to_the_bit_in_any_company(model: Classifier) -> None:
    """What was known before a stop is not known behind it: what is found must not depend on that."""
    model = model.float()
    random = np.random.default_rng(0)
    words = list({tuple(random.integers(5, 60, size=random.integers(1, 4)).tolist()) for _ in range(80)})
    together = WordsAlone(model, 1, FRAME).states(words, [True] * len(words))
    shuffled, alone = random.permutation(len(words)), WordsAlone(model, 1, FRAME)
    for part in np.array_split(shuffled, 9):
        again = alone.states([words[place] for place in part], [False] * len(part))
        assert torch.equal(again, together[part])
    assert not alone.known


def test_a_word_longer_than_a_text_may_be_is_read_as_its_beginning(model: Classifier) -> None:
    places = model.network.config.max_position_embeddings
    long = tuple(range(5, 25)) * (places // 20 + 1)
    room = places - 2  # [CLS] and [SEP]
    own, cut = WordsAlone(model, 1, FRAME, room).states([long, long[:room]], [True, False])
    assert torch.equal(own, cut)
    with pytest.raises((IndexError, RuntimeError)):
        WordsAlone(model, 1, FRAME).states([long], [True])


def test_what_lasts_is_remembered_until_the_layers_are_copied_anew(model: Classifier) -> None:
    alone = WordsAlone(model, 1, FRAME)
    before = alone.states([(7,), (9, 10)], [True, False])
    assert list(alone.known) == [(7,)]
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.1)
    assert torch.equal(alone.states([(7,), (9, 10)], [True, False]), before)
    alone.renew(model)
    after = alone.states([(7,), (9, 10)], [True, False])
    assert not alone.known.keys() - {(7,)} and (after - before).abs().max() > 1e-3
    assert not any(parameter.requires_grad for parameter in alone.parameters())
    assert not alone.train().encoder.training  # dropout is off, whatever trains


def test_by_default_a_third_of_the_layers_and_the_table_where_there_are_too_few(tmp_path: Any) -> None:
    tiny: TextModel = tiny_model(tmp_path)
    reader = WordReader(tiny.tokenizer, 32)
    assert tiny.classifier.depth < 3 and words_alone(tiny.classifier, "auto", reader) is None
    own = words_alone(tiny.classifier, 1, reader)
    assert own is not None and own.layers == 1
    kept = layers_of(own.encoder, 1)
    assert kept is not None and len(kept) == 1
    assert [reader.tokenizer.convert_ids_to_tokens(list(part)) for part in own.frame] == [["[CLS]"], ["[SEP]"]]
    with pytest.raises(BadInput, match="method.layer is 9, but .* behind 1 layers at most"):
        words_alone(tiny.classifier, 9, reader)


def test_of_words_whose_candidates_are_drawn_anew_the_half_of_the_largest_gradients_is_read() -> None:
    exchanges = [Exchange(row, (0, 1), [(7,)], lasting=row == 2) for row in (0, 0, 0, 1, 2, 2)]
    assert worth_reading([0.1, 0.3, 0.2, 0.0, 0.0, 0.0], exchanges) == [1, 2, 3, 4, 5]


def test_a_network_whose_states_lead_nowhere_is_searched_at_its_table(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny = tiny_model(tmp_path)
    reader, forward = WordReader(tiny.tokenizer, 32), Classifier.forward

    def apart(self: Classifier, *given: Any, **named: Any) -> Any:
        output = forward(self, *given, **named)
        return replace(output, layers=tuple(one.clone() for one in output.layers))

    monkeypatch.setattr(Classifier, "forward", apart)
    with pytest.raises(BadInput, match="can be compared at its table alone"):
        words_alone(tiny.classifier, 1, reader)


def test_what_is_known_is_forgotten_where_other_weights_are_loaded(model: Classifier) -> None:
    alone, other = WordsAlone(model, 1, FRAME), WordsAlone(model, 1, FRAME)
    with torch.no_grad():
        for parameter in other.parameters():
            parameter.add_(0.1)
    before = alone.states([(7,)], [True])
    alone.load_state_dict(other.state_dict())
    assert not torch.equal(alone.states([(7,)], [True]), before)
    assert torch.equal(alone.states([(7,)], [True]), other.states([(7,)], [True]))


@pytest.mark.parametrize("packed", [False, True])
def test_the_states_that_a_network_gives_out_have_a_gradient(packed: bool, model: Classifier) -> None:
    model = model.float()
    if packed:
        pack(model)
    batch = make_batch((5, 3, 7), classes=3)
    output = model(batch.tokens, layers=(0,))
    (gradient,) = torch.autograd.grad(output.logits.sum(), output.layers[0])
    assert (gradient[batch.tokens.mask].abs().sum(dim=-1) > 0).all()
