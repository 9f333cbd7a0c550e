"""Randomness is a function of keys, not of what was drawn before."""

from hashlib import blake2b
from itertools import combinations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from unfooled.seeds import begin_pass, digest, generator, isolated, replay

keys = st.lists(st.one_of(st.integers(-(2**70), 2**70), st.text(st.characters(exclude_characters="\x1f"))), max_size=4)


def drawn(count=5):
    return torch.rand(count).tolist()


def test_a_digest_is_the_same_on_every_machine():
    text = b"number:1:7;text:5:order;number:1:0;"
    expected = int.from_bytes(blake2b(text, digest_size=8).digest(), "big") >> 1
    assert digest(7, "order", 0) == expected


@given(keys, keys)
def test_different_keys_have_different_digests_of_63_bits(first, second):
    assert 0 <= digest(*first) < 2**63
    assert (digest(*first) == digest(*second)) == (first == second)


def test_kinds_and_borders_of_keys_matter():
    lists = [(1, 23), (12, 3), (123,), ("1", 23), (1, "23"), ("1", "23"), ("int:1", 23), (23, 1), (1, 23, 0)]
    found = {digest(*some) for some in lists}
    assert len(found) == len(lists)


def test_a_generator_depends_on_its_keys_and_disturbs_nothing():
    state = torch.get_rng_state()
    lists = [
        (0, 0, 5, "noise"),
        (1, 0, 5, "noise"),
        (0, 1, 5, "noise"),
        (0, 0, 6, "noise"),
        (0, 0, 5, "mask"),
    ]
    found = [torch.rand(8, generator=generator(*some)) for some in lists]
    assert torch.equal(found[0], torch.rand(8, generator=generator(*lists[0])))
    assert not any(torch.equal(first, second) for first, second in combinations(found, 2))
    assert torch.equal(state, torch.get_rng_state())


def test_begin_pass_sets_what_dropout_draws():
    layer, ones = nn.Dropout(0.5).train(), torch.ones(64)
    found = []
    for step in (1, 2, 1):
        begin_pass(3, "dropout", step)
        found.append(layer(ones))
    assert torch.equal(found[0], found[2]) and not torch.equal(found[0], found[1])


def test_replayed_passes_meet_the_masks_of_the_first():
    layer, ones = nn.Dropout(0.5).train(), torch.ones(64)
    torch.manual_seed(0)
    expected = layer(ones)
    torch.manual_seed(0)
    shared = [layer(ones) for _ in replay(4)]
    assert all(torch.equal(mask, expected) for mask in shared)


def test_passes_that_do_not_share_draw_on():
    torch.manual_seed(0)
    expected = [drawn() for _ in range(3)]
    torch.manual_seed(0)
    assert [drawn() for _ in replay(3, share=False)] == expected


@pytest.mark.parametrize("share", [True, False])
def test_replay_counts_the_passes(share):
    assert list(replay(3, share)) == [0, 1, 2] and list(replay(0, share)) == []


def test_replay_begins_at_the_first_pass_and_not_before():
    passes = replay(2)
    torch.manual_seed(9)
    next(passes)
    first = drawn()
    next(passes)
    assert drawn() == first
    torch.manual_seed(9)
    assert drawn() == first


def test_one_pass_leaves_the_state_where_plain_training_would():
    torch.manual_seed(0)
    drawn()
    after = drawn()
    torch.manual_seed(0)
    for _ in replay(3):
        drawn()
    assert drawn() == after


def test_an_isolated_block_is_keyed_and_puts_the_state_back():
    torch.manual_seed(0)
    expected = drawn()
    torch.manual_seed(0)
    with isolated(4, "weights"):
        inside = drawn()
    assert drawn() == expected
    with isolated(4, "weights"):
        assert drawn() == inside
    with isolated(5, "weights"):
        assert drawn() != inside
    state = torch.get_rng_state()
    with pytest.raises(KeyError), isolated(4):
        raise KeyError(drawn())
    assert torch.equal(state, torch.get_rng_state())
