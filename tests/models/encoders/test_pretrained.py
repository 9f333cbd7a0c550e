from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from support import configuration, tiny_network
from tiny import save_encoder
from transformers import AutoModelForSequenceClassification, pipeline

from unfooled.errors import BadInput
from unfooled.models import ModelSettings, TextCNN, TextCNNConfig, build, load, probabilities, save
from unfooled.models.encoders.pretrained import positions, set_classifier_dropout, weights_hash

LABELS = ["negative", "positive", "neutral"]
TEXTS = [("the film was good",), ("dull",), ("a very warm story and a bright plot",)]


@pytest.fixture
def encoder(tmp_path: Path) -> str:
    return str(save_encoder(tmp_path / "encoder"))


def test_the_head_is_a_function_of_the_seed_and_leaves_no_trace(encoder: str) -> None:
    settings = ModelSettings(name=encoder)
    torch.manual_seed(1)
    expected = torch.rand(1)
    torch.manual_seed(1)
    first = build(settings, LABELS, seed=0)
    assert torch.equal(torch.rand(1), expected)
    assert first.fingerprint() == build(settings, LABELS, seed=0).fingerprint()
    assert first.fingerprint() != build(settings, LABELS, seed=1).fingerprint()
    assert first.labels == tuple(LABELS) and first.classifier.classes == 3


@pytest.mark.parametrize("kind", ["encoder", "textcnn", "textcnn from the encoder"])
def test_a_saved_model_comes_back(encoder: str, tmp_path: Path, kind: str) -> None:
    settings = {
        "encoder": ModelSettings(name=encoder, max_length=6),
        "textcnn": ModelSettings(name="textcnn", tokenizer=encoder, max_length=6),
        "textcnn from the encoder": ModelSettings(
            name="textcnn", tokenizer=encoder, embeddings="encoder", max_length=6
        ),
    }[kind]
    model = build(settings, LABELS, seed=0)
    save(model, tmp_path / "saved", "# card")
    again = load(str(tmp_path / "saved"))
    assert again.labels == tuple(LABELS)
    assert again.max_length == 6
    assert weights_hash(again.classifier) == weights_hash(model.classifier)
    assert (probabilities(again, TEXTS) == probabilities(model, TEXTS)).all()
    assert (tmp_path / "saved" / "README.md").read_text() == "# card"
    plain = AutoModelForSequenceClassification.from_pretrained(tmp_path / "saved")
    assert plain.config.id2label == dict(enumerate(LABELS))


def test_textcnn_takes_the_encoders_table(encoder: str) -> None:
    table = load_file(Path(encoder) / "model.safetensors")["embeddings.word_embeddings.weight"]
    model = build(ModelSettings(name="textcnn", tokenizer=encoder, embeddings="encoder"), LABELS, seed=0)
    assert torch.equal(model.classifier.network.get_input_embeddings().weight, table)
    fresh = build(ModelSettings(name="textcnn", tokenizer=encoder), LABELS, seed=0)
    assert fresh.classifier.width == 300


def test_dropout_can_be_set(encoder: str) -> None:
    model = build(ModelSettings(name=encoder, dropout=0.37), LABELS, seed=0)
    rates = {module.p for module in model.classifier.modules() if isinstance(module, torch.nn.Dropout)}
    assert rates == {0.37}


def test_the_dropout_of_the_last_layer_can_be_set_alone(encoder: str) -> None:
    network = build(ModelSettings(name=encoder, classifier_dropout=0.5), LABELS, seed=0).classifier.network
    assert network.dropout.p == 0.5
    assert {part.p for part in network.bert.modules() if isinstance(part, torch.nn.Dropout)} == {0.1}
    network = build(ModelSettings(name=encoder, dropout=0.2, classifier_dropout=0.5), LABELS, seed=0).classifier.network
    assert network.dropout.p == 0.5 and network.bert.embeddings.dropout.p == 0.2
    with pytest.raises(BadInput, match="textcnn has one dropout"):
        build(ModelSettings(name="textcnn", tokenizer=encoder, classifier_dropout=0.5), LABELS, seed=0)


