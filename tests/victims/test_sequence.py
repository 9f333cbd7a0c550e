"""Language models and translators are told by their config, and opened by their folder."""

import json
from pathlib import Path

import pytest

from sequences import save_language_model, save_translator
from unfooled.errors import BadInput
from unfooled.models.sequences.sequence_model import load_language_model
from unfooled.victims import open_victim
from unfooled.victims.sequence import SEQUENCE, task_of

KINDS = [
    ({"architectures": ["MarianMTModel"], "is_encoder_decoder": True}, "translation"),
    ({"architectures": ["T5ForConditionalGeneration"], "is_encoder_decoder": True}, "translation"),
    ({"architectures": ["GPT2LMHeadModel"]}, "lm"),
    ({"architectures": ["LlamaForCausalLM"]}, "lm"),
    ({"architectures": ["Tensorized"]}, "lm"),
    ({"architectures": ["BertForSequenceClassification"]}, None),
    ({"architectures": None}, None),
    ([], None),
    ("no JSON", None),
]


@pytest.mark.parametrize(("config", "task"), KINDS)
@pytest.mark.parametrize("inside", [".", "model"])
def test_a_folders_config_says_what_its_model_writes(tmp_path: Path, config: object, task: str, inside: str) -> None:
    (tmp_path / inside).mkdir(exist_ok=True)
    (tmp_path / inside / "config.json").write_text("{" if config == "no JSON" else json.dumps(config))
    assert task_of(tmp_path) == task_of(str(tmp_path)) == task
    assert SEQUENCE.takes(tmp_path) == (task is not None)


def test_what_is_no_folder_is_no_such_model(tmp_path: Path) -> None:
    assert task_of(tmp_path) is None and task_of("bert-base-uncased") is None and not SEQUENCE.takes(len)


def test_both_kinds_are_opened_and_say_no_classes(tmp_path: Path) -> None:
    folders = save_language_model(tmp_path / "lm"), save_translator(tmp_path / "translator")
    for folder, task, length in zip(folders, ("lm", "translation"), (16, 32), strict=True):
        victim = open_victim(str(folder))
        assert (victim.name, victim.task, victim.max_length, victim.labels) == (str(folder), task, length, ())
        assert victim.hash == victim.model.fingerprint() != ""
        with pytest.raises(BadInput, match="answers with words, not with classes"):
            victim.answer([("a text",)])
    assert open_victim(folders[0]).hash == load_language_model(str(folders[0])).fingerprint()
