"""Trials of language models and translators: numbers are those of the parts, and a second call computes nothing."""

import json

import pytest
import torch
from tiny import save_encoder
from typer.testing import CliRunner

import unfooled as uf
from sequences import save_pairs, save_text, sentences
from unfooled.cli.main import app
from unfooled.commands import language
from unfooled.commands.language import evaluate_language, kind_of
from unfooled.data.segments import Segments
from unfooled.data.vocabulary import byte_pairs, marked, word_vocabulary
from unfooled.errors import BadInput
from unfooled.evaluation.language_results import LANGUAGE_TRIALS
from unfooled.evaluation.language_trials import word_mover
from unfooled.evaluation.perplexity import surprise
from unfooled.evaluation.translations import Search, translate
from unfooled.models.encoders.pretrained import ModelSettings
from unfooled.models.sequences.sequence_model import (
    load_language_model,
    load_translator,
    new_language_model,
    new_translator,
    save_sequences,
)

SIZES = {"layers": 1, "width": 16, "heads": 2, "inner_width": 20, "head_width": 6}


def wide(model, folder):
    """Saved with weights that are drawn wide, so that outputs depend on inputs."""
    random = torch.Generator().manual_seed(0)
    for parameter in model.model.parameters():
        if parameter.requires_grad:
            parameter.data = 0.3 * torch.randn(parameter.shape, generator=random)
    save_sequences(model, folder, "")
    return str(folder)


@pytest.fixture(scope="module")
def ground(tmp_path_factory):
    root = tmp_path_factory.mktemp("ground")
    settings = ModelSettings(name="tensorized", max_length=8, sizes=SIZES)
    translators = ModelSettings(name="transformer", max_length=32, sizes=SIZES)
    pieces = byte_pairs(sentences(60), 310)
    return {
        "lm": wide(new_language_model(settings, word_vocabulary(sentences(60)), 0), root / "lm"),
        "translator": wide(new_translator(translators, pieces, pieces, 0), root / "translator"),
        "text": str(save_text(root / "text")),
        "pairs": {"source": str(save_pairs(root / "pairs")), "text": "en", "label": "de"},
        "encoder": str(save_encoder(root / "encoder")),
    }


def test_what_a_folder_holds_is_read_off_its_configuration(ground):
    found = [kind_of(ground[name]) for name in ("lm", "translator", "encoder")]
    assert found == ["lm", "translation", None]


def test_perplexity_is_that_of_the_parts_clean_and_perturbed(ground, tmp_path):
    (found,) = evaluate_language([ground["lm"]], ground["text"], tmp_path, ["perplexity"], {"radii": (0.5, 2.0)})
    model = load_language_model(ground["lm"])
    with open(f"{ground['text']}/test.txt") as file:
        lines = file.read().splitlines()
    text = Segments(marked(model.tokenizer, lines, model.closing), 8, model.ending, 64, seed=0)
    for name, radius in (("clean", None), ("perturbed by 0.5", 0.5), ("perturbed by 2", 2.0)):
        moved = None if radius is None else word_mover(model.model, radius)
        some = surprise(model.model, text.in_order(), torch.device("cpu"), moved=moved)
        assert found.scores[name].value == pytest.approx(some.perplexity(some.tokens, "").value, rel=1e-6)
    assert found.scores["perturbed by 2"].value > found.scores["clean"].value


def test_neighbours_and_continuations_are_texts(ground, tmp_path):
    told = {"words": "dog, cat", "texts": 4, "count": 2, "radius": 3.0}
    trials = ["neighbours", "continuation"]
    near, written = evaluate_language([ground["lm"]], ground["text"], tmp_path, trials, told)
    assert [text["word"] for text in near.texts] == ["dog", "cat"] and len(near.texts[0]["nearest"]) == 4
    assert 0 < len(written.texts) <= 4 and written.scores["perplexity"].value > 1
    stored = json.loads((tmp_path / "summary.json").read_text())
    assert [row["trial"] for row in stored["rows"]] == ["neighbours", "continuation"]


