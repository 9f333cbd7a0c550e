"""Text-form adversaries: the head found again, words put in, and only what fools the victim kept."""

import pytest
import torch
from torch import nn

import unfooled as uf
from support import make_task
from tiny import reviews, save_encoder, save_reviews
from unfooled.adversaries import decoded, from_reconstruction, reconstructor_of, rewritten
from unfooled.errors import BadInput
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


def test_the_trained_head_is_found_among_the_tensors_of_its_run(model):
    objective = RAR().build(model.classifier, make_task())
    nn.init.normal_(objective.reconstructor.bias)
    head = reconstructor_of(model, objective.state_dict())
    states = torch.randn(4, 16, generator=torch.Generator().manual_seed(0))
    assert torch.equal(head.logits(states), objective.reconstructor.logits(states))
    assert head.weight is model.classifier.network.get_input_embeddings().weight


def test_a_run_without_a_head_or_of_another_model_is_refused(model):
    with pytest.raises(BadInput, match="--method rar"):
        reconstructor_of(model, model.classifier.state_dict())
    with pytest.raises(BadInput, match="another model"):
        reconstructor_of(model, {"reconstructor.bias": torch.zeros(3)})


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
    found = list(from_reconstruction(model, Always(model, "bad"), model, texts, labels, k_pgd(0.1)))
    assert now == 0 and found
    assert {each.index for each in found} <= {row for row in range(30) if says[row] == labels[row] == 1}
    for each in found:
        assert set(each.adversary.split()) == {"bad"} and each.original == texts[each.index]
        assert (each.label, each.predicted, each.predicted_adversary) == (1, 1, 0)


def test_a_faithful_reconstruction_is_no_adversary(model):
    labels = [1 - int(answer) for answer in probabilities(model, ["good", "bad bad"]).argmax(axis=1)]
    assert not list(from_reconstruction(model, Always(model, "bad"), model, ["good", "bad bad"], labels, k_pgd(0.1)))


def test_a_victim_with_other_labels_is_refused(model, tmp_path):
    other = build(ModelSettings(name=str(save_encoder(tmp_path / "encoder"))), ["no", "yes"], seed=0)
    with pytest.raises(BadInput, match="labels"):
        list(from_reconstruction(model, Always(model, "bad"), other, ["good"], [1], k_pgd(0.1)))
