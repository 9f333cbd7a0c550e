"""Multi-linear attention against triple loops over its definition (Ma et al., 2019), and that it sees no future."""

import math

import pytest
import torch
from torch import nn
from transformers import AutoModelForCausalLM

from unfooled.errors import BadInput
from unfooled.models.sequences.tensorized import MultiLinearAttention, Tensorized, TensorizedConfig, sinusoids

SIZES = {"vocab_size": 30, "hidden_size": 12, "num_hidden_layers": 2, "head_width": 5, "inner_width": 16}


def config(**other):
    return TensorizedConfig(**{**SIZES, "segment_length": 6, "dropout": 0.0, **other})


def build(seed=0, **other):
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        network = Tensorized(config(**other)).double()
        for parameter in network.parameters():
            parameter.data.normal_(std=0.4)
    return network.train(False)


def ids(rows=2, length=6, seed=0):
    return torch.randint(0, 30, (rows, length), generator=torch.Generator().manual_seed(seed))


def given(network, length=6, seed=0):
    random = torch.Generator().manual_seed(seed)
    states = torch.randn(2, length, 12, generator=random, dtype=torch.float64)
    codes = torch.randn(length, 12, generator=random, dtype=torch.float64)
    return states, codes, network.content_bias.data, network.position_bias.data


def naive_product(layer, states, codes, u, v, causal):
    """A[i, j, k] = 1/h Σ_c Σ_r g^c_r V_kr [(Q + u)_ir K_jr + (Q + v)_ir P_jr], written out for one text."""
    rank, length = layer.cores.shape[1], len(states)
    weights = layer.qkv.weight.split(rank)
    query, key, value = ([weight @ state for state in states] for weight in weights)
    position = [layer.position_keys.weight @ code for code in codes]
    found = torch.zeros(length, length, length, dtype=states.dtype)
    for i in range(length):
        for j in range(length):
            for k in range(length):
                if causal and (j > i or k > i):
                    continue
                for core in layer.cores:
                    for r in range(rank):
                        pair = (query[i][r] + u[r]) * key[j][r] + (query[i][r] + v[r]) * position[j][r]
                        found[i, j, k] += core[r] * pair * value[k][r] / len(layer.cores)
    return found


@pytest.mark.parametrize("cores", [1, 3])
@pytest.mark.parametrize("causal", [True, False])
def test_the_product_is_the_triple_loop(cores, causal):
    network = build(cores=cores, causal=causal, segment_length=4)
    layer, (states, codes, u, v) = network.attentions[0], given(network, length=4)
    found = layer.product(states, codes, u, v)
    for text in range(2):
        torch.testing.assert_close(found[text], naive_product(layer, states[text], codes, u, v, causal))


def test_the_layer_is_norm_of_input_and_flattened_product():
    network = build()
    layer, (states, codes, u, v) = network.attentions[1], given(network)
    triples = layer.product(states, codes, u, v)
    mixed = torch.stack([layer.output.weight @ row.reshape(-1) for row in triples[0]])  # SplitConcat: (j, k) → j·T + k
    expected = nn.functional.layer_norm(states[0] + mixed, (12,), layer.norm.weight, layer.norm.bias)
    torch.testing.assert_close(layer(states, codes, u, v)[0], expected)


@pytest.mark.parametrize("place", [1, 3, 5])
def test_a_token_changes_nothing_before_it(place):
    first = ids()
    other = first.clone()
    other[:, place] = (other[:, place] + 7) % 30
    network = build()
    before, after = network(first).logits, network(other).logits
    assert torch.equal(before[:, :place], after[:, :place])
    assert ((before - after)[:, place:].abs().amax(dim=(0, 2)) > 0).all()
    seeing = build(causal=False)
    assert (seeing(first).logits[:, 0] - seeing(other).logits[:, 0]).abs().max() > 1e-3


@pytest.mark.parametrize(
    ("settings", "count"),
    [
        ({"cores": 1}, 6_715_252),
        ({"cores": 2}, 6_715_372),
        ({"cores": 1, "vocab_size": 267_735, "num_hidden_layers": 6, "segment_length": 80}, 85_356_626),
        ({"cores": 2, "vocab_size": 267_735, "num_hidden_layers": 6, "segment_length": 80}, 85_356_866),
    ],
)
def test_it_has_as_many_parameters_as_the_published_one(settings, count):
    cutoffs = (20_000, 40_000, 200_000) if "vocab_size" in settings else ()
    with torch.device("meta"):
        network = Tensorized(TensorizedConfig(**settings, cutoffs=cutoffs))
    assert sum(parameter.numel() for parameter in network.parameters()) == count
    layer, length = network.attentions[0], settings.get("segment_length", 32)
    expected = 4 * 40 * 256 + length**2 * 256 + settings["cores"] * 40 + 2 * 256
    assert sum(parameter.numel() for parameter in layer.parameters()) == expected
    assert sum(parameter.numel() for parameter in network.feeds[0].parameters()) == 1_078_068


