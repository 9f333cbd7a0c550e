import csv
import json
from pathlib import Path

import pytest

from unfooled.data.contrast_sets import Member, contrast_set, is_contrast_set
from unfooled.data.sources import DataSettings
from unfooled.errors import BadInput

LABELS = ("negative", "positive")
COLUMNS = ["text", "label", "pair", "version"]
ROWS = [
    ["A good film.", "positive", "7", "original"],
    ["A bad film.", "negative", "7", "revised"],
    ["A dull book.", "negative", "8", "Original"],
    ["A fine book.", "positive", "8", "revised"],
    ["A grand book.", "positive", "8", "revised again"],
]


def save(path: Path, columns: list[str] = COLUMNS, rows: list[list[str]] = ROWS) -> DataSettings:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([columns, *rows])
    return DataSettings(source=str(path))


def test_members_have_their_group_their_version_and_the_models_label(tmp_path: Path) -> None:
    members, mark, notes = contrast_set(save(tmp_path / "set.csv"), ("positive", "negative"))
    assert members[0] == Member("7", True, ("A good film.",), 0)
    assert [member.original for member in members] == [True, False, True, False, False]
    assert [member.group for member in members] == ["7", "7", "8", "8", "8"]
    assert len(mark) == 64
    assert "guessed" in notes[0]


def test_folders_of_splits_label_names_and_pairs_are_read(tmp_path: Path) -> None:
    folder = tmp_path / "contrast"
    folder.mkdir()
    (folder / "meta.json").write_text(json.dumps({"labels": {"0": "negative", "1": "positive"}}))
    rows = [
        {"claim": "c", "perspective": f"p{place}", "label": place % 2, "set": place // 2, "version": version}
        for place, version in enumerate(["original", "contrast"] * 2)
    ]
    (folder / "test.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    members, _, _ = contrast_set(DataSettings(source=str(folder)), LABELS)
    assert [(member.texts, member.label) for member in members] == [
        (("c", f"p{place}"), place % 2) for place in range(4)
    ]


def test_rows_without_text_are_left_out_and_the_others_keep_their_groups(tmp_path: Path) -> None:
    rows = [ROWS[0], ["", "negative", "7", "revised"], *ROWS[1:]]
    members, _, notes = contrast_set(save(tmp_path / "set.csv", rows=rows), LABELS)
    assert [member.texts[0] for member in members] == [row[0] for row in ROWS]
    assert any("left out 1 row" in note for note in notes)


def test_a_limit_is_of_groups(tmp_path: Path) -> None:
    rows = [
        [f"text {place}", LABELS[place % 2], str(place // 2), "original" if place % 2 == 0 else "revised"]
        for place in range(40)
    ]
    settings = save(tmp_path / "set.csv", rows=rows)
    members, mark, _ = contrast_set(settings, LABELS, limit=5, seed=1)
    assert len(members) == 10 and len({member.group for member in members}) == 5
    assert mark == contrast_set(settings, LABELS)[1]  # the hash is of the whole
    assert (
        members
        == contrast_set(settings, LABELS, limit=5, seed=1)[0]
        != contrast_set(settings, LABELS, limit=5, seed=2)[0]
    )


@pytest.mark.parametrize(
    ("columns", "rows", "message"),
    [
        (["text", "label"], [row[:2] for row in ROWS], "no column says which texts belong together.*called pair"),
        (COLUMNS[:3], [row[:3] for row in ROWS], "no column says which of them is the original.*called version"),
        (COLUMNS, [[*ROWS[0][:2], "", "original"], *ROWS[1:]], "row 2, column pair: is empty"),
        (COLUMNS, [[*row[:3], "revised"] for row in ROWS], "group 7 of the contrast set has no original"),
        (COLUMNS, [[*row[:3], "original"] for row in ROWS], "group 7 of the contrast set has two originals"),
        (COLUMNS, [[row[0], "sport", *row[2:]] for row in ROWS], "not those of the model"),
        (COLUMNS, [["", *row[1:]] for row in ROWS], "no usable row"),
    ],
)
def test_what_is_no_contrast_set_is_one_sentence(
    tmp_path: Path, columns: list[str], rows: list[list[str]], message: str
) -> None:
    with pytest.raises(BadInput, match=message):
        contrast_set(save(tmp_path / "set.csv", columns, rows), LABELS)


def test_a_missing_split_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="has no validation split"):
        contrast_set(save(tmp_path / "set.csv"), LABELS, split="validation")


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (COLUMNS, True),
        (["Text", "Label", "Group ID", "Version"], True),
        (["text", "label", "pair", "x"], False),
        (["text", "label", "x", "version"], False),
    ],
)
def test_columns_tell_a_contrast_set(tmp_path: Path, columns: list[str], expected: bool) -> None:
    assert is_contrast_set(save(tmp_path / "set.csv", columns)) is expected
