"""Text-form adversaries: the head found again, words put in, and only what fools the victim kept."""

import json
import shutil

import pytest
import torch
from safetensors.torch import load_file
from support import make_task
from tiny import reviews, save_encoder, save_reviews
from torch import nn
from transformers import AutoModelForSequenceClassification

import unfooled as uf
from unfooled.errors import BadInput
from unfooled.generate.reconstruction import (
    Adversary,
    decoded,
    reconstructions,
    reconstructor_of,
    rewritten,
    stored_head,
)
from unfooled.methods.rar import RAR
from unfooled.models import ModelSettings, build, load, probabilities
from unfooled.perturb import k_pgd
from unfooled.tokens import encode


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A tiny classifier that has learned its task."""
    folder = tmp_path_factory.mktemp("adversaries")
    encoder, data = save_encoder(folder / "encoder"), save_reviews(folder / "reviews.csv", 60)
    plan = {"max_steps": 60, "epochs": 20, "batch_size": 8, "learning_rate": 3e-3}
    return load(uf.train(str(data), folder / "run", str(encoder), "finetune", plan).model)


class Always(nn.Module):
    """A head that always says the same word, and would say [MASK] if it might."""

    def __init__(self, model, word):
        super().__init__()
        self.words, self.favourite = len(model.tokenizer), model.tokenizer.convert_tokens_to_ids(word)

    def logits(self, states):
        found = torch.zeros(len(states), self.words + 3)
        found[:, self.favourite], found[:, 4], found[:, self.words :] = 5.0, 9.0, 99.0
        return found


def kept(model, word, victim, texts, labels):
    """What fools the victim when every word becomes this one."""
    made = reconstructions(model, Always(model, word), victim, texts, labels, k_pgd(0.1))
    return [each for each in made if each.fools]


def test_the_trained_head_is_found_among_the_tensors_of_its_run(model):
    objective = RAR().build(model.classifier, make_task())
    nn.init.normal_(objective.reconstructor.bias)
    (name, tensors), *more = objective.keepsakes().items()
    assert name == "reconstructor" and not more
    head = reconstructor_of(model, tensors)
    states = torch.randn(4, 16, generator=torch.Generator().manual_seed(0))
    assert torch.equal(head.logits(states), objective.reconstructor.logits(states))
    assert head.weight is model.classifier.network.get_input_embeddings().weight


def test_a_head_of_another_model_is_refused(model):
    with pytest.raises(BadInput, match="another model"):
        reconstructor_of(model, {"bias": torch.zeros(3)})


def test_ordinary_tokens_are_replaced_and_special_ones_stay(model):
    tokens = encode(model.tokenizer, ["the film was good", "dull"], 32).pad([0, 1])
    delta = torch.zeros(*tokens.ids.shape, model.classifier.width)
    assert rewritten(model, Always(model, "grey"), tokens, delta) == ["grey grey grey grey", "grey"]
    assert decoded(model, tokens.ids, tokens.mask) == ["the film was good", "dull"]


def test_only_changed_texts_that_fool_the_victim_are_kept(model):
    texts = [text for text, _ in reviews(30)] + ["bad bad"]
    labels = [int(label == "positive") for _, label in reviews(30)] + [0]
    says = probabilities(model, texts).argmax(axis=1).tolist()
    now = int(probabilities(model, ["bad bad bad bad"]).argmax())
    found = kept(model, "bad", model, texts, labels)
    assert now == 0 and found
    assert {each.index for each in found} <= {row for row in range(30) if says[row] == labels[row] == 1}
    for each in found:
        assert set(each.adversary.split()) == {"bad"} and each.original == texts[each.index]
        assert (each.label, each.predicted, each.predicted_adversary) == (1, 1, 0)


@pytest.mark.parametrize(
    ("predicted", "now", "changed", "fools"),
    [(1, 0, True, True), (1, 0, False, False), (1, 1, True, False), (0, 0, True, False), (0, 2, True, False)],
)
def test_an_adversary_is_changed_and_turns_a_right_answer_wrong(predicted, now, changed, fools):
    assert Adversary(0, 1, "good", "bad", predicted, now, changed).fools is fools


def test_texts_without_one_known_word_stay_as_they_are(model):
    made = list(reconstructions(model, Always(model, "bad"), model, ["😀", "xyz"], [1, 1], k_pgd(0.1), 0, 8))
    assert [(each.original, each.changed, each.fools) for each in made] == [("😀", False, False), ("xyz", False, False)]


def test_a_victim_that_was_wrong_before_is_not_fooled(model):
    labels = [1 - int(answer) for answer in probabilities(model, ["good", "bad bad"]).argmax(axis=1)]
    assert not kept(model, "bad", model, ["good", "bad bad"], labels)


def test_a_victim_with_other_labels_is_refused(model, tmp_path):
    other = build(ModelSettings(name=str(save_encoder(tmp_path / "encoder"))), ["no", "yes"], seed=0)
    with pytest.raises(BadInput, match="labels"):
        kept(model, "bad", other, ["good"], [1])


@pytest.fixture(scope="module")
def ground(tmp_path_factory):
    """A RAR run and a plain one on the same task, and texts that neither has seen."""
    folder = tmp_path_factory.mktemp("generation")
    encoder, data = str(save_encoder(folder / "encoder")), str(save_reviews(folder / "reviews.csv", 60))
    plan = {"max_steps": 60, "epochs": 20, "batch_size": 8, "learning_rate": 3e-3}
    uf.train(data, folder / "rar", encoder, uf.RAR(weight=0.3), plan)
    uf.train(data, folder / "plain", encoder, "finetune", plan, seed=1)
    save_reviews(folder / "unseen.csv", 40, seed=9)
    return folder


def test_the_head_is_kept_beside_the_model_and_is_that_of_the_best_step(ground):
    kept = stored_head(str(ground / "rar"))
    summary = json.loads((ground / "rar" / "summary.json").read_text())
    best = summary["best_step"]
    assert best < summary["steps"]
    stored = load_file(ground / "rar" / "checkpoints" / f"step-{best}" / "objective.safetensors")
    assert set(kept) == {"bias", "dense.bias", "dense.weight", "norm.bias", "norm.weight"}
    assert all(torch.equal(stored[f"reconstructor.{name}"], tensor) for name, tensor in kept.items())
    assert kept["bias"].any()  # a trained head, no fresh one
    network, info = AutoModelForSequenceClassification.from_pretrained(
        ground / "rar" / "model", output_loading_info=True
    )
    assert not info["missing_keys"] and not info["unexpected_keys"] and network.config.num_labels == 2
    assert not (ground / "plain" / "model" / "reconstructor.safetensors").exists()


def test_a_run_from_before_heads_were_kept_gives_its_checkpoints_or_says_that_they_are_gone(ground, tmp_path):
    run = tmp_path / "run"
    shutil.copytree(ground / "rar", run)
    kept = stored_head(str(run / "model"))
    (run / "model" / "reconstructor.safetensors").unlink()
    found = stored_head(str(run / "model"))
    assert found.keys() == kept.keys() and all(torch.equal(found[name], kept[name]) for name in kept)
    shutil.rmtree(run / "checkpoints")
    with pytest.raises(BadInput, match=r"is gone: neither .* nor the checkpoint of its best step \d+ is there"):
        stored_head(str(run))
    with pytest.raises(BadInput, match='has no reconstructor; give the folder of a run trained with method="rar"'):
        stored_head(str(ground / "plain"))
    (run / "model" / "reconstructor.safetensors").write_bytes(b"junk")
    with pytest.raises(BadInput, match="cannot be read"):
        stored_head(str(run))


def test_every_line_is_an_adversary_and_the_counts_say_how_many_there_might_have_been(ground, tmp_path):
    made = uf.generate_adversaries(
        str(ground / "rar"), str(ground / "unseen.csv"), tmp_path / "a.jsonl", str(ground / "plain"), eps=8
    )
    lines = [json.loads(line) for line in made.file.read_text(encoding="utf-8").splitlines()]
    rows, victim = reviews(40, seed=9), load(str(ground / "plain"))
    assert lines and [line["index"] for line in lines] == sorted({line["index"] for line in lines})
    for line in lines:
        assert (line["original"], line["label"]) == rows[line["index"]]
        says, says_now = (
            victim.labels[int(answer)]
            for answer in probabilities(victim, [line["original"], line["adversary"]]).argmax(axis=1)
        )
        assert (line["predicted"], line["predicted_adversary"]) == (says, says_now)
        assert says == line["label"] != says_now and line["adversary"] != line["original"]
    right = probabilities(victim, [text for text, _ in rows]).argmax(axis=1).tolist()
    assert made.counts["right_before"] == sum(
        victim.labels[a] == label for a, (_, label) in zip(right, rows, strict=True)
    )
    assert made.counts["examples"] == 40 >= made.counts["changed"] >= made.counts["kept"] == len(lines)
    assert set(lines[0]) == {"index", "label", "original", "adversary", "predicted", "predicted_adversary"}


def test_the_summary_says_what_made_the_file_and_nothing_is_overwritten(ground, tmp_path):
    arguments = (str(ground / "rar" / "model"), str(ground / "unseen.csv"), tmp_path / "new" / "a.jsonl")
    made = uf.generate_adversaries(*arguments, eps=0.5, steps=2, limit=10, seed=3)
    assert made.summary == tmp_path / "new" / "a.summary.json"
    summary, own = json.loads(made.summary.read_text()), load(str(ground / "rar")).fingerprint()
    assert (summary["schema"], summary["model_hash"], summary["victim_hash"]) == (1, own, own)
    assert summary["settings"] == {"eps": 0.5, "steps": 2, "split": None, "limit": 10, "batch_size": 32, "seed": 3}
    assert summary["counts"] == made.counts and made.counts["examples"] == 10
    assert set(summary["definitions"]["counts"]) == set(made.counts)
    assert set(summary) >= {"versions", "data_hash", "labels"}
    before = made.file.read_bytes()
    with pytest.raises(BadInput, match=r"a\.jsonl is there already"):
        uf.generate_adversaries(*arguments)
    assert made.file.read_bytes() == before
    with pytest.raises(BadInput, match=r"name a file that ends in \.jsonl"):  # its summary would be a.summary.json too
        uf.generate_adversaries(*arguments[:2], tmp_path / "a.txt")
    again = uf.generate_adversaries(
        *arguments[:2], tmp_path / "b.jsonl", eps=0.5, steps=2, limit=10, seed=3, batch_size=3
    )
    assert again.file.read_bytes() == before


def test_pairs_and_settings_that_make_no_sense_are_one_sentence(ground, tmp_path):
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("a,b,label\ngood,fine,positive\nbad,dull,negative\n")
    run, out = str(ground / "rar"), tmp_path / "a.jsonl"
    with pytest.raises(BadInput, match="these are pairs; name one column with text="):
        uf.generate_adversaries(run, {"source": str(pairs), "text": "a,b"}, out)
    with pytest.raises(BadInput, match="setting eps = -1"):
        uf.generate_adversaries(run, str(ground / "unseen.csv"), out, eps=-1)
    assert not out.exists()