@pytest.mark.parametrize("kind", ["roberta", "albert", "distilbert", "electra"])
def test_every_name_of_that_dropout_is_known(kind: str) -> None:
    config = configuration(kind, 2, 0.1, 1, 32)
    set_classifier_dropout(config, 0.5, kind)
    network = AutoModelForSequenceClassification.from_config(config)
    rates = {
        part.p
        for name, part in network.named_modules()
        if isinstance(part, torch.nn.Dropout) and not name.startswith(f"{network.base_model_prefix}.")
    }
    assert rates == {0.5}
    assert network.base_model.embeddings.dropout.p == 0.1


def test_a_network_without_that_dropout_says_so() -> None:
    with pytest.raises(BadInput, match="mpnet knows no dropout for its last layer alone"):
        set_classifier_dropout(configuration("mpnet", 2, 0.1, 1, 32), 0.5, "mpnet")


def test_an_encoder_without_a_trained_head_is_no_classifier(encoder: str) -> None:
    with pytest.raises(BadInput, match=r"no trained classifier: 2 weights such as classifier\.bias are missing"):
        load(encoder)


def test_weights_that_are_no_numbers_are_refused(encoder: str, tmp_path: Path) -> None:
    save(build(ModelSettings(name=encoder), LABELS, seed=0), tmp_path / "saved", "")
    weights = load_file(tmp_path / "saved" / "model.safetensors")
    weights["classifier.bias"][0] = float("nan")
    save_file(weights, tmp_path / "saved" / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(BadInput, match="not finite"):
        load(str(tmp_path / "saved"))


def test_an_encoder_that_lacks_weights_is_refused(encoder: str) -> None:
    path = Path(encoder) / "model.safetensors"
    weights = {name.replace("layer.1.", "layer.9."): tensor for name, tensor in load_file(path).items()}
    save_file(weights, path, metadata={"format": "pt"})
    with pytest.raises(BadInput, match="lacks 16 of the encoder's weights.*restore"):
        build(ModelSettings(name=encoder), LABELS, seed=0)


def test_a_trained_head_is_kept_for_the_same_labels_only(encoder: str, tmp_path: Path) -> None:
    first = build(ModelSettings(name=encoder), LABELS, seed=0)
    save(first, tmp_path / "saved", "")
    again = ModelSettings(name=str(tmp_path / "saved"))

    def head(labels: list[str], seed: int) -> torch.Tensor:
        return build(again, labels, seed).classifier.network.classifier.weight

    assert torch.equal(head(LABELS, 5), first.classifier.network.classifier.weight)
    assert not torch.equal(head(LABELS[::-1], 5), first.classifier.network.classifier.weight)
    assert torch.equal(head(LABELS[::-1], 5), head(LABELS[::-1], 5))
    assert not torch.equal(head(LABELS[::-1], 5), head(LABELS[::-1], 6))
    assert head(["a", "b"], 5).shape == (2, 16)


def test_a_decoders_tokenizer_is_refused(encoder: str) -> None:
    config = Path(encoder) / "tokenizer_config.json"
    config.write_text(config.read_text().replace("{", '{"padding_side": "left", ', 1))
    with pytest.raises(BadInput, match="does not pad on the right"):
        build(ModelSettings(name=encoder), LABELS, seed=0)


def test_textcnn_opens_in_a_pipeline_and_long_texts_are_cut_alike(encoder: str, tmp_path: Path) -> None:
    for kind in (
        ModelSettings(name="textcnn", tokenizer=encoder, max_length=6),
        ModelSettings(name=encoder, max_length=6),
    ):
        model = build(kind, LABELS, seed=0)
        save(model, tmp_path / kind.name.replace("/", "-").strip("-"), "")
        folder = str(tmp_path / kind.name.replace("/", "-").strip("-"))
        text = "the film was good and the plot was very warm and bright"
        (answers,) = pipeline("text-classification", folder, top_k=None, truncation=True)([text])
        found = {answer["label"]: answer["score"] for answer in answers}
        expected = dict(zip(LABELS, probabilities(model, [text])[0], strict=True))
        assert found == pytest.approx(expected, abs=1e-6)


def test_the_longest_input_is_what_the_position_table_holds() -> None:
    for kind in ("bert", "roberta", "mpnet", "distilbert", "albert", "electra", "deberta"):
        network = tiny_network(kind, 2, 0.0, 0, 1, 32)
        limit = positions(network)
        ids = torch.full((1, limit), 5)
        assert torch.isfinite(network(input_ids=ids, attention_mask=torch.ones_like(ids)).logits).all()
    assert positions(TextCNN(TextCNNConfig(vocab_size=9))) > 100_000
