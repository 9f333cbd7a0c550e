from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from attack_ground import save_ground, tiny_model
from toys import attacked, essence, known

from unfooled.attacks import PWWS, DeepWordBug, Limits
from unfooled.attacks.attack import Attack
from unfooled.heads import HEADS
from unfooled.models import ModelSettings, TextModel, build, load, probabilities
from unfooled.tokens import encode
from unfooled.victims import Victim, open_victim
from unfooled.victims.asking import answering
from unfooled.victims.network import NETWORK, Network, of_model

WORDS = {"good": ("fine", "bad"), "film": ("plot", "scene"), "story": ("actor",), "dull": ("grey", "bright")}


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_ground(tmp_path_factory.mktemp("victims"))


def sentences(count: int) -> list[tuple[str, ...]]:
    random = np.random.default_rng(0)
    words = [*WORDS, "the", "a", "was", "and"]
    return [(" ".join(random.choice(words, random.integers(2, 20))),) for _ in range(count)]


def softmax(logits: np.ndarray) -> np.ndarray:
    powers = np.exp(logits)
    return powers / powers.sum(axis=1, keepdims=True)


def test_a_model_answers_as_it_predicts_whatever_the_batch(ground: Path) -> None:
    model = tiny_model(ground)
    victim, texts = Network(model), sentences(40)
    expected = probabilities(model, texts)
    model.classifier.train(True)
    assert victim.lengths(texts) == encode(model.tokenizer, texts, 32).lengths.tolist() and len(victim.waiting) == 40
    assert np.allclose(softmax(victim(texts)), expected, atol=1e-6) and not victim.waiting
    assert np.allclose(softmax(np.concatenate([victim([text]) for text in texts])), expected, atol=1e-6)
    assert np.allclose(softmax(victim([texts[0], texts[0]])), expected[[0, 0]], atol=1e-6)
    assert model.classifier.training and victim.unknown == "[UNK]"
    assert all(parameter.grad is None for parameter in model.classifier.parameters())


def test_texts_that_are_read_alike_are_answered_once(ground: Path) -> None:
    model = tiny_model(ground)
    long = "good film " * 40  # only the first tokens are read
    texts = [(long + "good",), ("a zzz film",), (long + "dull",), ("a film",), ("a qqq film",)]  # two unknown words
    expected, victim = probabilities(model, texts), Network(model)
    asked, quick = [], victim.quick
    victim.__dict__["quick"] = lambda tokens: asked.append(len(tokens.ids)) or quick(tokens)
    assert np.allclose(softmax(victim(texts)), expected, atol=1e-6) and asked == [3]
    pairs = [("a film", "good"), ("a film good", "")]  # told apart by whose a token is
    victim(pairs)
    assert asked == [3, 2]


def padded(model: TextModel) -> Victim:
    """The model as a victim whose network is asked as transformers has it."""

    def call(texts: list[tuple[str, ...]]) -> np.ndarray:
        with torch.no_grad():
            return model.classifier(encode(model.tokenizer, texts, 32).pad(range(len(texts)))).logits.double().numpy()

    return replace(of_model(model), call=call)


def test_packed_or_padded_every_record_is_the_same(ground: Path) -> None:
    model, texts = tiny_model(ground), sentences(60)
    model.classifier.train(False)
    plain = padded(model)
    labels = [int(label) for label in plain.call(texts).argmax(axis=1)]
    np.testing.assert_allclose(of_model(model).call(texts), plain.call(texts), atol=1e-5)
    for attack in (PWWS(), DeepWordBug()):
        found = [attacked(attack, victim, texts, labels, parts=known(WORDS)) for victim in (of_model(model), plain)]
        assert [essence(one) for one in found[0]] == [essence(one) for one in found[1]]


def test_pairs_have_segments(ground: Path) -> None:
    model = tiny_model(ground)
    pairs = [("good film", "dull story"), ("a", "the was film film")]
    assert np.allclose(softmax(Network(model)(pairs)), probabilities(model, pairs), atol=1e-6)


def text_cnn(folder: Path) -> TextModel:
    settings = ModelSettings(name="textcnn", tokenizer=str(folder / "encoder"), max_length=32)
    return build(settings, ("no", "yes"), seed=0)


@pytest.mark.parametrize("attack", [PWWS(), PWWS(choose="again"), DeepWordBug()], ids=["pwws", "again", "deepwordbug"])
@pytest.mark.parametrize("kind", ["bert", "textcnn"])
def test_outcomes_do_not_depend_on_batches_with_real_networks(ground: Path, kind: str, attack: Attack) -> None:
    model = tiny_model(ground) if kind == "bert" else text_cnn(ground)
    texts = sentences(40)
    labels = [int(label) for label in probabilities(model, texts).argmax(axis=1)]
    runs = []
    for flying, size in ((1, 3), (8, 64), (64, 17)):
        limits = Limits(in_flight=flying, batch_size=size)
        found = attacked(attack, model, texts, labels, parts=known(WORDS), limits=limits)
        runs.append([essence(record) for record in found])
    assert runs[0] == runs[1] == runs[2]
    assert {"fooled", "held"} <= {run[1] for run in runs[0]}


def test_a_folder_and_a_model_can_be_opened(ground: Path) -> None:
    opened = open_victim(ground / "model")
    assert opened.labels == ("negative", "positive") and opened.hash == load(str(ground / "model")).fingerprint()
    assert open_victim(tiny_model(ground)).hash == opened.hash and opened.max_length == 32
    assert NETWORK.takes(str(ground)) and NETWORK.takes(ground) and not NETWORK.takes(len)


def test_a_model_is_known_by_name_hash_and_labels(ground: Path) -> None:
    model = tiny_model(ground)
    victim = open_victim(model)
    assert (victim.name, victim.hash, victim.labels) == (model.name, model.fingerprint(), model.labels)
    assert (victim.task, victim.takes_tuples, victim.unknown, victim.sets) == ("classification", True, "[UNK]", None)
    assert victim.logits and victim.temperature is None
    assert victim.model is victim.network and victim.model.classifier is model.classifier
    assert open_victim(victim) is victim


def test_answers_are_the_models_in_the_order_of_the_texts(ground: Path) -> None:
    model, texts = tiny_model(ground), sentences(13)
    for batch in (1, 4, 64):
        found = answering(open_victim(model), batch)(texts)
        np.testing.assert_allclose(found, probabilities(model, texts), atol=1e-6)


def test_a_model_of_sets_gives_every_label_its_own_probability(ground: Path) -> None:
    settings = ModelSettings(name="textcnn", tokenizer=str(ground / "encoder"), max_length=32)
    model, texts = build(settings, ("kin", "boss", "friend"), seed=0, head=HEADS["multilabel"]), sentences(5)
    victim = of_model(model)
    assert victim.task == "multilabel" and victim.sets is not None and victim.sets.names == model.labels
    encoded = encode(model.tokenizer, texts, 32)
    with torch.no_grad():
        logits = model.classifier.train(False)(encoded.pad(range(5))).logits.double()
    assert np.allclose(victim.answer(texts), 1 / (1 + np.exp(-logits.numpy())), atol=1e-6)
    assert victim.tried(texts[0]).classes == 3
    [record] = attacked(PWWS(), model, [("good film of the story", "good; film")], [()], parts=known(WORDS))
    assert record.words == 5 and record.sets is not None  # the first text of a pair, not the last
