"""Translating from Python: one text or a stream, each line as soon as its batch is there."""

import pytest

import unfooled as uf
from sequences import save_text, save_translator
from unfooled.commands.translate import translate
from unfooled.errors import BadInput
from unfooled.models.sequences.sequence_model import load_translator
from unfooled.models.sequences.translate import BeamSearch
from unfooled.models.sequences.translate import translate as translated


def test_one_text_or_many_become_what_the_model_writes(tmp_path):
    folder = str(save_translator(tmp_path / "model"))
    texts = ["the dog ran", "a cat", "the old man"]
    for beams in (1, 3):
        expected = translated(load_translator(folder), texts, BeamSearch(beams=beams))
        assert list(translate(folder, texts, beams=beams, batch_size=2)) == expected
        assert list(translate(folder, texts[0], beams=beams)) == expected[:1]
    assert uf.translate is translate


def test_no_more_is_read_than_is_needed(tmp_path):
    folder, read = str(save_translator(tmp_path / "model")), []

    def lines():
        for number in range(100):
            read.append(number)
            yield "the dog"

    next(translate(folder, lines(), beams=1, batch_size=4))
    assert len(read) == 4


def test_what_does_not_translate_is_refused(tmp_path):
    sizes = {"layers": 1, "width": 8, "inner_width": 8, "head_width": 4}
    model = {"name": "tensorized", "max_length": 4, "sizes": sizes}
    run = uf.train(str(save_text(tmp_path / "text", 12)), tmp_path / "run", model, plan={"max_steps": 1}, task="lm")
    with pytest.raises(BadInput, match="is a language model, which does not translate"):
        translate(run.model, "a text")
    with pytest.raises(BadInput, match="setting beams = 0 cannot be used"):
        translate(str(save_translator(tmp_path / "model")), "a text", beams=0)
