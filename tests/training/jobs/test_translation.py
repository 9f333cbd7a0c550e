"""A translator from a recipe: trained, scored by sacrebleu, saved; and what it refuses."""

import json
import math

import pytest
import torch
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

import unfooled as uf
from sequences import save_pairs
from unfooled.errors import BadInput
from unfooled.methods import ATCL
from unfooled.models.sequences.sequence_model import load_translator
from unfooled.models.sequences.translate import translate
from unfooled.recipe.config import recipe_from
from unfooled.training import Processes
from unfooled.training.jobs import prepare

SIZES = {"layers": 1, "width": 16, "heads": 2, "inner_width": 20, "vocabulary_size": 300}
PLAN = {"max_steps": 4, "batch_tokens": 400, "learning_rate": 1e-2, "label_smoothing": 0.1, "schedule": "inverse_sqrt"}


def settings(**sizes):
    return {"name": "transformer", "max_length": 48, "dropout": 0.0, "sizes": {**SIZES, **sizes}}


def data(folder, **other):
    return {"source": str(folder), "text": "en", "label": "de", **other}


@pytest.mark.parametrize("sizes", [{}, {"shared_vocabulary": False}, {"vocabulary": "words"}])
def test_a_trained_translator_opens_with_plain_transformers_and_is_scored_as_sacrebleu_does(sizes, tmp_path):
    folder = save_pairs(tmp_path / "pairs")
    run = uf.train(data(folder), tmp_path / "run", settings(**sizes), ATCL(negatives=3), PLAN, task="translation")
    assert set(run.scores) == {"validation perplexity", "test2016 BLEU", "test2016 chrF"}
    network, tokenizer = AutoModelForSeq2SeqLM.from_pretrained(run.model), AutoTokenizer.from_pretrained(run.model)
    model = load_translator(run.model)
    total = count = 0.0
    rows = [(folder / f"validation.{side}.txt").read_text().splitlines() for side in ("en", "de")]
    for source, target in zip(*rows, strict=True):
        asked = torch.tensor([model.target(target)["input_ids"]])
        found = network(input_ids=torch.tensor([tokenizer(source)["input_ids"]]), labels=asked)
        total, count = total + found.loss.item() * asked.numel(), count + asked.numel()
    # Labels are smoothed while training; what is measured is not.
    assert run.scores["validation perplexity"].value == pytest.approx(math.exp(total / count), rel=1e-3)
    sources, references = ((folder / f"test2016.{side}.txt").read_text().splitlines() for side in ("en", "de"))
    import sacrebleu

    expected = sacrebleu.corpus_chrf(translate(model, sources), [references]).score
    assert run.scores["test2016 chrF"].value == pytest.approx(expected)
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert "nrefs:1" in summary["signatures"]["BLEU"] and summary["languages"] == ["en", "de"]


def test_a_checkpoint_goes_on_learning_with_its_own_vocabularies(tmp_path):
    folder = save_pairs(tmp_path / "pairs")
    separate = settings(shared_vocabulary=False)
    first = uf.train(data(folder), tmp_path / "one", separate, "finetune", PLAN, task="translation")
    again = {"name": first.model, "max_length": 48}
    second = uf.train(data(folder), tmp_path / "two", again, "finetune", PLAN, task="translation")
    models = [load_translator(folder) for folder in (first.model, second.model)]
    assert models[0].target.get_vocab() == models[1].target.get_vocab() != models[0].tokenizer.get_vocab()


def refused(folder, sentence, model=None, method="atcl", **other):
    raw = {"task": "translation", "data": data(folder, **other), "model": model or settings(), "plan": PLAN}
    with pytest.raises(BadInput, match=sentence):
        prepare(recipe_from({**raw, "method": {"name": method}}), Processes())


def test_a_pair_longer_than_the_limit_is_left_out_of_train_and_refused_elsewhere(tmp_path):
    folder = save_pairs(tmp_path / "pairs")
    for side in ("en", "de"):
        file = folder / f"train.{side}.txt"
        file.write_text(file.read_text() + "the dog " * 40 + "\n")
    raw = {"task": "translation", "data": data(folder), "model": settings(), "plan": PLAN}
    job = prepare(recipe_from(raw), Processes())
    assert any("1 of 41 pairs are longer than 48 tokens and left out" in note for note in job.notes)
    for side in ("en", "de"):
        (folder / f"validation.{side}.txt").write_text("the dog\n" + "the dog " * 40 + "\n")
    refused(folder, r"split validation, line 2: a pair of \d+ tokens is longer than the limit of 48")
    refused(folder, "every pair of pairs is longer than the limit of 4 tokens", {**settings(), "max_length": 4})


def test_what_cannot_be_translated_is_said(tmp_path):
    folder = save_pairs(tmp_path / "pairs")
    refused(folder, "tensorized is a language model without an encoder", {"name": "tensorized"})
    for split in ("train", "validation", "test2016"):
        file = folder / f"{split}.en.txt"
        file.write_text("".join("1 x 2\n" for _ in file.read_text().splitlines()))
    refused(folder, "no source sentence holds a complete word")
