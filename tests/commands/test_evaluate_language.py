"""Language models and translators are measured as any model: numbers are those of the parts, records go on per text."""

import json
import multiprocessing
import os
import random
import signal
import time
from pathlib import Path
from typing import Any

import pytest
import torch
from killed_evaluation import TRIALS, evaluate, evaluate_quietly
from tiny import save_encoder
from typer.testing import CliRunner

import unfooled as uf
from sequences import save_language_model, save_pairs, save_text, save_translator
from unfooled.cli.main import app
from unfooled.commands.gate import gate
from unfooled.commands.report import report
from unfooled.data.batches.segments import Segments
from unfooled.data.vocabulary import marked
from unfooled.errors import BadInput
from unfooled.journal import JOURNAL
from unfooled.models.sequences.sequence_model import load_language_model, load_translator
from unfooled.models.sequences.surprise import surprise
from unfooled.models.sequences.translate import BeamSearch, translate
from unfooled.results.log import read_log
from unfooled.scores.perplexity import Surprise
from unfooled.trials.inside.word_moves import word_mover

KILLS = 4


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    root = tmp_path_factory.mktemp("language")
    return {
        "lm": str(save_language_model(root / "lm")),
        "translator": str(save_translator(root / "translator")),
        "text": str(save_text(root / "text", lines=120)),
        "pairs": {"source": str(save_pairs(root / "pairs")), "text": "en", "label": "de"},
        "encoder": str(save_encoder(root / "encoder")),
    }


def logs_in(out: Path) -> dict[str, bytes]:
    """The bytes of each trial's log."""
    return {path.parent.name: path.read_bytes() for path in out.glob(f"*/*/{JOURNAL}")}


def test_perplexity_is_that_of_the_parts_clean_and_perturbed(ground: dict[str, Any], tmp_path: Path) -> None:
    radii = {"perplexity": {"radii": (0.5, 2.0)}}
    results = uf.evaluate(ground["lm"], ground["text"], tmp_path, ["perplexity"], settings=radii)
    found = {(row.metric, row.eps): row.score for row in results.rows}
    model = load_language_model(ground["lm"])
    lines = Path(ground["text"], "test.txt").read_text().splitlines()
    text = Segments(marked(model.tokenizer, lines, model.closing), 16, model.ending, 64, seed=0)
    for metric, radius in (("perplexity", None), ("perplexity_under_attack", 0.5), ("perplexity_under_attack", 2.0)):
        moved = None if radius is None else word_mover(model.model, radius)
        some = Surprise(*surprise(model.model, text.in_order(), torch.device("cpu"), moved=moved))
        expected = some.perplexity(some.tokens, "")
        for end in ("value", "low", "high"):
            assert getattr(found[metric, radius], end) == pytest.approx(getattr(expected, end), rel=1e-6)
    assert found["perplexity_under_attack", 2.0].value > found["perplexity", None].value
    assert results.trials[0].header.examples == len(lines) and results.trials[0].header.unit == "line"


def test_neighbours_and_continuations_are_texts(ground: dict[str, Any], tmp_path: Path) -> None:
    told = {"neighbours": {"words": "dog, cat"}, "continuation": {"most": 4, "count": 2, "radius": 3.0}}
    results = uf.evaluate(ground["lm"], ground["text"], tmp_path, list(told), settings=told)
    near, written = results.trials
    assert [one.word for one in near.records] == ["dog", "cat"] and len(near.records[0].nearest) == 4
    assert 0 < len(written.records) <= 4
    assert {row.metric: row.score.value for row in written.rows}["continued_perplexity"] > 1
    stored = json.loads((tmp_path / "summary.json").read_text())
    [model] = stored["models"].values()
    assert list(model["trials"]) == ["neighbours", "continuation"] and stored["task"] == "lm"


