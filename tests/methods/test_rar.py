"""The oracles of RAR (docs/papers/rar.md), with L_C and L_R written out by hand."""

import math
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from safetensors.torch import load_file
from support import (
    VOCABULARY,
    Lone,
    collected_gradients,
    cross_entropies,
    largest_difference,
    make_task,
    parameter_gradients,
    tiny_network,
)
from tiny import save_encoder, save_reviews
from torch import nn
from transformers import BertConfig, BertForMaskedLM

import unfooled as uf
from unfooled.errors import BadInput
from unfooled.methods import FreeLB
from unfooled.methods.rar import RAR
from unfooled.models.encoders.classifier import Classifier
from unfooled.models.encoders.text_cnn import TextCNN, TextCNNConfig
from unfooled.types import Output

CLIMB = {"step_size": 0.2, "spread": 0.4}
AT_ONCE = partial(RAR, head_first=0.0)  # encoder and head learn from the first step on


def run(model, batch, method, engine=None):
    """One step of a method: its objective, the perturbations its passes saw, and the loss it reports."""
    deltas = []
    objective = method.build(model, make_task())
    hook = model.register_forward_pre_hook(lambda _, given: deltas.append(given[1].detach().clone()))
    loss = objective.step(engine or Lone(), batch)
    hook.remove()
    return objective, deltas, loss


def by_hand(objective, batch, delta):
    """Mean L_C and mean L_R through inputs_embeds, the head's layers and full logits [B, T, V]."""
    network, head, tokens = objective.model.network, objective.reconstructor, batch.tokens
    table = network.get_input_embeddings()
    embedded = table(tokens.ids) + delta
    said = network(inputs_embeds=embedded, attention_mask=tokens.mask.long(), output_hidden_states=True)
    read = head.norm(F.gelu(head.dense(said.hidden_states[-1]), approximate="tanh"))
    logits = read @ table.weight.T + head.bias
    losses = [
        cross_entropies(logits[row, place][None], tokens.ids[row, place][None])[0]
        for row, place in tokens.mask.nonzero().tolist()
    ]
    return cross_entropies(said.logits, batch.label).mean(), torch.stack(losses).mean()


@pytest.mark.parametrize("kind", ["bert", "albert"])
def test_equation_7_each_pass_pays_a_share_of_both_losses(make_batch, kind):
    model, batch, engine = Classifier(tiny_network(kind)), make_batch(columns=9), Lone()
    objective, deltas, loss = run(model, batch, AT_ONCE(weight=0.7, **CLIMB), engine)
    found = [by_hand(objective, batch, delta) for delta in deltas]
    value = sum(task + 0.7 * guess for task, guess in found) / 3
    assert largest_difference(collected_gradients(objective), parameter_gradients(value, objective)) < 1e-5
    assert engine.shares == pytest.approx([1 / 3] * 3)
    assert loss.total().item() == pytest.approx(value.item(), rel=1e-5)
    assert loss.terms["reconstruction"].count == 19 and loss.terms["reconstruction"].unit == "tokens"


def test_on_the_last_pass_only_the_reconstruction_is_paid_once_and_in_full(tiny_bert, make_batch):
    model, batch = tiny_bert(), make_batch()
    objective, deltas, loss = run(model, batch, AT_ONCE(weight=0.7, rar_pass="last", **CLIMB))
    found = [by_hand(objective, batch, delta) for delta in deltas]
    value = sum(task for task, _ in found) / 3 + 0.7 * found[-1][1]
    assert largest_difference(collected_gradients(objective), parameter_gradients(value, objective)) < 1e-5
    assert loss.total().item() == pytest.approx(value.item(), rel=1e-5)


def test_oracle_6_3_3_weight_zero_is_freelb_exactly_and_reconstructs_nothing(tiny_bert, make_batch, monkeypatch):
    model, batch = tiny_bert(dropout=0.2), make_batch()
    torch.manual_seed(5)
    run(model, batch, FreeLB(**CLIMB))
    expected = collected_gradients(model)
    model.zero_grad()
    monkeypatch.setattr("unfooled.methods.rar.reconstruction", None)
    torch.manual_seed(5)
    objective, _, loss = run(model, batch, AT_ONCE(weight=0, **CLIMB))
    found = collected_gradients(model)
    assert all(torch.equal(found[name], expected[name]) for name in expected)
    assert "reconstruction" not in loss.terms
    assert all(parameter.grad is None for parameter in objective.reconstructor.parameters())