def test_two_equal_cores_are_one_and_a_zero_core_leaves_the_norm_of_the_input():
    one, two = build(cores=1), build(cores=2)
    states, codes, u, v = given(one)
    values = {**one.attentions[0].state_dict(), "cores": one.attentions[0].cores.detach().expand(2, -1)}
    two.attentions[0].load_state_dict(values)
    torch.testing.assert_close(two.attentions[0](states, codes, u, v), one.attentions[0](states, codes, u, v))
    layer = one.attentions[0]
    layer.cores.data.zero_()
    assert torch.equal(layer(states, codes, u, v), layer.norm(states))


def test_it_is_linear_in_queries_and_in_cores():
    network = build()
    layer, (states, codes, _, _) = network.attentions[0], given(network)
    none = torch.zeros(5, dtype=torch.float64)
    plain = layer.mixed(layer.product(states, codes, none, none))
    layer.qkv.weight.data[:5] *= 3.0
    torch.testing.assert_close(layer.mixed(layer.product(states, codes, none, none)), 3 * plain)
    layer.cores.data *= -2.0
    torch.testing.assert_close(layer.mixed(layer.product(states, codes, none, none)), -6 * plain)


def test_the_sum_over_keys_is_the_product_with_their_sum():
    network = build(causal=False)
    layer, (states, codes, u, v) = network.attentions[0], given(network)
    query, key, value = layer.qkv(states).chunk(3, dim=-1)
    position = layer.position_keys(codes)
    summed = (query + u) * key.sum(dim=1, keepdim=True) + (query + v) * position.sum(dim=0)
    expected = torch.einsum("bir,r,bkr->bik", summed, layer.cores[0], value)
    torch.testing.assert_close(layer.product(states, codes, u, v).sum(dim=2), expected)


def test_checkpointing_changes_memory_and_no_number():
    results = []
    for checkpointing in (False, True):
        network = build(checkpointing=checkpointing, dropout=0.2).train()
        torch.manual_seed(5)
        loss = network(ids(), labels=ids()).loss
        loss.backward()
        results.append((loss.detach(), [parameter.grad for parameter in network.parameters()]))
    assert torch.equal(results[0][0], results[1][0])
    for first, second in zip(results[0][1], results[1][1], strict=True):
        torch.testing.assert_close(first, second)


@pytest.mark.parametrize("length", [1, 3, 5])
def test_a_short_segment_reads_as_one_that_is_padded(length):
    network, whole = build(), ids()
    torch.testing.assert_close(network(whole[:, :length]).logits, network(whole).logits[:, :length])


def test_a_segment_longer_than_the_model_is_refused():
    with pytest.raises(BadInput, match="segment of 7 tokens is longer than the model, made for 6"):
        build()(ids(length=7))


def test_words_are_scaled_before_they_are_read_and_tied_to_the_output():
    network = build()
    torch.testing.assert_close(network.embedding(ids()), network.embedding.weight[ids()] * math.sqrt(12))
    assert network.lm_head.weight is network.embedding.weight


def test_positions_are_counted_from_the_end():
    codes = sinusoids(3, 6, 4, torch.device("cpu"))
    for place in range(3):
        angles = [(5 - place) / 10_000 ** (2 * half / 4) for half in range(2)]
        expected = [*(math.sin(angle) for angle in angles), *(math.cos(angle) for angle in angles)]
        torch.testing.assert_close(codes[place], torch.tensor(expected))


def test_new_cores_are_shares_of_one():
    layer = Tensorized(config()).attentions[0]
    assert isinstance(layer, MultiLinearAttention)
    assert (layer.cores > 0).all() and layer.cores.sum().item() == pytest.approx(1.0)
    assert layer.cores.std() > 0.01


def test_it_is_saved_opened_and_asked_for_more_by_plain_transformers(tmp_path):
    network = build().float()
    network.save_pretrained(tmp_path)
    again = AutoModelForCausalLM.from_pretrained(tmp_path)
    assert torch.equal(again(ids()).logits, network(ids()).logits)
    assert again.lm_head.weight is again.embedding.weight
    start = ids(rows=1, length=4)
    written = again.generate(start, max_new_tokens=3, do_sample=False, pad_token_id=0)
    assert written.shape == (1, 7)
    assert written[0, 4] == network(start).logits[0, -1].argmax()
