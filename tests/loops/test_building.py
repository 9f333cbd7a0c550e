"""A network's head says what it is asked; labels and methods that do not fit it are refused in a sentence."""

from pathlib import Path
from typing import Any

import pytest
import torch
from loop_ground import dataset_of, model_of, trainer_of
from support import tiny_network
from transformers import BertConfig, BertForQuestionAnswering, BertForTokenClassification

import unfooled as uf
from unfooled.errors import BadInput
from unfooled.loops.building import chosen_method, label_tensor, longest, task_of, training_set, wants_texts
from unfooled.tasks import TASKS

NAMES = ("negative", "positive")


@pytest.mark.parametrize("kind", [BertForQuestionAnswering, BertForTokenClassification])
def test_other_heads_are_refused(kind: Any) -> None:
    config = BertConfig(vocab_size=9, hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8)
    with pytest.raises(BadInput, match=f"{kind.__name__} answers no text with a label; methods train an AutoModelFor"):
        task_of(kind(config))


def test_a_head_is_known_by_its_problem_or_its_labels() -> None:
    network = tiny_network(classes=3)
    assert task_of(network).name == "classification"
    network.config.problem_type = "multi_label_classification"
    assert task_of(network).name == "multilabel"
    assert task_of(tiny_network(classes=1)).name == "regression"


@pytest.mark.parametrize(
    ("task", "values", "sentence"),
    [
        ("classification", ["positive", "postive"], "the model has no label postive; did you mean positive?"),
        ("classification", [0, 2], r"row 1 has the label 2, and the model has 2 labels \(negative, positive\); number"),
        ("classification", [0, -100], "row 1 has the label -100"),
        ("classification", [0.5, 1.0], 'a label is 0.5, and the model is of one class a text; .*"regression"'),
        ("regression", [0.5, "much"], "the model is a model of numbers, and not every row's label is a number; mend"),
        ("multilabel", [[0, 1], [1]], "a model of sets of labels, and not every row's label is a 0 or 1 for each of 2"),
    ],
)
def test_labels_that_do_not_fit_are_refused(task: str, values: list[Any], sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        label_tensor(values, TASKS[task], NAMES)


def test_labels_become_what_a_loss_takes() -> None:
    assert label_tensor(["positive", 0, torch.tensor(1)], TASKS["classification"], NAMES).tolist() == [1, 0, 1]
    assert label_tensor([0.5, 2], TASKS["regression"], ("score",)).tolist() == [0.5, 2.0]
    assert label_tensor([[0, 1.0], [1, 1]], TASKS["multilabel"], NAMES).tolist() == [[0, 1], [1, 1]]


def test_rows_that_a_method_adds_come_last_with_the_label_of_their_original() -> None:
    texts = [("the film was good",), ("a dull story",)]
    for name, labels in (("classification", [1, 0]), ("multilabel", [[1, 1], [0, 1]])):
        known = training_set(uf.Augment(copies=2), TASKS[name], NAMES, labels, texts, seed=0)
        assert known.originals == 2 < len(known.labels) == len(known.texts)
        assert {str(label) for label in known.labels[2:].tolist()} <= {
            str(label) for label in known.labels[:2].tolist()
        }
    with pytest.raises(BadInput, match="2 texts have 1 labels; give one label for each text"):
        training_set(uf.Augment(), TASKS["classification"], NAMES, [1], texts, seed=0)


def test_texts_are_asked_for_by_those_who_change_them() -> None:
    wanting = {name for name in uf.METHODS if wants_texts(uf.METHODS[name]())}
    assert wanting == {"augment", "adversarial_text", "worst_words"}


def test_a_method_for_other_tasks_is_refused() -> None:
    with pytest.raises(BadInput, match="smart is a method for classification, and the model is a model of numbers; ch"):
        chosen_method("smart", TASKS["regression"])
    with pytest.raises(BadInput, match="there is no method called frelb; did you mean freelb?"):
        chosen_method("frelb", TASKS["classification"])


def test_a_text_is_cut_where_tokenizer_and_network_end(tmp_path: Path) -> None:
    model = model_of(tmp_path)
    network = model.classifier.network
    assert [longest(model.tokenizer, network, wanted) for wanted in (None, 8, 999)] == [32, 8, 32]


@pytest.mark.parametrize(("problem", "labels"), [("regression", [0.5]), ("multi_label_classification", [[1.0, 0.0]])])
def test_numbers_and_sets_of_labels_are_trained_too(problem: str, labels: list[Any], tmp_path: Path) -> None:
    from transformers import AutoModelForSequenceClassification

    model = model_of(tmp_path)
    count = len(labels[0]) if isinstance(labels[0], list) else 1
    network = AutoModelForSequenceClassification.from_pretrained(
        tmp_path / "encoder", num_labels=count, problem_type=problem
    )
    rows = [{**row, "labels": labels[0]} for row in dataset_of(model)]
    trainer = trainer_of(
        "freelb", tmp_path, type(model)(type(model.classifier)(network), model.tokenizer, ("a",) * count, 32, "tiny"),
        train_dataset=rows, eval_strategy="no", max_steps=12, learning_rate=1e-2, train_sampling_strategy="random",
    )  # fmt: skip
    trainer.train()
    losses = [line["loss"] for line in trainer.state.log_history if "loss" in line]
    assert losses[-1] < losses[0] / 2