def test_oracle_6_3_4_ids_at_padding_and_more_padding_change_nothing(tiny_bert, make_batch):
    model, found = tiny_bert(), []
    batch, wide = make_batch(columns=8), make_batch(columns=15)
    ids = torch.where(batch.tokens.mask, batch.tokens.ids, 41)
    other = replace(batch, views={"original": replace(batch.tokens, ids=ids)})
    for each in (batch, other, wide):
        model.zero_grad()
        objective, _, loss = run(model, each, AT_ONCE(**CLIMB))
        found.append((loss.terms["reconstruction"].mean.item(), collected_gradients(objective)))
    (value, expected), *others = found
    for again, gradients in others:
        assert again == pytest.approx(value, rel=1e-5)
        assert largest_difference(gradients, expected) < 1e-5


def test_oracle_6_3_5_the_perturbation_climbs_the_task_loss_alone(tiny_bert, make_batch):
    model, batch = tiny_bert(dropout=0.2), make_batch()
    seen = []
    for weight in (0.0, 0.1, 50.0):
        torch.manual_seed(5)
        seen.append(torch.stack(run(model, batch, AT_ONCE(weight=weight, passes=3, **CLIMB))[1]))
    assert not torch.allclose(seen[0][0], seen[0][1], atol=1e-3)
    for other in seen[1:]:
        torch.testing.assert_close(other, seen[0], rtol=1e-4, atol=1e-6)


class Parrot(nn.Module):
    """A model whose token states are one-hot vectors of the ids, ``shift`` places on."""

    def __init__(self, shift):
        super().__init__()
        self.shift = shift

    def forward(self, tokens, delta=None, states=False):
        hot = 100 * F.one_hot(tokens.ids.roll(self.shift, dims=1), VOCABULARY).float()
        return Output(torch.zeros(len(tokens.ids), 2), hot.sum(dim=1), hot if states else None)


class Plain(nn.Module):
    """A head that hands states on to a decoder that is the identity: the states are the logits."""

    weight = torch.eye(VOCABULARY)
    bias = torch.zeros(VOCABULARY)

    def forward(self, states):
        return states


def test_oracle_6_3_6_each_state_answers_for_the_token_at_its_own_place(tiny_bert, make_batch):
    objective, batch = AT_ONCE().build(tiny_bert(), make_task()), make_batch()
    objective.reconstructor = Plain()
    found = []
    for shift in (0, 1, -1):
        objective.model = Parrot(shift)
        found.append(objective(batch).terms["reconstruction"].mean.item())
    assert found[0] == 0
    assert min(found[1:]) > 50


@pytest.mark.parametrize("kind", ["bert", "albert"])
def test_the_reconstruction_reaches_encoder_head_and_both_uses_of_the_table(make_batch, kind):
    model, batch = Classifier(tiny_network(kind)), make_batch()
    objective = AT_ONCE().build(model, make_task())
    objective(batch).terms["reconstruction"].sum.backward()
    last = {f"model.network.classifier.{name}" for name in ("weight", "bias")}
    without = {
        name
        for name, parameter in objective.named_parameters()
        if (parameter.grad is None or not parameter.grad.any()) and "pooler" not in name
    }
    assert without == last  # which the token states do not pass
    table = model.network.get_input_embeddings().weight
    unseen = torch.ones(VOCABULARY, dtype=torch.bool)
    unseen[batch.tokens.ids[batch.tokens.mask]] = False
    assert table.grad[unseen].any(dim=1).all()  # only the decoder reaches words that are not in the batch
    through_decoder = decoder_gradient(objective, batch)
    torch.testing.assert_close(table.grad[unseen], through_decoder[unseen], rtol=1e-4, atol=1e-5)
    assert not torch.allclose(table.grad[~unseen], through_decoder[~unseen], atol=1e-3)  # here the lookup adds to it


def decoder_gradient(objective, batch):
    """(softmax - one-hot)ᵀ · what the decoder reads: the table's gradient if the lookup had none."""
    tokens, head = batch.tokens, objective.reconstructor
    with torch.no_grad():
        read = head(objective.model(tokens, states=True).states[tokens.mask])
        wrong = (read @ head.weight.T + head.bias).softmax(dim=1) - F.one_hot(tokens.ids[tokens.mask], VOCABULARY)
        return wrong.T @ read


