"""How RAR's head begins: with a lead over the encoder, or as the checkpoint has it."""

import math
from dataclasses import replace

import pytest
import torch
from support import Lone, collected_gradients, largest_difference, make_task, parameter_gradients, tiny_network
from tiny import save_encoder
from torch import nn
from transformers import BertConfig, BertForMaskedLM

from unfooled.methods import RAR, FreeLB
from unfooled.models import ModelSettings, build
from unfooled.models.encoders.classifier import Classifier
from unfooled.types import Progress

CLIMB = {"step_size": 0.2, "spread": 0.4}


@pytest.mark.parametrize("rar_pass", ["all", "last"])
def test_a_new_head_learns_first_and_leaves_the_encoder_to_the_task(tiny_bert, make_batch, rar_pass):
    model, batch = tiny_bert(dropout=0.2), make_batch()
    torch.manual_seed(5)
    FreeLB(**CLIMB).build(model, make_task()).step(Lone(), batch)
    expected = collected_gradients(model)
    objective = RAR(head_first=0.2, weight=0.7, rar_pass=rar_pass, **CLIMB).build(model, make_task())  # of 10 steps
    for step in range(4):
        objective.zero_grad()
        torch.manual_seed(5)
        objective.step(Lone(), batch)
        found = collected_gradients(model)
        assert (largest_difference(found, expected) < 1e-4) is (step < 2)
        assert all(parameter.grad.any() for parameter in objective.reconstructor.parameters())
        objective.after_step(Progress(step + 1, 10, 0))
    assert objective.report() == {"head_first_updates": 2}


def test_after_its_lead_the_head_pulls_less_at_the_encoder(make_batch):
    """A new head's gradient at the encoder says nothing yet; a trained one's is smaller and beside what is right."""
    batch = make_batch((6, 5, 7, 4, 6, 5))
    sizes = {}
    for lead in (0, 200):
        model = Classifier(tiny_network("bert"))
        task = replace(make_task(), steps=max(lead, 1))
        objective = RAR(head_first=1.0 if lead else 0.0, passes=1, spread=0.0).build(model, task)
        optimizer = torch.optim.AdamW(objective.reconstructor.parameters(), lr=1e-2)
        for step in range(lead):
            optimizer.zero_grad()
            objective.step(Lone(), batch)
            optimizer.step()
            objective.after_step(Progress(step + 1, lead, 0))
        found = parameter_gradients(objective(batch).terms["reconstruction"].mean, model)
        sizes[lead] = math.fsum(float((one**2).sum()) for name, one in found.items() if ".encoder." in name) ** 0.5
    assert sizes[200] < sizes[0] / 2


def test_no_more_than_some_hundred_updates_belong_to_the_head_alone(tiny_bert):
    objective = RAR().build(tiny_bert(), replace(make_task(), steps=100_000))
    assert objective.first == 300
    assert RAR().build(tiny_bert(), replace(make_task(), steps=50)).first == 10


def test_a_checkpoints_own_head_is_taken_by_itself_and_needs_no_lead(tmp_path):
    folder = save_encoder(tmp_path / "encoder")
    model = build(ModelSettings(name=str(folder)), ("no", "yes"), seed=0)
    assert RAR().build(model.classifier, make_task()).first == 2
    masked = BertForMaskedLM(BertConfig.from_pretrained(folder))
    nn.init.normal_(masked.cls.predictions.bias)
    masked.save_pretrained(folder)
    model = build(ModelSettings(name=str(folder)), ("no", "yes"), seed=0)
    objective = RAR().build(model.classifier, make_task())
    assert objective.first == 0
    torch.testing.assert_close(objective.reconstructor.bias, masked.cls.predictions.bias)
    fresh = RAR(init="fresh").build(model.classifier, make_task())
    assert fresh.first == 2 and not fresh.reconstructor.bias.any()
