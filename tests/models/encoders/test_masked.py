"""The vocabulary head at chosen places is the whole network there; folders go out and come back."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from support import ARCHITECTURES, configuration, make_tokens, padding_of
from tiny import save_encoder
from transformers import (
    AutoModel,
    AutoModelForMaskedLM,
    AutoTokenizer,
    GPT2Config,
    GPT2LMHeadModel,
    PreTrainedTokenizerFast,
)

from unfooled.errors import BadInput
from unfooled.losses.tokens import reconstruction
from unfooled.models import ModelSettings, build
from unfooled.models.encoders.masked import MaskedModel, build_masked, pooling, save_masked


def network(kind: str, seed: int = 0) -> MaskedModel:
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return MaskedModel(AutoModelForMaskedLM.from_config(configuration(kind, 2, 0.0, 2, 32)))


@pytest.mark.parametrize("kind", ARCHITECTURES)
def test_chosen_places_have_the_whole_networks_logits(kind: str) -> None:
    model = network(kind)
    tokens = make_tokens((5, 3, 7), (0, 1, 2), padding=padding_of(kind))
    chosen = torch.zeros_like(tokens.mask)
    chosen[0, 1] = chosen[0, 4] = chosen[2, 6] = True
    reading = model(tokens, chosen)
    whole = model.network(input_ids=tokens.ids, attention_mask=tokens.mask.long(), output_hidden_states=True)
    assert torch.allclose(model.logits(reading.masked), whole.logits[chosen], atol=1e-5)
    assert torch.allclose(reading.states, whole.hidden_states[-1], atol=1e-5)
    assert torch.allclose(model(tokens).states, reading.states, atol=1e-6)
    losses = torch.nn.functional.cross_entropy(whole.logits[chosen], tokens.ids[chosen], reduction="sum")
    ours = reconstruction(reading.masked, model.decoder.weight, model.decoder.bias, tokens.ids[chosen])
    assert ours.item() == pytest.approx(losses.item(), rel=1e-5)


def test_the_decoder_never_meets_a_token_that_is_not_masked() -> None:
    model = network("bert")
    sizes: list[int] = []
    model.decoder.register_forward_hook(lambda _, given, found: sizes.append(found.numel()))
    tokens = make_tokens((5, 3), (0, 1))
    reading = model(tokens, torch.zeros_like(tokens.mask))
    assert reading.masked.shape == (0, 32) and sizes == [0]


def test_gradients_reach_encoder_and_tied_table() -> None:
    model = network("bert")
    tokens = make_tokens((5, 3), (0, 1))
    model.logits(model(tokens, tokens.mask).masked).logsumexp(dim=1).sum().backward()
    assert model.decoder.weight is model.network.get_input_embeddings().weight
    assert all(parameter.grad is not None for parameter in model.encoder.parameters())


def test_a_perturbation_enters_at_the_lookup() -> None:
    model = network("bert").eval()
    tokens = make_tokens((5, 3), (0, 1))
    delta = torch.randn(2, 5, model.width, generator=torch.Generator().manual_seed(0)) * tokens.mask[..., None]
    embedded = model.network.get_input_embeddings()(tokens.ids) + delta
    expected = model.encoder(inputs_embeds=embedded, attention_mask=tokens.mask.long())[0]
    assert torch.allclose(model(tokens, delta=delta).states, expected, atol=1e-5)
    assert torch.equal(model(tokens, delta=0 * delta).states, model(tokens).states)


def test_a_checkpoint_without_a_head_gets_a_new_one_and_keeps_its_pooler(tmp_path: Path) -> None:
    folder = save_encoder(tmp_path / "encoder")
    found = build_masked(ModelSettings(name=str(folder), dropout=0.0), seed=3)
    again = build_masked(ModelSettings(name=str(folder), dropout=0.0), seed=3)
    assert any("no masked-language-model head" in note for note in found.notes)
    assert found.fingerprint() == again.fingerprint()
    stored = load_file(folder / "model.safetensors")
    assert torch.equal(pooling(found.model.encoder).dense.weight, stored["pooler.dense.weight"])
    found.model.train_pooler(False)
    assert not pooling(found.model.encoder).dense.weight.requires_grad


@pytest.mark.parametrize("kind", ARCHITECTURES)
@pytest.mark.parametrize("auto", [AutoModel, AutoModelForMaskedLM])
def test_every_architecture_is_opened_with_and_without_its_head(kind: str, auto: Any, tmp_path: Path) -> None:
    save_encoder(tmp_path / "encoder")  # for its tokenizer
    AutoTokenizer.from_pretrained(tmp_path / "encoder").save_pretrained(tmp_path / kind)
    auto.from_config(configuration(kind, 2, 0.0, 2, 32)).save_pretrained(tmp_path / kind)
    found = build_masked(ModelSettings(name=str(tmp_path / kind), max_length=16), seed=0)
    tokens = make_tokens((5, 3), (0, 1), padding=padding_of(kind))
    assert found.model(tokens, tokens.mask).text.shape == (2, 32)


def test_a_saved_folder_is_opened_by_everyone(tmp_path: Path) -> None:
    model = build_masked(ModelSettings(name=str(save_encoder(tmp_path / "encoder")), dropout=0.0), seed=0)
    with torch.no_grad():
        for parameter in model.model.parameters():
            parameter += 0.01
    save_masked(model, tmp_path / "out", "# card")
    tokens = make_tokens((5, 3), (0, 1))
    tokens.ids.clamp_(max=30)
    model.model.eval()
    reading = model.model(tokens, tokens.mask)
    given = {"input_ids": tokens.ids, "attention_mask": tokens.mask.long()}
    whole = AutoModelForMaskedLM.from_pretrained(tmp_path / "out")(**given).logits[tokens.mask]
    assert torch.allclose(model.model.logits(reading.masked), whole, atol=1e-5)
    encoder = AutoModel.from_pretrained(tmp_path / "out")
    assert torch.allclose(encoder(**given).pooler_output, reading.text, atol=1e-5)
    assert AutoTokenizer.from_pretrained(tmp_path / "out").model_max_length == 32
    classifier = build(ModelSettings(name=str(tmp_path / "out")), ["no", "yes"], seed=0).classifier.network
    assert torch.equal(classifier.bert.pooler.dense.weight, pooling(model.model.encoder).dense.weight)
    resumed = build_masked(ModelSettings(name=str(tmp_path / "out"), max_length=32), seed=9)
    assert resumed.fingerprint() == model.fingerprint() and not resumed.notes


def test_without_a_pooler_the_first_state_stands_for_the_text() -> None:
    tokens = make_tokens((5, 3), (0, 1))
    reading = network("distilbert")(tokens)
    assert reading.pooled is None and torch.equal(reading.text, reading.states[:, 0])


def test_other_architectures_are_refused_with_a_sentence(tmp_path: Path) -> None:
    folder = save_encoder(tmp_path / "encoder")
    GPT2LMHeadModel(GPT2Config(n_layer=1, n_head=2, n_embd=8, vocab_size=40)).save_pretrained(tmp_path / "gpt")
    PreTrainedTokenizerFast.from_pretrained(folder).save_pretrained(tmp_path / "gpt")
    with pytest.raises(BadInput, match="architecture gpt2, which has no masked-language model"):
        build_masked(ModelSettings(name=str(tmp_path / "gpt")), 0)
    stored = load_file(folder / "model.safetensors")
    strange = {f"other.{name}": tensor for name, tensor in stored.items()}
    save_file(strange, folder / "model.safetensors", {"format": "pt"})
    with pytest.raises(BadInput, match=r"lacks \d+ of the encoder's weights.*another architecture"):
        build_masked(ModelSettings(name=str(folder)), 0)


def test_a_tokenizer_without_a_mask_token_is_refused(tmp_path: Path) -> None:
    folder = save_encoder(tmp_path / "encoder")
    for name in ("tokenizer_config.json", "special_tokens_map.json"):
        if (folder / name).is_file():
            kept = json.loads((folder / name).read_text())
            kept.pop("mask_token", None)
            (folder / name).write_text(json.dumps(kept))
    with pytest.raises(BadInput, match="no mask token"):
        build_masked(ModelSettings(name=str(folder)), 0)


def test_a_head_that_cannot_be_run_in_part_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = save_encoder(tmp_path / "encoder")
    monkeypatch.setattr(MaskedModel, "decoder", property(lambda self: self.network.cls.predictions.transform.dense))
    with pytest.raises(BadInput, match="cannot run in part"):
        build_masked(ModelSettings(name=str(folder)), 0)