def test_a_second_call_reads_what_the_first_found(ground, tmp_path, monkeypatch):
    first = evaluate_language([ground["lm"]], ground["text"], tmp_path)
    assert [each.trial for each in first] == ["perplexity", "continuation"]
    monkeypatch.setattr(language, "surprise", None)
    second = evaluate_language([ground["lm"]], ground["text"], tmp_path)
    assert [dict(each.scores) for each in second] == [dict(each.scores) for each in first]
    with pytest.raises(BadInput, match="was found with another model, other data or settings"):
        evaluate_language([ground["lm"]], ground["text"], tmp_path, settings={"radii": (9.0,)})


def test_translations_are_scored_and_stand_side_by_side(ground, tmp_path):
    trials = ["quality", "side_by_side"]
    scored, sides = evaluate_language([ground["translator"]], ground["pairs"], tmp_path, trials, {"texts": 2}, limit=3)
    model = load_translator(ground["translator"])
    sources = [row["source"] for row in scored.texts]
    assert [row["written"] for row in scored.texts] == translate(model, sources, Search(beams=4))
    assert len(sources) == 3 and set(scored.scores) == {"given BLEU", "given chrF"}
    assert len(sides.texts) == 2 and set(sides.texts[0]["perturbed"]) == {ground["translator"]}


@pytest.mark.parametrize(
    ("models", "trials", "sentence"),
    [
        ((), None, "no model was named"),
        (("encoder",), None, "neither a language model nor a translator"),
        (("lm", "translator"), None, "is a translator and .* is not; evaluate them apart"),
        (("lm",), ["quality"], "no trial called quality of a language model"),
    ],
)
def test_what_cannot_be_measured_is_said(ground, tmp_path, models, trials, sentence):
    with pytest.raises(BadInput, match=sentence):
        evaluate_language([ground[name] for name in models], ground["text"], tmp_path, trials)


def test_texts_without_known_words_are_said(ground, tmp_path):
    for split in ("train", "validation", "test"):
        (tmp_path / f"{split}.txt").write_text("qqq zzz\n")
    with pytest.raises(BadInput, match="no text has a complete word"):
        evaluate_language([ground["lm"]], str(tmp_path), tmp_path / "out", ["perplexity"])
    with pytest.raises(BadInput, match="every word of 'qqq zzz' is unknown"):
        evaluate_language([ground["lm"]], str(tmp_path), tmp_path / "out", ["continuation"])
    with pytest.raises(BadInput, match="has no split called nothing"):
        evaluate_language([ground["lm"]], ground["text"], tmp_path / "out", split="nothing")


def test_the_table_of_trials_is_the_one_that_readers_have():
    assert {kind: tuple(trials) for kind, trials in language.TRIALS.items()} == LANGUAGE_TRIALS


def test_files_say_what_they_are_of_and_older_ones_are_taken_up(ground, tmp_path):
    evaluate_language([ground["lm"]], ground["text"], tmp_path, ["neighbours"], {"words": "dog"}, limit=5)
    (path,) = tmp_path.glob("*/neighbours.json")
    stored = json.loads(path.read_text())
    assert (stored["data"], stored["split"], stored["examples"]) == (ground["text"], "test", 5)
    assert "torch" in stored["versions"]
    old = {name: value for name, value in stored.items() if name not in ("data", "split", "examples", "versions")}
    path.write_text(json.dumps(old))
    (again,) = evaluate_language([ground["lm"]], ground["text"], tmp_path, ["neighbours"], {"words": "dog"}, limit=5)
    assert list(again.texts) == stored["texts"] and json.loads(path.read_text()) == old


def test_it_is_a_public_name():
    assert uf.evaluate_language is evaluate_language


def test_the_command_line_measures_them_too(ground, tmp_path):
    told = ["--trials", "perplexity,neighbours", "--set", "words=dog", "--set", "radii=0.5", "--out", str(tmp_path)]
    found = CliRunner().invoke(app, ["evaluate", ground["lm"], "--data", ground["text"], *told])
    assert found.exit_code == 0, found.output
    assert "perplexity: clean" in found.output and "perturbed by 0.5" in found.output and "  dog  " in found.output
    stored = json.loads((tmp_path / "summary.json").read_text())
    assert [row["trial"] for row in stored["rows"]] == ["perplexity", "neighbours"]
