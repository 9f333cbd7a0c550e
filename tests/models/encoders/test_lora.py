"""LoRA: an adapter is trained beside frozen weights, saved apart and merged, and opened by plain peft."""

import json
from pathlib import Path

import pytest
import torch
from decoders import save_decoder
from support import make_tokens, tiny_network
from tiny import save_encoder
from transformers import AutoModelForSequenceClassification

from unfooled.errors import BadInput
from unfooled.models import probabilities
from unfooled.models.encoders.classifier import Classifier, last_linear
from unfooled.models.encoders.lora import Lora, adapted, merged, unwrapped
from unfooled.models.encoders.pretrained import ModelSettings, TextModel, build, load, save, weights_hash
from unfooled.victims import open_victim

peft = pytest.importorskip("peft")
LABELS = ["negative", "positive"]
TEXTS = [("the film was good",), ("a very dull plot",)]


def learnt(folder: Path, **lora: object) -> TextModel:
    """A model under an adapter whose matrices are not zero any more."""
    model = build(ModelSettings(name=str(folder), max_length=32, lora=Lora(**lora)), LABELS, seed=0)
    with torch.no_grad():
        for name, parameter in model.classifier.network.named_parameters():
            if parameter.requires_grad:
                parameter += 0.1 * torch.randn(parameter.shape, generator=torch.Generator().manual_seed(len(name)))
    return model


def test_only_the_adapter_and_what_is_new_are_trained(tmp_path: Path) -> None:
    model = build(ModelSettings(name=str(save_encoder(tmp_path)), lora=Lora(rank=2)), LABELS, seed=0)
    plain = build(ModelSettings(name=str(tmp_path)), LABELS, seed=0)
    trained = [name for name, one in model.classifier.network.named_parameters() if one.requires_grad]
    assert all("lora_" in name or "classifier.modules_to_save" in name for name in trained) and len(trained) == 10
    assert model.fingerprint() == plain.fingerprint()  # before a step it says what the base model says
    assert model.classifier.takes_segments and model.classifier._last[0].weight.requires_grad
    assert {id(one) for one in model.classifier.encoder_parameters()} < {
        id(one) for one in model.classifier.parameters() if one.requires_grad
    }


@pytest.mark.parametrize("kind", ["bert", "roberta", "albert", "distilbert", "electra", "deberta-v2"])
def test_the_layer_of_the_logits_is_the_one_that_is_trained(kind: str) -> None:
    network = tiny_network(kind)
    outside = {name for name, module in network.named_children() if module is not network.base_model}
    targets = {"albert": ("query",), "distilbert": ("q_lin",)}.get(kind, ())
    whole = adapted(network, Lora(targets=targets), [], "AutoModelForSequenceClassification", kind)
    last = last_linear(whole)
    assert last.weight.requires_grad and unwrapped(whole) is network and outside
    classifier = Classifier(whole)
    tokens = make_tokens([5, 3], [0, 1], padding=network.config.pad_token_id)
    output = classifier(tokens, states=True)
    assert torch.allclose(last(output.features), output.logits) and output.states is not None


def test_pairs_keep_their_segments_under_an_adapter(tmp_path: Path) -> None:
    model = learnt(save_encoder(tmp_path))
    model.classifier.train(False)
    with torch.no_grad():
        tokens = make_tokens([6, 6], [0, 1], segments=True)
        tokens = type(tokens)(tokens.ids % 30, tokens.mask, tokens.segments)
        two, one = model.classifier(tokens).logits, model.classifier(type(tokens)(tokens.ids, tokens.mask)).logits
        plain = merged(model.classifier.network)(
            input_ids=tokens.ids, attention_mask=tokens.mask.long(), token_type_ids=tokens.segments
        ).logits
    assert torch.allclose(two, plain, atol=1e-5) and not torch.allclose(two, one, atol=1e-3)


