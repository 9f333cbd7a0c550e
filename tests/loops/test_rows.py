"""Rows say their numbers through any collator that leaves them apart; what has no rows is refused."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from loop_ground import dataset_of, model_of, split, trainer_of
from torch.utils.data import IterableDataset
from transformers import DataCollatorWithPadding

from unfooled.errors import BadInput
from unfooled.loops.inputs import INDEX
from unfooled.loops.rows import NumberedCollator, NumberedRows, encoded_rows, label_column, text_columns
from unfooled.tokens import encode


class Endless(IterableDataset):
    def __iter__(self) -> Iterator[dict[str, Any]]:
        while True:
            yield {"input_ids": [2, 3], "labels": 0}


def test_a_dataset_without_numbers_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        BadInput, match="the training set is a Endless, whose rows have no numbers .* give one with a le"
    ):
        trainer_of("freelb", tmp_path, train_dataset=Endless())
    with pytest.raises(BadInput, match="the first row of the training set is tuple; rows must be dicts of input_ids"):
        trainer_of("freelb", tmp_path, train_dataset=[([2, 3], 0)])
    with pytest.raises(BadInput, match="is no row at all"):
        trainer_of("freelb", tmp_path, train_dataset=[])


def test_added_rows_come_last() -> None:
    rows = NumberedRows([{"a": 1}, {"a": 2}], [{"a": 3}])
    assert len(rows) == 3 and rows[2] == {"a": 3, INDEX: 2}
    assert rows.__getitems__([1, 2]) == [{"a": 2, INDEX: 1}, {"a": 3, INDEX: 2}]


def test_many_rows_of_a_dataset_of_the_hub_are_asked_for_at_once() -> None:
    from datasets import Dataset

    rows = NumberedRows(Dataset.from_dict({"a": [5, 6, 7]}), [{"a": 8}])
    assert rows.__getitems__([2, 0]) == [{"a": 7, INDEX: 2}, {"a": 5, INDEX: 0}]
    assert rows.__getitems__([3, 0]) == [{"a": 8, INDEX: 3}, {"a": 5, INDEX: 0}]


def test_a_collator_never_sees_the_numbers() -> None:
    def collate(rows: list[Any]) -> dict[str, torch.Tensor]:
        assert all(row.keys() == {"input_ids"} for row in rows)
        return {"input_ids": torch.tensor([row["input_ids"] for row in rows])}

    made = NumberedCollator(collate)([{"input_ids": [1], INDEX: 7}, {"input_ids": [2], INDEX: 3}])
    assert made[INDEX].tolist() == [7, 3] and made["input_ids"].tolist() == [[1], [2]]


def test_a_collator_that_joins_rows_is_refused(tmp_path: Path) -> None:
    def joined(rows: list[Any]) -> dict[str, torch.Tensor]:
        return {"input_ids": torch.tensor([[token for row in rows for token in row["input_ids"]]])}

    with pytest.raises(BadInput, match="the data collator makes 1 rows of 8; .* DataCollatorWithPadding"):
        trainer_of("freelb", tmp_path, data_collator=joined).train()
    with pytest.raises(BadInput, match="the data collator makes a list; methods need a dict of tensors by name"):
        NumberedCollator(lambda rows: rows)([{INDEX: 0}])


def test_a_collator_may_tokenise(tmp_path: Path) -> None:
    model = model_of(tmp_path)
    texts = [{"text": text, "labels": label} for (text,), label in zip(split().texts, split().labels, strict=True)]

    def collate(rows: list[Any]) -> Any:
        cut = model.tokenizer([row["text"] for row in rows], padding=True, return_tensors="pt")
        return {**cut, "labels": torch.tensor([row["labels"] for row in rows])}

    how = {"remove_unused_columns": False, "max_steps": 8, "data_collator": collate, "eval_strategy": "no"}
    for method in ("carl", "augment"):
        trainer = trainer_of(method, tmp_path, train_dataset=texts, **how)
        trainer.train()
        assert trainer.state.global_step == 8


def test_all_rows_are_read_through_the_collator(tmp_path: Path) -> None:
    model = model_of(tmp_path)
    padded = DataCollatorWithPadding(model.tokenizer)
    keep = ("input_ids", "token_type_ids", "attention_mask", "labels")
    rows = [{name: row[name] for name in keep} for row in dataset_of(model)]
    found, expected = (
        encoded_rows(NumberedRows(rows), NumberedCollator(padded), 0),
        encode(model.tokenizer, split().texts, 32),
    )
    for name in ("ids", "segments", "offsets"):
        assert np.array_equal(getattr(found, name), getattr(expected, name))


def test_columns_are_found_or_missed_in_a_sentence() -> None:
    rows = [{"idx": "7", "premise": "a b", "hypothesis": "c d", "label": 0}]
    assert label_column(rows, ["labels"]) == "label"
    assert text_columns(rows, None, "label", "x") == ("premise", "hypothesis")
    assert text_columns(rows, "premise", "label", "x") == ("premise",)
    with pytest.raises(BadInput, match=r"no column of labels \(it has a\); call it labels"):
        label_column([{"a": 1}], ["labels"])
    with pytest.raises(BadInput, match="train_dataset: no column nothing for text="):
        text_columns(rows, "nothing", "label", "x")
