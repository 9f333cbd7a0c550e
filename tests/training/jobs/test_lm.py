"""A language model from a recipe: trained, scored over the whole split, saved; and what it refuses."""

import json
import math
from pathlib import Path

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

import unfooled as uf
from sequences import save_text
from unfooled.errors import BadInput
from unfooled.methods import ATCL
from unfooled.recipe.config import recipe_from
from unfooled.scores.perplexity import count_words
from unfooled.training import Processes
from unfooled.training.jobs import prepare

SIZES = {"layers": 1, "width": 16, "heads": 2, "inner_width": 20, "head_width": 6}
PLAN = {"max_steps": 6, "batch_size": 8, "learning_rate": 1e-2}


def model(name="tensorized", **sizes):
    return {"name": name, "max_length": 8, "dropout": 0.0, "sizes": {**SIZES, **sizes}}


@torch.no_grad()
def perplexity(folder, lines):
    """exp(Σ -log p / words) by plain transformers, token by token, in segments of 8 behind the closing token."""
    network, tokenizer = AutoModelForCausalLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    ids = [token for line in lines for token in [*tokenizer(line)["input_ids"], tokenizer.eos_token_id]]
    read, total = [tokenizer.eos_token_id, *ids], 0.0
    for start in range(0, len(ids), 8):
        logs = network(input_ids=torch.tensor([read[start : start + 8]])).logits.log_softmax(-1)[0]
        for place, label in enumerate(ids[start : start + 8]):
            total -= float(logs[place, label])
    return math.exp(total / sum(len(line.split()) + 1 for line in lines))


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("tensorized", {}),
        ("tensorized", {"cutoffs": (4, 9)}),
        ("transformer", {"vocabulary": "bpe", "vocabulary_size": 280}),
    ],
)
def test_perplexity_is_over_the_whole_split_per_word(name, sizes, tmp_path):
    data = save_text(tmp_path / "text")
    run = uf.train(str(data), tmp_path / "run", model(name, **sizes), ATCL(negatives=3), PLAN, task="lm")
    for split in ("validation", "test"):
        lines = (data / f"{split}.txt").read_text().splitlines()
        score = run.scores[f"{split} perplexity"]
        assert score.value == pytest.approx(perplexity(run.model, lines), rel=1e-4)
        assert score.n == count_words(lines)
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert summary["task"] == "lm" and summary["method"] == "atcl"
    logged = [json.loads(line) for line in (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()]
    assert any("contrast" in line and "adversarial" in line for line in logged)


def test_training_lowers_perplexity_and_the_best_weights_are_kept(tmp_path):
    data = save_text(tmp_path / "text", 120)
    plan = {"epochs": 4, "batch_size": 8, "learning_rate": 1e-2}
    run = uf.train(str(data), tmp_path / "run", model(), "finetune", plan, task="lm")
    looks = [json.loads(line) for line in (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()]
    values = [line["perplexity"] for line in looks if line["kind"] == "validation"]
    assert len(values) == 4 and values[0] > min(values)
    assert run.scores["validation perplexity"].value == pytest.approx(min(values), rel=1e-5)


def test_a_checkpoint_goes_on_learning_with_its_own_vocabulary(tmp_path):
    first = uf.train(str(save_text(tmp_path / "a")), tmp_path / "one", model(), "finetune", PLAN, task="lm")
    other = save_text(tmp_path / "b", seed=9)
    settings = {"name": first.model, "max_length": 8}
    second = uf.train(str(other), tmp_path / "two", settings, "atcl", PLAN, task="lm")
    vocabularies = [AutoTokenizer.from_pretrained(folder).get_vocab() for folder in (first.model, second.model)]
    assert vocabularies[0] == vocabularies[1]


def refused(folder: Path, sentence: str, settings=None, method="atcl"):
    raw = {"task": "lm", "data": {"source": str(folder)}, "model": settings or model(), "method": {"name": method}}
    with pytest.raises(BadInput, match=sentence):
        prepare(recipe_from({**raw, "plan": {"batch_size": 8}}), Processes())


def write(folder: Path, train: str, validation: str) -> Path:
    folder.mkdir()
    (folder / "train.txt").write_text(train)
    (folder / "validation.txt").write_text(validation)
    return folder


def test_a_vocabulary_without_a_complete_word_is_nothing_for_atcl(tmp_path):
    folder = write(tmp_path / "text", "1 2 x . 3\n" * 20, "1 2\n")
    refused(folder, "no complete word of two letters, so ATCL has nothing to perturb")
    raw = {"task": "lm", "data": {"source": str(folder)}, "model": model(), "plan": {"batch_size": 8}}
    assert prepare(recipe_from(raw), Processes()).loader.updates_per_epoch > 0  # plain training can


def test_segments_longer_than_the_model_are_refused(tmp_path):
    data = save_text(tmp_path / "text")
    run = uf.train(str(data), tmp_path / "run", model(), "finetune", PLAN, task="lm")
    refused(data, "segments of 9 tokens are longer than the model takes \\(8\\)", {"name": run.model, "max_length": 9})


def test_unknown_words_only_are_refused(tmp_path):
    refused(write(tmp_path / "text", "the dog saw\n" * 20, "qqq\nzzz www\n"), "every word of the validation split")
    refused(write(tmp_path / "none", "<unk> <unk>\n" * 20, "a\n"), "no word besides <unk>")
