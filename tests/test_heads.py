"""Each kind of head is a standard one: plain transformers opens it, and a model is not taken for another kind."""

from pathlib import Path

import pytest
import torch
from support import ARCHITECTURES, configuration, make_tokens, padding_of
from tiny import save_encoder
from transformers import AutoModelForQuestionAnswering, AutoModelForSequenceClassification, BertConfig

from unfooled.errors import BadInput
from unfooled.heads import AT_LEAST_ONE, HEADS, OWN_HEAD, Head, check_head, head_of, says_something
from unfooled.models import Classifier, ModelSettings, build, load, save

LABELS = {
    "classification": ("bad", "good"),
    "regression": ("score",),
    "multilabel": ("a", "b", "c"),
    "span": ("start", "end"),
}


@pytest.mark.parametrize("kind", HEADS)
def test_what_is_saved_says_what_it_is(tmp_path: Path, kind: str) -> None:
    settings = ModelSettings(name=str(save_encoder(tmp_path / "encoder")))
    model = build(settings, LABELS[kind], 0, HEADS[kind])
    save(model, tmp_path / "saved", "a card")
    again = load(str(tmp_path / "saved"), kind)
    assert again.fingerprint() == model.fingerprint() and again.labels == LABELS[kind]
    assert model.task == again.task == load(str(tmp_path / "saved"), None).task == kind
    assert not says_something(again.classifier.network.config)
    plain = AutoModelForQuestionAnswering if kind == "span" else AutoModelForSequenceClassification
    network, info = plain.from_pretrained(tmp_path / "saved", output_loading_info=True)
    assert not info["missing_keys"] and head_of(network.config).task == kind
    for other in set(HEADS) - {kind}:
        with pytest.raises(BadInput, match=f"is {HEADS[kind].said}, not {HEADS[other].said}"):
            load(str(tmp_path / "saved"), other)


def test_training_goes_on_from_a_head_for_the_same_and_not_for_another(tmp_path: Path) -> None:
    settings = ModelSettings(name=str(save_encoder(tmp_path / "encoder")))
    trained = build(settings, ("bad", "good"), 5)
    save(trained, tmp_path / "saved", "a card")
    further = build(ModelSettings(name=str(tmp_path / "saved")), ("bad", "good"), 0)
    assert further.fingerprint() == trained.fingerprint()
    sets = build(ModelSettings(name=str(tmp_path / "saved")), ("bad", "good"), 0, HEADS["multilabel"])
    last = sets.classifier.network.classifier.weight
    assert not torch.equal(last, trained.classifier.network.classifier.weight)
    assert sets.classifier.network.config.problem_type == "multi_label_classification"


def test_a_head_that_configurations_cannot_tell_is_written_down(tmp_path: Path) -> None:
    stars, settings = Head("stars", "a model of stars", "regression"), ModelSettings(name=str(save_encoder(tmp_path)))
    model = build(settings, ("stars",), 0, stars)
    save(model, tmp_path / "saved", "a card")
    again = load(str(tmp_path / "saved"), None)
    assert again.task == model.task == "stars" and head_of(again.classifier.network.config) == stars
    assert load(str(tmp_path / "saved"), "stars").fingerprint() == model.fingerprint()
    with pytest.raises(BadInput, match="is a model of stars, not a model of numbers"):
        load(str(tmp_path / "saved"), "regression")
    further = build(ModelSettings(name=str(tmp_path / "saved")), ("score",), 0, HEADS["regression"])
    assert further.task == "regression" and OWN_HEAD not in further.classifier.network.config.to_dict()


def test_a_configuration_that_does_not_say_is_a_classifiers() -> None:
    assert head_of(BertConfig()).task == "classification"
    assert says_something(BertConfig(**{AT_LEAST_ONE: True})) and not says_something(BertConfig())
    assert head_of(BertConfig(num_labels=1, architectures=["BertForSequenceClassification"])).task == "regression"
    with pytest.raises(BadInput, match="unknown kind of model classificaton; did you mean classification"):
        check_head(BertConfig(), "classificaton", "it")


@pytest.mark.parametrize("kind", ARCHITECTURES)
def test_span_finders_of_every_architecture_have_two_logits_a_token(kind: str) -> None:
    with torch.random.fork_rng():
        torch.manual_seed(0)
        network = AutoModelForQuestionAnswering.from_config(configuration(kind, 2, 0.0, 2, 32)).eval()
    tokens = make_tokens((5, 3), (0, 1), columns=8, padding=padding_of(kind))
    with torch.no_grad():
        out = Classifier(network)(tokens)
        wider = Classifier(network)(make_tokens((5, 3), (0, 1), columns=11, padding=padding_of(kind)))
        plain = network(input_ids=tokens.ids, attention_mask=tokens.mask.long())
    real = tokens.mask
    assert out.logits.shape == (2, 8, 2)
    assert torch.equal(out.logits[..., 0][real], plain.start_logits[real])
    assert torch.equal(out.logits[..., 1][real], plain.end_logits[real])
    assert float(out.logits.softmax(dim=1)[~real].sum()) == 0.0  # an answer in the padding is impossible
    assert torch.allclose(wider.logits[:, :8][real], out.logits[real], atol=1e-5)


@pytest.mark.parametrize(
    "values",
    [
        "evil",
        {"evil": 1},
        ["a"],
        {"task": "x", "said": "y", "problem_type": None, "opens_with": "pipeline"},
        {"task": 1},
    ],
)
def test_a_configuration_names_no_class_but_those_that_open_models(values: object) -> None:
    with pytest.raises(BadInput, match="describes a head .* that is none"):
        head_of(BertConfig(**{OWN_HEAD: values}))
