"""Every classification method trains encoders under LoRA, and decoders: resumed to the bit, opened elsewhere."""

import hashlib
import json
from pathlib import Path

import pytest
import torch
from adapted import NETWORKS, prepared, saved
from tiny import save_reviews
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from two_processes import light

import unfooled as uf
from unfooled.errors import BadInput, Stopped
from unfooled.methods import METHODS
from unfooled.models import load, probabilities
from unfooled.models.encoders.pretrained import weights_hash
from unfooled.training import fit
from unfooled.training import loop as training_loop

peft = pytest.importorskip("peft")
CLASSIFIERS = [name for name in METHODS if "text" in METHODS[name].tasks or "classification" in METHODS[name].tasks]


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_a_run_that_is_broken_off_ends_in_the_same_bits(
    name: str, network: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = prepared(light(name), tmp_path / "whole", network)
    first = weights_hash(whole.objective)
    frozen = {key: one.clone() for key, one in whole.objective.named_parameters() if not one.requires_grad}
    fit(whole)
    assert weights_hash(whole.objective) != first
    assert all(torch.equal(one, frozen[key]) for key, one in whole.objective.named_parameters() if key in frozen)
    broken, kept = prepared(light(name), tmp_path / "broken", network), training_loop.save

    def save_and_stop(run: training_loop.Run, state: training_loop.State) -> None:
        kept(run, state)
        if state.step == 1:
            raise Stopped("here")

    with monkeypatch.context() as patch, pytest.raises(Stopped):
        patch.setattr(training_loop, "save", save_and_stop)
        fit(broken)
    again = prepared(light(name), tmp_path / "broken", network)
    fit(again)
    assert weights_hash(again.objective) == weights_hash(whole.objective)
    assert last_checkpoint(tmp_path / "broken") == last_checkpoint(tmp_path / "whole")


def last_checkpoint(folder: Path) -> dict[str, str]:
    """The SHA-256 of the tensors after the last step, the optimiser's included."""
    files = sorted((folder / "checkpoints" / "step-2").glob("*.safetensors"))
    assert len(files) == 2
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


@pytest.mark.parametrize("network", NETWORKS)
def test_a_run_leaves_what_plain_transformers_and_peft_open(network: str, tmp_path: Path) -> None:
    model = saved(tmp_path / "base", network)
    data = save_reviews(tmp_path / "reviews.csv", 40)
    plan = {"max_steps": 4, "batch_size": 8, "calibrate": True, "learning_rate": 1e-2}
    run = uf.train(str(data), tmp_path / "run", model.model_dump(), "freelb", plan)
    texts = ["the film was good", "a very dull plot and a cold story", "quite lovely"]
    ours = probabilities(load(run.model), [(text,) for text in texts])
    tokenizer = AutoTokenizer.from_pretrained(run.model, padding_side="right")
    given = tokenizer(texts, padding=True, return_tensors="pt")
    opened = [AutoModelForSequenceClassification.from_pretrained(run.model)]
    if model.lora is not None:
        base = AutoModelForSequenceClassification.from_pretrained(model.name, pad_token_id=tokenizer.pad_token_id)
        opened.append(peft.PeftModel.from_pretrained(base, Path(run.model, "adapter")))
        assert (
            abs(probabilities(load(str(Path(run.model, "adapter"))), [(text,) for text in texts]) - ours).max() < 1e-6
        )
    for network_of_theirs in opened:
        with torch.no_grad():
            logits = network_of_theirs.train(False)(**given).logits
        assert abs(logits.softmax(dim=-1).numpy() - ours).max() < 1e-6
    assert json.loads((tmp_path / "run" / "summary.json").read_text())["model_hash"] == load(run.model).fingerprint()
    assert uf.evaluate(run.model, str(data), tmp_path / "out", ["clean"], limit=8).rows


def test_an_adapter_is_for_models_that_answer_text_by_text(tmp_path: Path) -> None:
    model = saved(tmp_path / "base", "encoder, adapter")
    (tmp_path / "corpus.txt").write_text("the film was good\n" * 40)
    with pytest.raises(BadInput, match="model.lora is for models that answer text by text"):
        uf.train(str(tmp_path / "corpus.txt"), tmp_path / "run", model.model_dump(), "mlm")
