"""A network of transformers in hand, with its tokenizer, is the victim that its folder is."""

from pathlib import Path

import numpy as np
import pytest
from attack_ground import save_ground
from transformers import AutoModel, AutoModelForSequenceClassification, AutoTokenizer

import unfooled as uf
from unfooled.errors import BadInput
from unfooled.victims import open_victim
from unfooled.victims.objects.hugging_face import HUGGING_FACE

TEXTS = [("the film was good",), ("a dull story",)]


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_ground(tmp_path_factory.mktemp("hugging face"), count=4)


def test_an_object_answers_as_its_folder_does(ground: Path, tmp_path: Path) -> None:
    folder = str(ground / "model")
    network = AutoModelForSequenceClassification.from_pretrained(folder).train()
    pair = (network, AutoTokenizer.from_pretrained(folder))
    victim, named = open_victim(pair), open_victim(folder)
    assert (victim.hash, victim.labels, victim.max_length) == (named.hash, named.labels, named.max_length)
    assert np.array_equal(victim.answer(TEXTS), named.answer(TEXTS)) and victim.slopes is not None
    assert network.training  # as it was
    results = uf.evaluate(pair, str(ground / "reviews.csv"), tmp_path / "out", ["clean"])
    assert "accuracy" in [row.metric for row in results.rows]


def test_classes_without_names_are_named_by_the_caller(ground: Path) -> None:
    folder = str(ground / "model")
    network = AutoModelForSequenceClassification.from_pretrained(folder, id2label={0: "LABEL_0", 1: "LABEL_1"})
    tokenizer = AutoTokenizer.from_pretrained(folder)
    assert open_victim((network, tokenizer), ["bad", "good"]).labels == ("bad", "good")
    assert open_victim((network, tokenizer)).labels == ("LABEL_0", "LABEL_1")


def test_a_network_alone_or_without_a_head_is_refused(ground: Path) -> None:
    network = AutoModel.from_pretrained(str(ground / "model"))
    with pytest.raises(BadInput, match="a BertModel reads tokens, and nobody said which; give .model, tokenizer."):
        open_victim(network)
    with pytest.raises(BadInput, match="BertModel, str. is no network with its tokenizer"):
        open_victim((network, "minilm"))
    with pytest.raises(BadInput, match="no linear classification layer"):
        open_victim((network, AutoTokenizer.from_pretrained(str(ground / "model"))))
    assert not HUGGING_FACE.takes(()) and not HUGGING_FACE.takes("folder")


def test_a_kind_that_is_not_known_is_told_which_are() -> None:
    for given, named in ((3, "int"), ((3, "a"), r"\(int, str\)")):
        with pytest.raises(
            BadInput, match=f"^{named} is no victim of a kind that is known. Known are: .*predict_proba"
        ):
            open_victim(given)
