"""A chat model classifies by letters: their log-probabilities, asked at once and once, within a budget."""

import threading
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from servers import chances, completed, serving

import unfooled as uf
from unfooled.data.splits import Split
from unfooled.errors import BadInput, Stopped
from unfooled.hub import only_typed
from unfooled.victims import open_victim
from unfooled.victims.servers.chat import CHAT, ChatVictim, row_of

LABELS = ["negative", "positive"]
TEXTS = [("a good film",), ("a dull film",), ("fine and great",)]


def chat(url: str, **options: Any) -> ChatVictim:
    return ChatVictim(f"{url}/v1", "small", LABELS, **{"cache": "none", "pause": lambda seconds: None, **options})


def test_log_probabilities_of_letters_are_the_victims_probabilities() -> None:
    with serving(completed) as running:
        victim = open_victim(chat(running.url))
        rows = victim.answer(TEXTS)
    assert victim.logits and victim.labels == tuple(LABELS) and not victim.hash and not victim.labels_only
    assert np.allclose(rows, [chances(text) for (text,) in TEXTS])  # both spellings of B count, "The" does not
    body = running.bodies[1]
    assert (body["max_tokens"], body["temperature"], body["logprobs"], body["model"]) == (1, 0, True, "small")
    assert "A: negative\nB: positive" in body["messages"][0]["content"]


def test_a_server_without_log_probabilities_is_asked_for_labels_alone() -> None:
    with serving(partial(completed, with_logprobs=False)) as running:
        victim = open_victim(chat(running.url))
        assert victim.labels_only and victim.answer(TEXTS).tolist() == [[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]]
        with pytest.raises(BadInput, match="says labels and not how sure it is.*choose one of hlbb, random"):
            uf.attack(victim, Split(TEXTS, [1, 0, 1]), "pwws")


def test_questions_are_asked_at_once_and_each_once(tmp_path: Path) -> None:
    meeting = threading.Barrier(3, timeout=20)

    def together(body: Any, number: int) -> Any:
        if number:
            meeting.wait()  # which three questions pass only if they are all under way
        return completed(body, number)

    with serving(together) as running:
        rows = open_victim(chat(running.url, concurrency=3, cache=tmp_path)).answer(TEXTS)
        assert running.busiest == 3 and len(running.bodies) == 4
        again = open_victim(chat(running.url, cache=tmp_path))
        assert again.answer(TEXTS).tolist() == rows.tolist() and len(running.bodies) == 4


def test_the_budget_stops_an_attack_that_a_larger_one_goes_on_with(tmp_path: Path) -> None:
    data = Split([(f"a good film number {number}",) for number in range(4)], [1] * 4)

    def attacked(url: str, budget: int) -> Any:
        victim = chat(url, cache=tmp_path / "cache", budget=budget)
        return uf.attack(victim, data, "deepwordbug", tmp_path / "out", similarity=None, limits={"in_flight": 1})

    with serving(completed) as running:
        with pytest.raises(Stopped, match="budget of 12 questions .* is used up.*larger budget goes on"):
            attacked(running.url, 12)
        assert len(running.bodies) == 12
        records = attacked(running.url, 500).records
        asked = [body["messages"][0]["content"] for body in running.bodies]
    assert [record.outcome for record in records] == ["fooled"] * 4 and len(asked) == len(set(asked)) > 12


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"choices": []}, "something else than a chat completion"),
        ("hello", "something else than a chat completion"),
        ({"choices": [{"message": {"content": "Sure!"}}]}, "answers 'Sure!', not with a letter from A to B"),
        ({"choices": [{"message": {"content": "C"}}]}, "answers 'C', not with a letter"),
        ({"choices": [{"message": {"content": None}}]}, "answers '', not with a letter"),
    ],
)
def test_what_is_no_label_is_refused(answer: Any, words: str) -> None:
    with serving(lambda body, number: answer) as running, pytest.raises(BadInput, match=words):
        open_victim(chat(running.url))


def test_a_letter_is_read_as_people_write_it_and_one_that_is_not_listed_has_the_least() -> None:
    for said in ("B", " B", "(B)", "B. positive", "B:"):
        assert row_of({"choices": [{"message": {"content": said}}]}, 2, "x") == [0.0, 1.0]
    listed = [{"token": "B", "logprob": -0.1}, {"token": "yes", "logprob": -3.0}]
    choice = {"message": {"content": "B"}, "logprobs": {"content": [{"top_logprobs": listed}]}}
    assert row_of({"choices": [choice]}, 3, "x") == [-3.0, -0.1, -3.0]


def test_bad_settings_are_refused() -> None:
    for labels in ("yes", ["yes"], ["yes", "yes"], list("abcdefghijklmnopqrstuvw")):
        with pytest.raises(BadInput, match="needs 2 to 20 different labels"):
            ChatVictim("http://127.0.0.1", "small", labels)
    with pytest.raises(BadInput, match="budget of at least 1"):
        ChatVictim("http://127.0.0.1", "small", LABELS, budget=0)
    with pytest.raises(BadInput, match="has the labels negative, positive, not no, yes"):
        open_victim(ChatVictim("http://127.0.0.1", "small", LABELS), ["no", "yes"])


def test_a_file_describes_a_chat_model_but_holds_no_key(tmp_path: Path) -> None:
    file = tmp_path / "chat.toml"
    with serving(completed) as running:
        file.write_text(
            f'base_url = "{running.url}/v1"\nmodel = "small"\nlabels = ["negative", "positive"]\ncache = "none"'
        )
        assert CHAT.takes(file) and open_victim(str(file)).name == f"small at {running.url[7:]}"
    for text, words in [
        ('api_key = "sk-1"', "a chat model has no api_key"),  # pragma: allowlist secret
        ("model = 3", "does not say base_url, labels"),
        ("base_url", "cannot be read as TOML"),
        (
            'base_url = "http://127.0.0.1"\nmodel = "m"\nlabels = ["a", "b"]\nkey_variable = "HF_TOKEN"',
            "key_variable = HF_TOKEN would send what is no key of a server",
        ),
    ]:
        file.write_text(text)
        with pytest.raises(BadInput, match=words):
            open_victim(file)
    assert not CHAT.takes(tmp_path / "none.toml")
    with only_typed(), pytest.raises(BadInput, match="it was read from a file, which never chooses what is asked"):
        open_victim(file)


def test_the_server_that_a_file_names_is_said_before_it_is_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(completed) as running:
        told = f'base_url = "{running.url}/v1"\nmodel = "small"\nlabels = ["a", "b"]\ncache = "none"'
        (tmp_path / "chat.toml").write_text(told + '\nkey_variable = "UNFOOLED_CHAT"')
        open_victim(str(tmp_path / "chat.toml"), ())
    assert f"small is asked at {running.url[7:]}, as " in capsys.readouterr().err
