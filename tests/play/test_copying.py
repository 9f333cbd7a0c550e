import json
import shlex
from dataclasses import replace
from pathlib import Path

from play_ground import SENTENCE
from results_ground import word_attack

from unfooled.play.copying import command, copies, line, python
from unfooled.play.players import Player, open_players

NASTY = 'it\'s "so" $(rm -rf /) `ls` \\ \n--label x\u202e'


def test_a_command_is_read_back_by_a_shell_as_it_was(plain: Player) -> None:
    words = shlex.split(command(plain, "pwws", NASTY))
    assert words == ["unfooled", "attack", plain.source, "--attack", "pwws", f"--text={NASTY}"]


def test_python_names_model_text_and_column(plain: Player) -> None:
    code = python(plain, "pwws", 0, (NASTY, "two"))
    call = next(part for part in code.splitlines() if "attack_text" in part)
    assert eval(call.partition("attack_text(")[2].partition(", attack=")[0]) == (plain.source, (NASTY, "two"))
    assert call.endswith('attack="pwws", column=0)') and code.isascii()


def test_a_line_is_a_row_of_data_with_the_label_of_its_original(plain: Player, models: Path) -> None:
    (record,) = word_attack(0, 1, 0)
    row = json.loads(line(plain, "pwws", record, ["positive"]))
    assert row["text"] == "a decent film, truly good" and row["label"] == "positive"
    pair = replace(record, texts=("one", "two"), adversary=("one", "three"))
    assert {"text1": "one", "text2": "three"}.items() <= json.loads(line(plain, "pwws", pair, ["positive"])).items()
    (sets,) = open_players([str(models / "sets")], print)
    assert json.loads(line(sets, "pwws", record, ["warm", "any"]))["label"] == ["warm", "any"]


def test_what_cannot_be_copied_says_why(plain: Player, models: Path) -> None:
    (record,) = word_attack(0, 1, 0)
    assert copies(plain, "pwws", 0, record, ["positive"])["note"] is None
    pair = copies(plain, "pwws", 0, replace(record, texts=(SENTENCE, "b"), adversary=(SENTENCE, "c")), ["positive"])
    assert pair["command"] is None and pair["python"] and "as Python" in pair["note"]
    (sets,) = open_players([str(models / "sets")], print)
    own = copies(sets, "pwws", 0, record, ["warm"])
    assert own["command"] is own["python"] is None and own["jsonl"] and own["note"]
