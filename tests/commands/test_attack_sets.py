"""Attacks on a model of sets of labels, from folder to folder: every claim is asked again by plain transformers."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from heads_ground import dialogues, logits, save_data, save_head, says_at_least_one
from sklearn.metrics import f1_score
from task_ground import written
from toys import essence
from typer.testing import CliRunner

import unfooled as uf
from unfooled.cli.main import app
from unfooled.data.splits import Split
from unfooled.errors import BadInput
from unfooled.text.document import read

NAMES = ("bad", "good", "warm")


def told(folder: str, texts: list[Any], at_least_one: bool = False) -> list[list[str]]:
    """The sets that plain transformers says."""
    found = []
    for row in logits(folder, texts):
        some = [name for name, logit in zip(NAMES, row, strict=True) if logit >= 0]
        found.append(some or ([NAMES[int(np.argmax(row))]] if at_least_one else []))
    return found


def answered(folder: str, path: Path, at_least_one: bool = False) -> str:
    """Dialogues whose sets are the model's own answers, but for every fifth."""
    dialogues(path, [["bad"]])
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    texts = [("\n".join(row["dialogue"]), "Speaker 1; Monica Film") for row in rows]
    for number, (row, own) in enumerate(zip(rows, told(folder, texts, at_least_one), strict=True)):
        row["relations"][0]["r"] = own if number % 5 else ["bad", "good", "warm"]
    return written(path, rows)


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("sets")
    found = {
        "set": save_head(folder, "multilabel", seed=3, labels=NAMES),
        "least": save_head(folder, "multilabel", seed=9, name="least", labels=NAMES, bias=-1.5),  # reaches 1/2 nowhere
    }
    says_at_least_one(found["least"])
    found["data"] = answered(found["set"], folder / "dialogues.jsonl")
    found["least data"] = answered(found["least"], folder / "least.jsonl", True)
    return found


@pytest.mark.parametrize("model", ["set", "least"])
def test_every_adversary_turns_a_set_that_was_right(ground: dict[str, str], tmp_path: Path, model: str) -> None:
    data = ground["data" if model == "set" else "least data"]
    found = uf.attack(ground[model], data, "pwws", tmp_path, similarity=None)
    records = found.records
    assert len(records) == 20 and {"fooled", "already wrong"} <= {record.outcome for record in records}
    assert found.header.labels == NAMES and found.header.task == "multilabel" and found.header.trial == "pwws"
    before = told(ground[model], [record.texts for record in records], model == "least")
    last = [record.adversary or record.texts for record in records]
    after = told(ground[model], last, model == "least")
    for record, first, then in zip(records, before, after, strict=True):
        assert record.sets is not None and list(record.sets.before or ()) == first
        assert (record.outcome == "already wrong") == (set(record.sets.right) != set(first))
        if record.outcome == "fooled":
            assert list(record.sets.after or ()) == then and set(then) != set(record.sets.right)
    sides = [[[name in some for name in NAMES] for some in side] for side in (before, after)]
    right = [[name in record.sets.right for name in NAMES] for record in records if record.sets]
    for metric, side in zip(("clean_f1", "f1_under_attack"), sides, strict=True):
        assert found.scores[metric].value == pytest.approx(f1_score(np.array(right), np.array(side), average="micro"))
    held = np.mean([one == two for one, two in zip(sides[1], right, strict=True)])
    assert found.scores["accuracy_under_attack"].value == pytest.approx(held)
    assert found.scores["accuracy_under_attack"].definition.endswith("right is a set said exactly")
    verified = uf.verify(tmp_path)
    assert verified.holds and verified.checked == sum(record.outcome == "fooled" for record in records)


