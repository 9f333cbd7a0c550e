"""Which vector ATCL's eps is of, in every architecture, and how much of the gradient is the contrast's."""

import json

import pytest
import torch
from sequence_runs import method_of
from sequence_runs import prepared as prepared_sequences
from support import Lone, tiny_network
from transformers import BartConfig, BartForConditionalGeneration

from sequences import language_batch, language_model, translation_batch, translator
from unfooled.methods.atcl import ATCL, OneWord
from unfooled.models.encoders.classifier import Classifier
from unfooled.models.sequences.translator import Translator
from unfooled.training import fit
from unfooled.training import loop as training_loop
from unfooled.types import Progress


def bart():
    """A translator whose lookup multiplies by √16 itself."""
    sizes = {"encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 2, "decoder_attention_heads": 2}
    config = BartConfig(
        vocab_size=24, d_model=16, encoder_ffn_dim=20, decoder_ffn_dim=20, scale_embedding=True, **sizes
    )
    return Translator(BartForConditionalGeneration(config))


SCALES = {  # by the lookup, and by the network after it
    "tensorized": (language_model, (4.0, 1.0)),
    "gpt2": (lambda: language_model(kind="gpt2"), (1.0, 1.0)),
    "marian": (translator, (1.0, 4.0)),
    "bart": (bart, (4.0, 1.0)),
    "bert": (lambda: Classifier(tiny_network("bert")), (1.0, 1.0)),
}


@pytest.mark.parametrize("kind", SCALES)
def test_no_factor_of_an_architecture_comes_twice(kind):
    build, (lookup, later) = SCALES[kind]
    model = build()
    assert (model.lookup_scale, model.later_scale) == (lookup, later)
    unscaled, scaled = (OneWord(model, ATCL(radius=0.03, scale=scale)).length() for scale in ("unscaled", "scaled"))
    assert unscaled == pytest.approx(0.03 * lookup) and scaled == pytest.approx(0.03 / later)
    assert unscaled == pytest.approx(scaled * lookup * later)  # √d times as far, wherever it is multiplied


def read_by(model, tokens, delta=None):
    """The vectors of a sequence as its first layer reads them, but for positions."""
    seen = []
    if isinstance(model, Translator):
        layer = model.network.get_encoder().layers[0]
    else:
        layer = model.network.attentions[0]
    with layer.register_forward_pre_hook(
        lambda _, given, named: seen.append(given[0] if given else named["hidden_states"]), with_kwargs=True
    ):
        model(tokens, delta)
    return seen[0]


@pytest.mark.parametrize("scale", ["unscaled", "scaled"])
@pytest.mark.parametrize("kind", ["lm", "translation"])
def test_what_the_network_reads_moves_by_eps_or_by_eps_times_the_root_of_the_width(kind, scale):
    model, batch = (language_model(), language_batch()) if kind == "lm" else (translator(), translation_batch())
    given = []
    hook = model.register_forward_pre_hook(lambda _, arguments: given.append(arguments[1].detach().clone()))
    OneWord(model, ATCL(radius=0.03, scale=scale)).step(Lone(), batch)
    hook.remove()
    moved = (read_by(model, batch.tokens, given[1]) - read_by(model, batch.tokens)).norm(dim=2).amax(dim=1)
    for size, words in zip(moved.tolist(), batch.targets["words"], strict=True):
        expected = 0.03 * (4.0 if scale == "unscaled" else 1.0) if words.any() else 0.0
        assert size == pytest.approx(expected, rel=1e-3, abs=1e-6)


def test_on_the_table_the_adversary_is_not_inert():
    """Behind √d the same eps moves states by so little that dropout is all that is contrasted."""
    moves = {}
    for scale in ("unscaled", "scaled"):
        model, batch = language_model(), language_batch()
        seen = []
        hook = model.register_forward_hook(lambda _, given, output, seen=seen: seen.append(output.states.detach()))
        OneWord(model, ATCL(radius=0.03, scale=scale)).step(Lone(), batch)
        hook.remove()
        moves[scale] = (1 - torch.cosine_similarity(seen[0].double(), seen[1].double(), dim=2)).max().item()
    assert moves["unscaled"] > 8 * moves["scaled"]  # the square of 4, to first order


@pytest.mark.parametrize("kind", ["lm", "translation"])
def test_the_measured_gradients_are_those_of_the_terms(kind):
    model, batch = (language_model(), language_batch()) if kind == "lm" else (translator(), translation_batch())
    objective = OneWord(model, ATCL(beta=0.3))
    found = objective.measure([batch, batch]).facts
    assert all(parameter.grad is None for parameter in model.parameters())
    sizes = {}
    for name, settings in (("task", ATCL(alpha=0.0, beta=0.0)), ("whole", ATCL(alpha=0.0, beta=1e6))):
        model.zero_grad()
        OneWord(model, settings).step(Lone(batch.counts), batch)
        sizes[name] = (
            torch.cat([one.grad.flatten() for one in model.parameters() if one.grad is not None]).norm().item()
        )
    assert found["task_gradient"] == pytest.approx(sizes["task"], rel=1e-4)
    assert found["contrast_gradient"] == pytest.approx(sizes["whole"] / 1e6, rel=1e-3)
    ratio = 0.3 * found["contrast_gradient"] / found["task_gradient"]
    assert found["contrast_to_task_gradient"] == pytest.approx(ratio)


def test_the_share_of_the_contrast_is_logged_now_and_then(tmp_path):
    run = prepared_sequences("lm", method_of("atcl"), tmp_path, plan={"max_steps": 4, "epochs": 6})
    fit(run)
    lines = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    measured = [line for line in lines if line["kind"] == "measured"]
    assert [line["step"] for line in measured] == [1, 2, 3, 4]
    assert all(line["contrast_to_task_gradient"] > 0 for line in measured)
    objective = OneWord(language_model(), ATCL())
    assert [step for step in range(100) if objective.measures(Progress(step, 100, 0))] == list(range(0, 100, 10))
    assert not OneWord(language_model(), ATCL(beta=0.0)).measures(Progress(0, 100, 0))


def test_what_was_measured_before_a_crash_is_not_told_twice(tmp_path, monkeypatch):
    plan = {"max_steps": 6, "epochs": 6, "save_every": 3}
    run = prepared_sequences("lm", method_of("atcl"), tmp_path, plan=plan)
    advance = training_loop.advance

    def crash(run, state, *rest):
        if state.step == 3:
            raise RuntimeError("here")
        advance(run, state, *rest)

    monkeypatch.setattr(training_loop, "advance", crash)
    with pytest.raises(RuntimeError, match="here"):
        fit(run)
    monkeypatch.setattr(training_loop, "advance", advance)
    fit(prepared_sequences("lm", method_of("atcl"), tmp_path, plan=plan))
    lines = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    assert [line["step"] for line in lines if line["kind"] == "measured"] == [1, 2, 3, 4, 5, 6]
