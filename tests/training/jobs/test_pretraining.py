"""Pre-training from a corpus to a folder that others open and fine-tuning goes on from."""

import json
import os
import shutil
import signal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
import village
from support_pretraining import TASK, TEXTS, masked_model, view_batch
from support_text import piece_tokenizer
from tiny import reviews, save_encoder, save_reviews
from transformers import AutoModel, AutoModelForMaskedLM, AutoTokenizer

import unfooled as uf
from unfooled.data.batches import kept, stretches
from unfooled.data.batches.blocks import Blocks, in_blocks
from unfooled.data.batches.views import Reader, ViewBatches, realised
from unfooled.data.embedded import movie_reviews
from unfooled.errors import BadInput, Stopped
from unfooled.methods import CLINE, DCL, MLM
from unfooled.models.locate import locate
from unfooled.training.jobs import pretraining
from unfooled.training.jobs.pretraining import LOOK, MOST_CUT, SAMPLED, block_length, guessed, shares, spread_of, told

PLAN = {"max_steps": 4, "batch_size": 4, "epochs": 3, "learning_rate": 1e-3}


def corpus(folder: Path, lines: int = 240) -> Path:
    file = folder / "corpus.txt"
    file.write_text("\n".join(text for text, _ in reviews(lines)), encoding="utf-8")
    return file


def trained(folder: Path, method: str | Any, **plan: Any) -> Any:
    encoder = save_encoder(folder / "encoder")
    model = {"name": str(encoder), "max_length": 24}
    return uf.train(str(corpus(folder)), folder / "run", model, method, {**PLAN, **plan})


