"""Each kind of head is a standard one: plain transformers opens it, and a model is not taken for another kind."""

from pathlib import Path

import pytest
import torch
from support import ARCHITECTURES, configuration, make_tokens, padding_of
from tiny import save_encoder
from transformers import AutoModelForQuestionAnswering, AutoModelForSequenceClassification, BertConfig

from unfooled.errors import BadInput
from unfooled.models import Classifier, ModelSettings, build, load, save
from unfooled.models.encoders.problems import AT_LEAST_ONE, PROBLEMS, problem_of, says_something

LABELS = {"class": ("bad", "good"), "number": ("score",), "set": ("a", "b", "c"), "span": ("start", "end")}


@pytest.mark.parametrize("kind", PROBLEMS)
def test_what_is_saved_says_what_it_is(tmp_path: Path, kind: str) -> None:
    settings = ModelSettings(name=str(save_encoder(tmp_path / "encoder")))
    model = build(settings, LABELS[kind], 0, kind)
    save(model, tmp_path / "saved", "a card")
    again = load(str(tmp_path / "saved"), kind)
    assert again.fingerprint() == model.fingerprint() and again.labels == LABELS[kind]
    assert model.problem == again.problem == load(str(tmp_path / "saved"), None).problem == kind
    assert not says_something(again.classifier.network.config)
    plain = AutoModelForQuestionAnswering if kind == "span" else AutoModelForSequenceClassification
    network, info = plain.from_pretrained(tmp_path / "saved", output_loading_info=True)
    assert not info["missing_keys"] and problem_of(network.config).name == kind
    for other in set(PROBLEMS) - {kind}:
        with pytest.raises(BadInput, match=f"is {PROBLEMS[kind].said}, not {PROBLEMS[other].said}"):
            load(str(tmp_path / "saved"), other)


def test_training_goes_on_from_a_head_for_the_same_and_not_for_another(tmp_path: Path) -> None:
    settings = ModelSettings(name=str(save_encoder(tmp_path / "encoder")))
    trained = build(settings, ("bad", "good"), 5)
    save(trained, tmp_path / "saved", "a card")
    further = build(ModelSettings(name=str(tmp_path / "saved")), ("bad", "good"), 0)
    assert further.fingerprint() == trained.fingerprint()
    sets = build(ModelSettings(name=str(tmp_path / "saved")), ("bad", "good"), 0, "set")
    last = sets.classifier.network.classifier.weight
    assert not torch.equal(last, trained.classifier.network.classifier.weight)
    assert sets.classifier.network.config.problem_type == "multi_label_classification"


def test_a_configuration_that_does_not_say_is_a_classifiers() -> None:
    assert problem_of(BertConfig()).name == "class"
    assert says_something(BertConfig(**{AT_LEAST_ONE: True})) and not says_something(BertConfig())
    assert problem_of(BertConfig(num_labels=1, architectures=["BertForSequenceClassification"])).name == "number"
    with pytest.raises(BadInput, match="unknown kind of model clas; did you mean class"):
        from unfooled.models.encoders.problems import check_problem

        check_problem(BertConfig(), "clas", "it")


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