@pytest.mark.parametrize("attack", ["pwws", "deepwordbug", "random"])
def test_pairs_and_speakers_are_never_edited(ground: dict[str, str], attack: str) -> None:
    found = uf.attack(ground["set"], ground["data"], attack, similarity=None)
    fooled = [record for record in found.records if record.outcome == "fooled"]
    assert fooled
    for record in fooled:
        assert record.adversary is not None and record.adversary[1] == record.texts[1]
        old, new = record.texts[0], record.adversary[0]
        assert new.startswith("Speaker 1: ") and "\nSpeaker 2: " in new and "Monica's" in new
        assert new.lower().count("film") == old.lower().count("film")
        words = read(old).words
        assert all(words[change.place] == change.old for change in record.changes)


def test_an_attack_that_was_broken_off_goes_on(ground: dict[str, str], tmp_path: Path) -> None:
    whole = uf.attack(ground["set"], ground["data"], "pwws", tmp_path / "whole", similarity=None)
    uf.attack(ground["set"], ground["data"], "pwws", tmp_path / "broken", similarity=None)
    [log] = (tmp_path / "broken").glob("*/pwws/examples.jsonl")
    log.write_bytes(log.read_bytes()[: len(log.read_bytes()) // 2])
    again = uf.attack(ground["set"], ground["data"], "pwws", tmp_path / "broken", similarity=None)
    assert [essence(one) for one in again.records] == [essence(one) for one in whole.records]
    assert [one.sets for one in again.records] == [one.sets for one in whole.records]
    assert again.scores == whole.scores


def test_false_claims_are_found(ground: dict[str, str], tmp_path: Path) -> None:
    found = uf.attack(ground["set"], ground["data"], "pwws", tmp_path, similarity=None)
    claim = next(record for record in found.records if record.outcome == "fooled")
    [log] = tmp_path.glob("*/pwws/examples.jsonl")
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    for line in lines[1:]:
        if line["index"] == claim.index:
            line["sets"]["right"] = list(claim.sets.after or ()) if claim.sets else []
    log.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert claim.index in uf.verify(tmp_path).disagreeing
    for line in lines[1:]:
        if line["index"] == claim.index:
            line["sets"]["right"] = ["a stranger"]
    log.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert claim.index in uf.verify(tmp_path).disagreeing


def test_sets_may_be_given_by_number(ground: dict[str, str]) -> None:
    text = ("Speaker 1: a fine film.\nSpeaker 2: it was lovely.", "film")
    (own,) = told(ground["set"], [text])
    given = Split([text], [tuple(NAMES.index(name) for name in own)])
    (record,) = uf.attack(ground["set"], given, "pwws", similarity=None).records
    assert record.outcome != "already wrong" and record.sets is not None and list(record.sets.right) == own


def test_the_command_line_attacks_them_too(ground: dict[str, str], tmp_path: Path) -> None:
    given = ["attack", ground["set"], "--data", ground["data"], "--similarity", "none", "--limit", "8"]
    found = CliRunner().invoke(app, [*given, "--out", str(tmp_path), "--allow-no-candidates"])
    assert found.exit_code == 0, found.output
    assert "micro F1 under attack" in found.output and "clean accuracy" in found.output


def test_what_cannot_be_attacked_is_one_sentence(ground: dict[str, str], tmp_path: Path) -> None:
    data = save_data(tmp_path)
    number = save_head(tmp_path, "regression")
    with pytest.raises(BadInput, match="is a model of numbers; attacks are for a classifier or a model of sets of"):
        uf.attack(number, data["regression"], "pwws")
    with pytest.raises(BadInput, match="fooled into any other set; leave the target out"):
        uf.attack(ground["set"], ground["data"], "pwws", tmp_path / "out", target="good")
    with pytest.raises(BadInput, match="says sets of labels; attack it on texts whose sets are known"):
        uf.attack_text(ground["set"], "A fine film.")
    with pytest.raises(BadInput, match="holds .*, not a list of labels"):
        uf.attack(ground["set"], data["regression"], "pwws", tmp_path / "out")
    other = save_head(tmp_path, "multilabel", labels=("friend", "boss"))
    with pytest.raises(BadInput, match="are not those of the model"):
        uf.attack(other, ground["data"], "pwws", tmp_path / "out")
    assert not (tmp_path / "out").exists()
