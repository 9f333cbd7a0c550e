"""What people call takes data from memory, goes on with it, and knows it again."""

from pathlib import Path

import pandas
import pytest
from attack_ground import save_ground

import unfooled as uf
import unfooled.report.page  # the room, whose name the function has too


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_ground(tmp_path_factory.mktemp("memory"))


def test_a_run_begun_with_rows_goes_on_with_a_frame_and_knows_its_texts_in_a_file(
    ground: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = pandas.read_csv(ground / "reviews.csv")
    plan = {"max_steps": 2}
    run = uf.train(frame.to_dict("records"), tmp_path / "run", ground / "encoder", plan=plan)
    kept = Path(run.model, "model.safetensors").read_bytes()
    uf.train(frame, tmp_path / "run", ground / "encoder", plan=plan, resume=True)
    assert Path(run.model, "model.safetensors").read_bytes() == kept
    with pytest.raises(uf.BadInput, match="was begun with other settings.*data.source: memory:"):
        uf.train(frame[1:], tmp_path / "run", ground / "encoder", plan=plan, resume=True)
    capsys.readouterr()
    uf.evaluate(run.model, ground / "reviews.csv", tmp_path / "results", trials=["clean"])
    assert "these are the texts" in capsys.readouterr().err
    uf.evaluate(run.model, frame, tmp_path / "results", trials=["clean"])  # the same examples: nothing is refused
    assert "<html" in uf.report(tmp_path / "results", tmp_path / "page.html").read_text()
    with pytest.raises(uf.BadInput, match="a corpus is read from files, not from memory"):
        uf.train(frame, tmp_path / "encoder", ground / "encoder", "mlm", plan=plan)


def test_an_attack_and_a_comparison_take_it_and_labels_are_renamed(ground: Path, tmp_path: Path) -> None:
    frame = pandas.read_csv(ground / "reviews.csv").replace({"negative": "bad", "positive": "good"})
    names = {"negative": "bad", "positive": "good"}
    with pytest.raises(uf.BadInput, match=r'labels=\{"negative": "bad", "positive": "good"\}'):
        uf.attack(ground / "model", frame, similarity=None, limit=2)
    attacked = uf.attack(ground / "model", frame, similarity=None, limit=2, labels=names)
    assert attacked.header.labels == ("bad", "good") and len(attacked.records) == 2
    results = uf.compare(
        {"source": (list(frame["text"]), list(frame["label"])), "test": frame}, ["finetune", "fgm"],
        tmp_path / "compared", ground / "encoder",
        seeds=1, plan={"max_steps": 1}, trials=["clean"], limit=4,
    )  # fmt: skip
    assert len(results.models) == 2


def test_a_text_of_another_language_says_so(ground: Path) -> None:
    german = "Der Film war sehr langweilig und die Schauspieler sind nicht gut gewesen."
    record, _ = uf.attack_text(ground / "model", german, similarity=None)
    assert "1 of 1 texts look German" in str(record.note)
    record, _ = uf.attack_text(ground / "model", german, attack="deepwordbug", similarity=None)
    assert record.note is None