@pytest.mark.parametrize("decoder", [False, True])
def test_adapter_and_merged_model_say_the_same_here_and_in_plain_peft(decoder: bool, tmp_path: Path) -> None:
    base = (save_decoder if decoder else save_encoder)(tmp_path / "base")
    model = learnt(base, rank=4)
    save(model, tmp_path / "saved", "the card")
    ours = probabilities(model, TEXTS)
    for folder in (tmp_path / "saved", tmp_path / "saved" / "adapter"):
        assert abs(probabilities(load(str(folder)), TEXTS) - ours).max() < 1e-6
    assert load(str(tmp_path / "saved")).fingerprint() == model.fingerprint()
    opened = AutoModelForSequenceClassification.from_pretrained(base, num_labels=2, pad_token_id=0)
    theirs = peft.PeftModel.from_pretrained(opened, tmp_path / "saved" / "adapter").train(False)
    given = model.tokenizer([text for (text,) in TEXTS], padding=True, padding_side="right", return_tensors="pt")
    with torch.no_grad():
        logits = theirs(input_ids=given["input_ids"], attention_mask=given["attention_mask"]).logits
    assert abs(logits.softmax(dim=-1).numpy() - ours).max() < 1e-6
    assert (tmp_path / "saved" / "adapter" / "README.md").read_text() == "the card"
    told = json.loads((tmp_path / "saved" / "adapter" / "adapter_config.json").read_text())
    assert (told["r"], told["lora_alpha"], told["base_model_name_or_path"]) == (4, 8, str(base))


def test_a_network_under_an_adapter_in_hand_is_the_victim_that_its_folder_is(tmp_path: Path) -> None:
    model = learnt(save_encoder(tmp_path / "base"))
    save(model, tmp_path / "saved", "")
    victim = open_victim((model.classifier.network, model.tokenizer))
    assert victim.hash == open_victim(str(tmp_path / "saved")).hash and victim.labels == tuple(LABELS)


def test_an_adapter_of_elsewhere_is_opened_by_the_shape_of_its_head(tmp_path: Path) -> None:
    base = save_encoder(tmp_path / "base")
    save(build(ModelSettings(name=str(base), lora=Lora()), ["a", "b", "c"], seed=0), tmp_path / "saved", "")
    folder = tmp_path / "saved" / "adapter"
    (folder / "config.json").unlink()
    assert load(str(folder)).labels == ("LABEL_0", "LABEL_1", "LABEL_2")


def test_an_adapter_that_cannot_be_opened_is_refused_in_a_sentence(tmp_path: Path) -> None:
    base = save_encoder(tmp_path / "base")
    save(build(ModelSettings(name=str(base), lora=Lora()), LABELS, seed=0), tmp_path / "saved", "")
    folder = tmp_path / "saved" / "adapter"
    config = json.loads((folder / "adapter_config.json").read_text())
    for change, words in [
        ({"base_model_name_or_path": str(tmp_path / "gone")}, "is an adapter without its base model: no model folder"),
        ({"base_model_name_or_path": None}, "does not say of which base model it is"),
        ({"peft_type": "PREFIX_TUNING"}, "an adapter of kind PREFIX_TUNING"),
    ]:
        (folder / "adapter_config.json").write_text(json.dumps({**config, **change}))
        with pytest.raises(BadInput, match=words):
            load(str(folder))
    (folder / "adapter_config.json").write_text(json.dumps(config))
    (folder / "adapter_model.safetensors").rename(folder / "adapter_model.bin")
    with pytest.raises(BadInput, match="as safetensors, for nothing else is opened"):
        load(str(folder))


def test_targets_that_are_not_there_are_refused_with_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="set model.lora.targets to some of dense, key, query, value"):
        build(ModelSettings(name=str(save_encoder(tmp_path)), lora=Lora(targets=("nothing",))), LABELS, seed=0)
    with pytest.raises(BadInput, match="textcnn is made from nothing"):
        build(ModelSettings(name="textcnn", tokenizer=str(tmp_path), lora=Lora()), LABELS, seed=0)


def test_a_pooler_that_the_checkpoint_lacks_is_trained_too(tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    file = save_encoder(tmp_path) / "model.safetensors"
    save_file({key: value for key, value in load_file(file).items() if "pooler" not in key}, file, {"format": "pt"})
    model = build(ModelSettings(name=str(tmp_path), lora=Lora()), LABELS, seed=0)
    trained = [name for name, one in model.classifier.network.named_parameters() if one.requires_grad]
    assert any("pooler.modules_to_save" in name for name in trained)
    save(model, tmp_path / "saved", "")
    again = load(str(tmp_path / "saved" / "adapter"))
    assert weights_hash(again.classifier.network) == weights_hash(merged(model.classifier.network))
