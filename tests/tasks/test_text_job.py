"""The parts tasks share; whole jobs are tested task by task."""

from pathlib import Path
from typing import ClassVar

import pytest
import torch
from tiny import save_encoder

from unfooled.data.columns import Columns
from unfooled.data.datasets import Dataset
from unfooled.data.splits import Split
from unfooled.evaluation.metrics import Score, proportion
from unfooled.methods import Finetune
from unfooled.methods.objective import Additions, TrainingRows
from unfooled.models import ModelSettings, build
from unfooled.recipe.config import recipe_from
from unfooled.tasks.text_job import answers_on, cut_note, enlarged, judges
from unfooled.tokens import encode
from unfooled.training import Processes
from unfooled.training.run_folder import State


class Doubling(Finetune):
    """Adds every text again, in capitals, last row first."""

    tasks: ClassVar = ("classification",)

    def more_rows(self, known: TrainingRows) -> Additions:
        rows = range(len(known.texts))[::-1]
        texts = [tuple(text.upper() for text in known.texts[row]) for row in rows]
        return Additions(texts, list(rows), f"doubled, free {known.free}", {"seen": list(known.labels)})


def test_added_rows_take_the_labels_of_the_rows_they_were_made_of() -> None:
    recipe = recipe_from({"data": "x"}).model_copy(update={"method": Doubling()})
    split = Split([("a", "b"), ("c", "d")], [1, 0])
    found = enlarged(recipe, split, ("no", "yes"))
    assert found.train.texts == [("a", "b"), ("c", "d"), ("C", "D"), ("A", "B")]
    assert found.train.labels == [1, 0, 0, 1] and found.notes == ("doubled, free (0, 1)",)
    assert found.facts == {"added_rows": 2, "seen": ["yes", "no"]}
    other = enlarged(recipe, Split([("a", "b"), ("c", "e")], [1, 0]), ("no", "yes"))
    assert other.stands_on.keys() == {"added_rows_hash"} and other.stands_on != found.stands_on


def test_a_method_that_adds_nothing_leaves_the_split_as_it_is() -> None:
    split = Split([("a",)], [0])
    found = enlarged(recipe_from({"data": "x"}), split, ("no", "yes"))
    assert found.train is split and not found.notes and not found.facts and not found.stands_on


def test_weights_are_chosen_by_validation_though_there_is_a_test_split() -> None:
    sizes = {"train": 9, "validation": 4, "test": 7}
    splits = {name: Split([(name,)] * size, [0] * size) for name, size in sizes.items()}
    dataset = Dataset("x", splits, ("no",), Columns(("text",), "label"), "", "", ())

    def scored(read: list[str], truth: Split) -> dict[str, Score]:
        return {f"of {read[0]}": proportion(len(read), 10, "") for _ in truth.texts}

    look, scores = judges(dataset, lambda split: [texts[0] for texts in split.texts], scored, "of validation")
    assert look().scores == {"of validation": 0.4} and look().best_by == "of validation"
    assert {name: score.value for name, score in scores(State()).items()} == {
        "validation of validation": 0.4,
        "test of test": 0.7,
    }


@pytest.mark.parametrize("batch_size", [1, 3, 64])
def test_answers_stand_in_the_order_of_the_texts(tmp_path: Path, batch_size: int) -> None:
    model = build(ModelSettings(name=str(save_encoder(tmp_path / "encoder"))), ("a", "b", "c"), 0)
    texts = ["the film", "a very good story and it was warm", "dull", "the plot of the film is bad"]
    found = answers_on(model, encode(model.tokenizer, texts, 32), 3, Processes(), batch_size)
    model.classifier.train(False)
    for row, text in enumerate(texts):
        given = model.tokenizer(text, return_tensors="pt")
        with torch.no_grad():
            expected = model.classifier.network(**given).logits[0].double()
        assert torch.allclose(found[row], expected, atol=1e-6)


def test_two_processes_share_a_split_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = build(ModelSettings(name=str(save_encoder(tmp_path / "encoder"))), ("a", "b"), 0)
    encoded = encode(model.tokenizer, ["the film", "a good story", "dull", "it is bad"], 32)
    whole = answers_on(model, encoded, 2, Processes(), 1)
    monkeypatch.setattr(Processes, "add_up", lambda self, values: values)
    parts = []
    for rank in range(2):
        mine = Processes()
        mine.rank, mine.count = rank, 2
        parts.append(answers_on(model, encoded, 2, mine, 1))
    assert all((part == 0).all(dim=1).sum() == 2 for part in parts)
    assert torch.equal(parts[0] + parts[1], whole)


def test_texts_at_the_longest_input_are_counted(tmp_path: Path) -> None:
    model = build(ModelSettings(name=str(save_encoder(tmp_path / "encoder")), max_length=5), ("a", "b"), 0)
    encoded = encode(model.tokenizer, ["film", "the film was very good", "a"], model.max_length)
    assert cut_note(encoded, model) == ("1 of 3 train texts reach 5 tokens and are cut there",)
    assert cut_note(encode(model.tokenizer, ["film"], 5), model) == ()