def test_a_second_call_reads_what_the_first_found(
    ground: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = uf.evaluate(ground["lm"], ground["text"], tmp_path)
    assert [one.trial for one in first.trials] == ["perplexity", "continuation"]  # what the suite has for such models
    monkeypatch.setattr("unfooled.models.sequences.surprise.token_losses", None)
    monkeypatch.setattr("unfooled.trials.inside.word_moves.continued", None)
    assert uf.evaluate(ground["lm"], ground["text"], tmp_path) == first
    with pytest.raises(BadInput, match=r"differs in settings.radii \(0.03, 1.0, 3.0 there, 9.0 now\)"):
        uf.evaluate(ground["lm"], ground["text"], tmp_path, settings={"perplexity": {"radii": (9.0,)}})
    with pytest.raises(BadInput, match="differs in data_hash"):
        uf.evaluate(ground["lm"], ground["text"], tmp_path, split="validation")


def test_translations_are_scored_and_stand_side_by_side(ground: dict[str, Any], tmp_path: Path) -> None:
    told = {"quality": {}, "side_by_side": {"most": 2}}
    results = uf.evaluate(ground["translator"], ground["pairs"], tmp_path, list(told), settings=told, limit=3)
    scored, sides = results.trials
    sources = [one.source for one in scored.records]
    expected = translate(load_translator(ground["translator"]), sources, BeamSearch(beams=4))
    assert [one.written for one in scored.records] == expected
    assert len(sources) == 3 and [row.metric for row in scored.rows] == ["BLEU", "chrF"]
    assert len(sides.records) == 2 and [one.clean for one in sides.records] == expected[:2]
    header = scored.header
    assert (header.data, header.examples, header.task) == (ground["pairs"]["source"], 3, "translation")
    assert "torch" in header.versions


@pytest.mark.parametrize(
    ("models", "trials", "sentence"),
    [
        ((), None, "no model was named"),
        (("lm", "translator"), None, "is a translator and .* is a language model; evaluate them apart"),
        (("lm",), ["quality"], "quality is no trial of a language model, which goes through perplexity, neighbours"),
        (("translator",), ["pwws"], "pwws is no trial of a translator, which goes through quality, side_by_side"),
        (("lm",), ["perplexitty"], "there is no trial called perplexitty; did you mean perplexity"),
    ],
)
def test_what_cannot_be_measured_is_said(
    ground: dict[str, Any], tmp_path: Path, models: tuple[str, ...], trials: list[str] | None, sentence: str
) -> None:
    with pytest.raises(BadInput, match=sentence):
        uf.evaluate([ground[name] for name in models], ground["text"], tmp_path / "out", trials)
    assert not (tmp_path / "out").exists()


def test_an_encoder_is_no_language_model(ground: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="encoder"):
        uf.evaluate(ground["encoder"], ground["text"], tmp_path / "out", ["perplexity"])


def test_texts_without_known_words_are_said_and_leave_no_log(ground: dict[str, Any], tmp_path: Path) -> None:
    for split in ("train", "validation", "test"):
        (tmp_path / f"{split}.txt").write_text("qqq zzz\n")
    out = tmp_path / "out"
    with pytest.raises(BadInput, match="no text has a complete word"):
        uf.evaluate(ground["lm"], str(tmp_path), out, ["perplexity"])
    with pytest.raises(BadInput, match="every word of 'qqq zzz' is unknown"):
        uf.evaluate(ground["lm"], str(tmp_path), out, ["continuation"])
    with pytest.raises(BadInput, match="'qqq' is no single token of the vocabulary"):
        uf.evaluate(ground["lm"], str(tmp_path), out, ["neighbours"], settings={"neighbours": {"words": "qqq"}})
    with pytest.raises(BadInput, match="has no split called nothing"):
        uf.evaluate(ground["lm"], ground["text"], out, split="nothing")
    assert not [path for path in out.rglob("*") if path.is_file()]
    uf.evaluate(ground["lm"], ground["text"], out, ["perplexity"])  # so that the folder can be used


@pytest.fixture(scope="module")
def unbroken(ground: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("unbroken")
    evaluate(ground["lm"], ground["text"], str(out))
    return out


def test_killed_it_goes_on_per_example_without_losing_or_repeating_one(
    ground: dict[str, Any], unbroken: Path, tmp_path: Path
) -> None:
    server = multiprocessing.get_context("forkserver")
    server.set_forkserver_preload(["unfooled.commands.evaluate", "unfooled.trials.inside.word_moves"])
    kills, before = 0, 0
    while True:
        process = server.Process(target=evaluate_quietly, args=(ground["lm"], ground["text"], str(tmp_path)))
        process.start()
        while process.is_alive() and kills < KILLS:
            if (now := sum(log.count(b"\n") for log in logs_in(tmp_path).values())) > before + 5 + 10 * kills:
                assert process.pid is not None
                os.kill(process.pid, signal.SIGKILL)
                kills, before = kills + 1, now
                break
            time.sleep(0.001)
        process.join(60)
        if process.exitcode == 0:
            break
    assert kills == KILLS
    assert logs_in(tmp_path) == logs_in(unbroken)
    assert (tmp_path / "summary.json").read_bytes() == (unbroken / "summary.json").read_bytes()


@pytest.mark.parametrize("model", ["lm", "translator"])
def test_cut_anywhere_it_goes_on_to_the_same_bytes(
    ground: dict[str, Any], tmp_path: Path, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: Any = (ground[model], ground["text" if model == "lm" else "pairs"], tmp_path)
    trials = ["perplexity", "neighbours", "continuation"] if model == "lm" else ["quality", "side_by_side"]
    how: dict[str, Any] = {"settings": {"neighbours": {"words": "dog, cat, old"}}} if model == "lm" else {}
    first = uf.evaluate(*given, trials, **how)
    whole, draw = logs_in(tmp_path), random.Random(0)
    for _ in range(4 if model == "lm" else 2):
        for path in tmp_path.glob(f"*/*/{JOURNAL}"):
            path.write_bytes(whole[path.parent.name][: draw.randrange(len(whole[path.parent.name]))])
        assert uf.evaluate(*given, trials, **how) == first
        assert logs_in(tmp_path) == whole
    for path in tmp_path.glob(f"*/*/{JOURNAL}"):
        header, records = read_log(path) or (None, [])
        assert header is not None and [one.index for one in records] == list(range(header.examples))


def test_gate_and_report_read_such_folders(unbroken: Path, tmp_path: Path) -> None:
    rulings = gate(unbroken, ["perplexity <= 1e9", "perplexity_under_attack.perplexity.0.5 >= 1"])
    assert [(one.name, one.passed) for one in rulings] == [
        ("perplexity.perplexity", True),
        ("perplexity_under_attack.perplexity.0.5", True),
    ]
    made = report(unbroken, tmp_path / "page.html").read_text()
    assert "Perplexity over how far a word is moved" in made and "Continuations" in made
    assert all(name in made for name in TRIALS)


def test_the_command_line_measures_them_too(ground: dict[str, Any], tmp_path: Path) -> None:
    told = ["--trials", "perplexity,neighbours", "--set", "neighbours.words=dog", "--set", "perplexity.radii=0.5,2"]
    arguments = ["evaluate", ground["lm"], "--data", ground["text"], *told, "--out", str(tmp_path)]
    found = CliRunner().invoke(app, arguments, env={"COLUMNS": "160"})
    assert found.exit_code == 0, found.output
    assert "perplexity: perplexity" in found.output and "perplexity 0.5: perplexity" in found.output
    assert "perplexity 2: perplexity" in found.output and "  dog  " in found.output
    [model] = json.loads((tmp_path / "summary.json").read_text())["models"].values()
    assert list(model["trials"]) == ["perplexity", "neighbours"]
    assert model["trials"]["perplexity"]["settings"] == {"radii": [0.5, 2.0]}
