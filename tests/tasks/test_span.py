import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from task_ground import PLAN, questions
from tiny import save_encoder
from transformers import AutoModelForQuestionAnswering, AutoTokenizer

import unfooled as uf
from unfooled.errors import BadInput, Stopped
from unfooled.models import load
from unfooled.models.encoders.spans import answers
from unfooled.tasks.span import TASK
from unfooled.training import loop as training_loop


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("questions")
    save_encoder(folder / "encoder", dropout=0.1)
    questions(folder / "train.jsonl", 100)
    questions(folder / "test.jsonl", 40, seed=9)
    data = {"source": str(folder / "train.jsonl"), "test": str(folder / "test.jsonl")}
    uf.train(data, folder / "run", str(folder / "encoder"), plan=PLAN)
    return folder


def test_answers_are_found_in_contexts_longer_than_the_network_reads(ground: Path) -> None:
    summary = json.loads((ground / "run" / "summary.json").read_text())
    assert summary["task"] == "span" and summary["windows"] > 100 and summary["max_length"] == 32
    assert summary["scores"]["test f1"]["value"] > 0.9 and summary["scores"]["test exact match"]["n"] == 40
    rows = [json.loads(line) for line in (ground / "test.jsonl").read_text().splitlines()]
    said = answers(load(str(ground / "run"), "span"), [(row["question"], row["context"]) for row in rows])
    right = sum(one == row["answers"]["text"][0] for one, row in zip(said, rows, strict=True))
    assert summary["scores"]["test exact match"]["value"] == pytest.approx(right / 40)


def test_plain_transformers_opens_it_and_says_the_same(ground: Path) -> None:
    folder = ground / "run" / "model"
    network = AutoModelForQuestionAnswering.from_pretrained(folder).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    question, context = "it was a ?", "the film was lovely and the plot"
    given = tokenizer(question, context, return_tensors="pt", return_offsets_mapping=True)
    places = given.pop("offset_mapping")[0]
    with torch.no_grad():
        out = network(**given)
    inside = [place for place, kind in enumerate(given.sequence_ids(0)) if kind == 1]
    sums = {(a, b): out.start_logits[0, a] + out.end_logits[0, b] for a in inside for b in inside if b >= a}
    first, last = max(sums, key=lambda pair: sums[pair])
    expected = context[places[first][0] : places[last][1]]
    assert answers(load(str(folder), "span"), [(question, context)]) == [expected] == ["lovely"]


@pytest.mark.parametrize("method", ["fgm", "pgd", "freelb", "rar", "augment"])
def test_methods_that_need_no_classes_train_spans(ground: Path, tmp_path: Path, method: str) -> None:
    plan = {**PLAN, "max_steps": 3, "epochs": 1}
    run = uf.train(str(ground / "train.jsonl"), tmp_path / method, str(ground / "encoder"), method, plan)
    assert run.task == "span" and set(run.scores) == {"validation f1", "validation exact match"}


def test_a_run_that_was_stopped_ends_in_the_same_bits(
    ground: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = {**PLAN, "epochs": 1, "max_steps": 6, "save_every": 3}
    saved = training_loop.save

    def save_and_stop(run: training_loop.Run, state: training_loop.State) -> None:
        saved(run, state)
        if state.step == 3:
            raise Stopped("here")

    def train(out: str, resume: bool = False) -> None:
        uf.train(str(ground / "train.jsonl"), tmp_path / out, str(ground / "encoder"), "freelb", plan, resume=resume)

    train("whole")
    monkeypatch.setattr(training_loop, "save", save_and_stop)
    with pytest.raises(Stopped):
        train("broken")
    monkeypatch.setattr(training_loop, "save", saved)
    train("broken", resume=True)
    one, two = (load_file(tmp_path / out / "model" / "model.safetensors") for out in ("whole", "broken"))
    assert one.keys() == two.keys() and all(torch.equal(one[name], two[name]) for name in one)


def test_windows_that_never_hold_an_answer_are_refused(tmp_path: Path) -> None:
    save_encoder(tmp_path / "encoder")
    context = " ".join(["film"] * 60)
    row = {"question": "what ?", "context": context, "answers": {"text": [context], "answer_start": [0]}}
    (tmp_path / "data.jsonl").write_text((json.dumps(row) + "\n") * 4)
    data = {"source": str(tmp_path / "data.jsonl"), "validation": str(tmp_path / "data.jsonl")}
    with pytest.raises(BadInput, match="no window of 32 tokens holds an answer whole; raise model.max_length"):
        uf.train(data, tmp_path / "run", str(tmp_path / "encoder"))


def test_textcnn_finds_no_spans(ground: Path, tmp_path: Path) -> None:
    model = {"name": "textcnn", "tokenizer": str(ground / "encoder")}
    with pytest.raises(BadInput, match="textcnn reads a text as a whole and finds no spans"):
        uf.train(str(ground / "train.jsonl"), tmp_path / "run", model)


def test_right_answers_stay_and_are_scored_without_their_places() -> None:
    label = ((4, "navy"), (0, "The navy"), (4, "navy"))
    assert TASK.right(label, ()) == ("navy", "The navy")
    question, context = TASK.stays(("Which navy?", "The navy. A navy."), label)
    assert question == [(6, 10)] and {(4, 8), (12, 16), (0, 8)} <= set(context)
    assert TASK.free(("q", "c")) == ("q", "c")
    assert TASK.scores([("navy", "The navy")], ["a navy"], None)["exact match"].value == 1