@pytest.mark.parametrize("method", ["mlm", "cline", "dcl"])
def test_a_run_leaves_a_folder_that_everyone_opens(method: str, tmp_path: Path) -> None:
    run = trained(tmp_path, method, look_first=True)
    network, tokenizer = AutoModelForMaskedLM.from_pretrained(run.model), AutoTokenizer.from_pretrained(run.model)
    assert tokenizer.model_max_length == 24 and AutoModel.from_pretrained(run.model).config.model_type == "bert"
    given = tokenizer("the film was [MASK]", return_tensors="pt")
    assert torch.isfinite(network(**given).logits).all()
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert summary["task"] == "pretraining" and summary["steps"] == 4
    assert {"validation loss", "validation accuracy"} <= set(run.scores) and run.scores["validation loss"].n > 10
    kept = {"mlm": set(), "cline": {"replaced_tokens"}, "dcl": {"projector", "predictor"}}[method]
    beside = {path.stem for path in Path(run.model).glob("*.safetensors")} - {"model"}
    assert beside == kept
    looks = [json.loads(line) for line in (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()]
    first, *_, look = (line for line in looks if line["kind"] == "validation")
    assert first["step"] == 0 and set(first) == set(look) and summary["best_step"] > 0
    assert {"loss", "accuracy", "text positive cosine", "text random cosine", "text uniformity", "text hits"} <= set(
        look
    )
    assert ("projection uniformity" in look) == (method == "dcl")
    assert ("task_weights" in summary) == (method == "cline")


def test_the_folder_holds_what_was_scored_and_fine_tuning_goes_on_from_it(tmp_path: Path) -> None:
    run = trained(tmp_path, "mlm", max_steps=40, learning_rate=5e-3)
    looked_at = str(corpus(tmp_path))

    def untrained(name: str, folder: str) -> float:
        still = {**PLAN, "max_steps": 1, "learning_rate": 1e-12}
        found = uf.train(looked_at, tmp_path / folder, {"name": name, "max_length": 24}, "mlm", still)
        return found.scores["validation loss"].value

    own = run.scores["validation loss"].value
    assert untrained(run.model, "again") == pytest.approx(own, abs=1e-4)
    assert own < untrained(str(tmp_path / "encoder"), "fresh") - 0.3
    data = save_reviews(tmp_path / "reviews.csv", 40)
    tuned = uf.train(str(data), tmp_path / "tuned", run.model, "finetune", {"max_steps": 2, "batch_size": 8})
    assert Path(tuned.model, "model.safetensors").is_file()


def test_guesses_are_scored_as_the_network_makes_them() -> None:
    objective = MLM().build(masked_model(), TASK).eval()
    batch = view_batch(MLM().views())
    tokens, hidden = batch.tokens, batch.targets["masked"]
    logits = objective.model.network(input_ids=tokens.ids, attention_mask=tokens.mask.long()).logits[hidden != -100]
    words = hidden[hidden != -100]
    right, losses = guessed(objective, batch).T
    assert torch.equal(right.bool(), logits.argmax(dim=1) == words)
    assert torch.allclose(losses, -logits.log_softmax(dim=1)[torch.arange(len(words)), words], atol=1e-5)


def test_spread_by_hand() -> None:
    plain = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
    synonym = torch.tensor([[2.0, 0.0], [1.0, 1.0]])
    antonym = torch.tensor([[0.0, 1.0], [0.0, 5.0]])
    found = spread_of(torch.stack([plain, synonym, antonym], dim=1))
    assert found["positive cosine"] == pytest.approx((1 + 0.5**0.5) / 2)
    assert found["random cosine"] == pytest.approx(0.5**0.5 / 2)  # first with second's, second with first's
    assert found["uniformity"] == pytest.approx(-4.0) and found["hits"] == 0.5
    assert spread_of(torch.stack([plain, synonym, synonym], dim=1))["hits"] == 0.0


def test_a_process_without_a_batch_of_its_own_takes_part_and_adds_nothing() -> None:
    blocks = Blocks(list(TEXTS), np.array([len(text) for text in TEXTS]))
    loader = ViewBatches(blocks, Reader.of(piece_tokenizer(), 120), LOOK, 4, 0)
    objective = MLM().build(masked_model(), TASK).eval()
    for rank, expected in ((0, True), (1, False)):
        ((batch, counts),) = shares(loader, SimpleNamespace(rank=rank, count=2, device=torch.device("cpu")))
        assert counts is expected and len(batch) == len(TEXTS)
        assert bool(len(guessed(objective, batch, counts))) is expected


def test_a_limit_and_too_little_text(tmp_path: Path) -> None:
    encoder = {"name": str(save_encoder(tmp_path / "encoder")), "max_length": 24}
    data = {"source": str(corpus(tmp_path)), "limit": 6}
    uf.train(data, tmp_path / "run", encoder, "mlm", {"batch_size": 4, "epochs": 1})
    assert json.loads((tmp_path / "run" / "summary.json").read_text())["train_blocks"] == 6
    (tmp_path / "short.txt").write_text("the film was good\nthe plot was dull\n")
    with pytest.raises(BadInput, match="a single block"):
        uf.train(str(tmp_path / "short.txt"), tmp_path / "short", encoder, "mlm", PLAN)


def test_of_a_large_corpus_no_more_is_tokenised_than_a_limit_wants(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNFOOLED_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(stretches, "SMALL", 0)
    encoder = {"name": str(save_encoder(tmp_path / "encoder")), "max_length": 24}
    large = tmp_path / "large.txt"
    large.write_text("".join(f"the film number {number} was good and warm\n" for number in range(64 * 60)))
    cut, read = kept.blocks_of, []

    def counting(paragraphs: Any, *given: Any) -> Any:
        return cut((read.append(one) or one for one in paragraphs), *given)  # type: ignore[func-returns-value]

    monkeypatch.setattr(kept, "blocks_of", counting)
    plan = {"batch_size": 4, "epochs": 1}
    data = {"source": str(large), "limit": 30, "validation_fraction": 0.02}
    run = uf.train(data, tmp_path / "run", encoder, "mlm", plan)
    assert json.loads((tmp_path / "run" / "summary.json").read_text())["train_blocks"] == 30
    assert 30 < len(read) < 64 * 15  # of 3,840 paragraphs, validation's 77 among them
    again = uf.train(data, tmp_path / "again", encoder, "mlm", plan)
    assert Path(run.model, "model.safetensors").read_bytes() == Path(again.model, "model.safetensors").read_bytes()
    half = uf.train(
        {**data, "limit": None, "fraction": 0.5}, tmp_path / "half", encoder, "mlm", {**plan, "max_steps": 1}
    )
    whole = uf.train({**data, "limit": None}, tmp_path / "whole", encoder, "mlm", {**plan, "max_steps": 1})
    sizes = [json.loads((Path(one.model).parent / "summary.json").read_text())["train_blocks"] for one in (half, whole)]
    assert sizes[0] / sizes[1] == pytest.approx(0.5, abs=0.03)


def test_files_that_hold_less_text_than_their_sizes_say_still_fill_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNFOOLED_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(stretches, "SMALL", 0)
    encoder = {"name": str(save_encoder(tmp_path / "encoder")), "max_length": 24}
    table = tmp_path / "table.jsonl"
    rows = [{"text": f"film {number} was warm", "other": "x" * 900} for number in range(64 * 40)]
    table.write_text("".join(json.dumps(row) + "\n" for row in rows))
    data = {"source": str(table), "text": "text", "validation": str(table)}
    plan = {"batch_size": 4, "epochs": 1, "max_steps": 1}
    few = uf.train({**data, "limit": 100}, tmp_path / "few", encoder, "mlm", plan)
    many = uf.train(data, tmp_path / "many", encoder, "mlm", plan)
    known = [json.loads((Path(run.model).parent / "summary.json").read_text()) for run in (few, many)]
    assert known[0]["train_blocks"] == 100 < known[1]["train_blocks"]
    assert known[0]["data_hash"] == known[1]["data_hash"]
    least = uf.train({**data, "fraction": 0.01}, tmp_path / "least", encoder, "mlm", {**plan, "batch_size": 2})
    assert json.loads((Path(least.model).parent / "summary.json").read_text())["train_blocks"] >= 2


def test_a_run_that_was_stopped_ends_in_the_same_bits_though_its_blocks_are_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNFOOLED_CACHE", str(tmp_path / "cache"))
    encoder = {"name": str(save_encoder(tmp_path / "encoder")), "max_length": 24}
    data = {"source": str(corpus(tmp_path)), "fraction": 0.5}
    plan = {**PLAN, "evaluations_per_epoch": 8}
    whole = uf.train(data, tmp_path / "whole", encoder, "mlm", plan)
    look = pretraining.looked

    def interrupted(*given: Any) -> Any:
        os.kill(os.getpid(), signal.SIGINT)
        return look(*given)

    with monkeypatch.context() as patch, pytest.raises(Stopped):
        patch.setattr(pretraining, "looked", interrupted)
        uf.train(data, tmp_path / "broken", encoder, "mlm", plan)
    shutil.rmtree(tmp_path / "cache")
    resumed = uf.train(data, tmp_path / "broken", encoder, "mlm", plan, resume=True)
    weights = [Path(run.model, "model.safetensors").read_bytes() for run in (whole, resumed)]
    assert weights[0] == weights[1]


def test_a_corpus_of_another_language_is_refused_where_words_are_replaced(tmp_path: Path) -> None:
    encoder = {"name": str(save_encoder(tmp_path / "encoder")), "max_length": 24}
    german = tmp_path / "german.txt"
    german.write_text("Der Film war langweilig und öde, und niemand hat gelacht.\n" * 60, encoding="utf-8")
    for method in (CLINE(), DCL()):
        with pytest.raises(BadInput, match=r"german\.txt is not English: 60 of its first 60.*other_languages"):
            uf.train(str(german), tmp_path / "refused", encoder, method, PLAN)
    for number, method in enumerate((MLM(), DCL(weight=0.0), DCL(other_languages="pass"))):
        uf.train(str(german), tmp_path / f"run-{number}", encoder, method, {**PLAN, "max_steps": 1})


@pytest.mark.parametrize("method", ["mlm", "cline", "dcl"])
def test_the_shares_of_replaced_words_are_told(method: str, tmp_path: Path) -> None:
    trained(tmp_path, method, max_steps=1)
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    told = {name: summary[name] for name in ("synonym_ratio", "antonym_ratio") if name in summary}
    assert list(told) == {"mlm": [], "cline": ["synonym_ratio", "antonym_ratio"], "dcl": ["synonym_ratio"]}[method]
    assert all(0.1 < ratio < 0.5 for ratio in told.values())


@pytest.mark.parametrize("method", [CLINE(), DCL()], ids=["cline", "dcl"])
def test_versions_of_ordinary_sentences_are_hardly_ever_cut(method: CLINE | DCL) -> None:
    tokenizer = AutoTokenizer.from_pretrained(locate("minilm").folder)
    lines = [str(row["text"]) for row in movie_reviews("rotten_tomatoes")[0]["train"]().rows[:1000]]
    texts = in_blocks(lines, tokenizer, block_length(64, method.views().room)).first(SAMPLED)
    found = realised(texts, method.views(), 0, Reader.of(tokenizer, 64))
    cut = [found[name] for name in found if name.endswith("_cut")]
    assert len(texts) == SAMPLED and cut and max(cut) <= MOST_CUT
    assert "raise method.room" not in told(found)[-1]


# These texts hold little but words that have synonyms: of these DCL cuts more than of ordinary ones, and says so.
@pytest.mark.parametrize(("method", "most"), [(CLINE(), MOST_CUT), (DCL(), 0.15)], ids=["cline", "dcl"])
def test_versions_have_room_to_grow(method: CLINE | DCL, most: float) -> None:
    """Of English by real pieces of words; filled to the brim, blocks lose the ends of nearly all versions."""
    tokenizer, lines = AutoTokenizer.from_pretrained(locate("minilm").folder), list(village.TEXTS) * 8
    for room in (method.views().room, 0.0):
        texts = in_blocks(lines, tokenizer, block_length(64, room)).first(64)
        found = realised(texts, method.views(), 0, Reader.of(tokenizer, 64))
        cut = [found[name] for name in found if name.endswith("_cut")]
        assert max(cut) <= most if room else min(cut) > 0.9
        assert ("raise method.room" in told(found)[-1]) == (max(cut) > MOST_CUT)


def test_what_versions_are_like_is_told_and_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trained(tmp_path, "cline", max_steps=1)
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert 0 < summary["antonym_random"] <= 1 and {"synonym_cut", "antonym_cut"} <= set(summary)
    said = " ".join(capsys.readouterr().err.split())
    assert f"of what passes for antonyms {summary['antonym_random']:.0%} are random words" in said
    assert "blocks of 18 tokens, for looks 18" in said


def test_other_tasks_and_other_choices_are_refused(tmp_path: Path) -> None:
    encoder = {"name": str(save_encoder(tmp_path / "encoder")), "max_length": 24}
    with pytest.raises(BadInput, match="CLINE is a method for pretraining, not for classification"):
        uf.train(str(corpus(tmp_path)), tmp_path / "run", encoder, "cline", PLAN, task="classification")
    with pytest.raises(BadInput, match="choose_by"):
        uf.train(str(corpus(tmp_path)), tmp_path / "other", encoder, "mlm", {**PLAN, "choose_by": "hits"})