def test_without_special_tokens_the_ends_are_left_out_and_the_count_stays(tiny_bert, make_batch):
    model, batch = tiny_bert(), make_batch((5, 2, 1, 4))
    inner = make_batch((5, 2, 1, 4)).tokens.mask.clone()
    for row, length in enumerate((5, 2, 1, 4)):
        inner[row, 0] = inner[row, length - 1] = False
    objective = AT_ONCE(exclude_special=True).build(model, make_task())
    term = objective(batch).terms["reconstruction"]
    logits = objective.reconstructor.logits(model(batch.tokens, states=True).states[inner])
    assert len(logits) == 5 and term.count == 12
    assert term.sum.item() == pytest.approx(F.cross_entropy(logits, batch.tokens.ids[inner]).item() * 5, rel=1e-5)


@pytest.mark.parametrize("special", [False, True])
def test_halves_of_a_batch_add_up_to_the_whole(tiny_bert, make_batch, special):
    model, lengths = tiny_bert(), (5, 3, 7, 4, 6)
    method, found = AT_ONCE(exclude_special=special, weight=0.7, **CLIMB), []
    counts = {"examples": 5, "tokens": 25}
    for parts in ([[0, 1, 2, 3, 4]], [[0, 2, 4], [1, 3]]):
        objective = method.build(model, make_task())
        objective.zero_grad()
        for part in parts:
            objective.step(Lone(counts), make_batch([lengths[example] for example in part], index=part))
        found.append(collected_gradients(objective))
    assert largest_difference(*found) < 1e-5


def test_the_head_follows_the_seed_and_leaves_the_randomness_of_others_alone(tiny_bert):
    model = tiny_bert()
    torch.manual_seed(1)
    first = AT_ONCE().build(model, make_task()).reconstructor.dense.weight
    drawn = torch.rand(1)
    torch.manual_seed(1)
    assert torch.equal(torch.rand(1), drawn)
    assert torch.equal(AT_ONCE().build(model, make_task()).reconstructor.dense.weight, first)
    other = AT_ONCE().build(model, replace(make_task(), seed=1)).reconstructor.dense.weight
    assert not torch.equal(other, first)


def test_a_fresh_head_guesses_about_as_badly_as_chance(tiny_bert, make_batch):
    objective = AT_ONCE().build(tiny_bert(), make_task())
    nn.init.zeros_(objective.reconstructor.dense.weight)
    assert objective(make_batch()).terms["reconstruction"].mean.item() == pytest.approx(math.log(VOCABULARY), rel=1e-5)


def test_the_head_is_in_the_state_once_and_the_table_only_with_the_model(tiny_bert):
    names = AT_ONCE().build(tiny_bert(), make_task()).state_dict().keys()
    mine = {name for name in names if not name.startswith("model.")}
    parts = ("bias", "dense.bias", "dense.weight", "norm.bias", "norm.weight")
    assert mine == {f"reconstructor.{part}" for part in parts} | {"updates"}


def test_a_network_without_token_states_is_refused_before_training():
    network = TextCNN(TextCNNConfig(vocab_size=VOCABULARY, num_labels=2))
    with pytest.raises(BadInput, match="TextCNN has none"):
        AT_ONCE().build(Classifier(network), make_task())


def test_a_head_may_start_from_the_checkpoints_own_masked_language_model(tmp_path):
    folder = save_encoder(tmp_path / "encoder")
    masked = BertForMaskedLM(BertConfig.from_pretrained(folder))
    nn.init.normal_(masked.cls.predictions.bias)
    masked.save_pretrained(folder)
    data, plan = str(save_reviews(tmp_path / "reviews.csv", 40)), {"max_steps": 1, "learning_rate": 1e-9}
    run = uf.train(data, tmp_path / "run", str(folder), AT_ONCE(init="pretrained"), plan)
    kept = load_file(Path(run.model) / "reconstructor.safetensors")
    torch.testing.assert_close(kept["bias"], masked.cls.predictions.bias.detach(), rtol=0, atol=1e-7)
    torch.testing.assert_close(
        kept["dense.weight"], masked.cls.predictions.transform.dense.weight.detach(), rtol=0, atol=1e-7
    )
    plain = save_encoder(tmp_path / "plain")
    with pytest.raises(BadInput, match="no masked-language-model head"):
        uf.train(data, tmp_path / "no", str(plain), AT_ONCE(init="pretrained"), plan)


def test_switched_off_is_weight_and_radius_zero():
    off = RAR().switched_off()
    assert (off.weight, off.radius, off.passes) == (0.0, 0.0, 3)
