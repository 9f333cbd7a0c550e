import json
import socket
import threading
import time
from pathlib import Path

import pytest
from play_ground import SENTENCE, TOKEN, Client, serving

from unfooled.attacks.table import ATTACKS
from unfooled.play import fooling
from unfooled.play.server import MOST_BYTES


def test_the_page_is_sent_with_its_policy(client: Client) -> None:
    status, headers, body = client.send("", None, "GET", origin=None)
    assert status == 200 and body.startswith(b"<!doctype html>") and headers["content-type"].startswith("text/html")
    assert "script-src 'sha256-" in headers["content-security-policy"] and headers["cache-control"] == "no-store"
    assert "server" not in headers


def test_a_sitting_begins_with_all_attacks_of_the_table(client: Client) -> None:
    begun = client.ask("begin")
    assert {one["name"]: one["line"] for one in begun["attacks"]} == ATTACKS.lines
    assert [player["name"] for player in begun["players"]] == ["plain", "stubborn"]
    assert begun["shared"] == ["negative", "positive"] and begun["evaluation"] is None


def test_answers_are_streams_of_events(client: Client) -> None:
    events = client.events("ask", texts=[SENTENCE])
    assert events[0][0] == "place" and events[-1][0] == "done"
    assert [answer["said"] for answer in events[-1][1]["answers"]] == [[1], [1]]
    assert client.events("fool", texts=[SENTENCE], attack="pwws", player=0)[-1][1]["outcome"] == "fooled"


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ({"texts": [" "]}, "The text is empty"),
        ({"texts": ["x" * 100_000]}, "The text has 100,000 characters; at most 10,000"),
        ({"texts": []}, "not well formed at texts"),
        ({"texts": ["a", "b", "c"]}, "not well formed at texts"),
        ({"texts": "a"}, "not well formed at texts"),
        ({"texts": ["a"], "model": "/etc/passwd"}, "not well formed at model"),
        ({}, "not well formed at texts"),
    ],
)
def test_what_cannot_be_asked_gets_a_sentence(client: Client, question: dict[str, object], sentence: str) -> None:
    [(status, data)] = client.events("ask", **question)
    assert status == "422" and sentence in data["error"]


def test_names_of_models_attacks_and_changes_are_never_opened(client: Client) -> None:
    assert client.refusal("fool", texts=["a"], attack="../pwws", player=0) == "There is no attack of that name."
    assert client.refusal("fool", texts=["a"], attack="pwws", player=1, column=7).startswith("The question is not")
    assert client.refusal("turn", texts=["a"], change="__class__") == "There is no change of that name."
    assert client.refusal("tick", case=0, changed=True) == "There is no such sentence in this evaluation."
    assert client.refusal("compare", texts=["a"], original=["a", "b"], should="stay").startswith("One text cannot")


def test_other_addresses_ways_kinds_and_sizes_are_refused(client: Client) -> None:
    assert client.send("nowhere")[0] == 404 and client.send("ask", None, "GET")[0] == 405
    assert client.send("ask", b"texts=a", content_type="application/x-www-form-urlencoded")[0] == 415
    assert client.send("ask", b" " * (MOST_BYTES + 1))[0] == 413
    assert client.send("ask", b"{")[0] == 422 and client.send("ask", b"\xff\xfe")[0] == 422
    assert client.send("ask", b'{"texts": ["\\ud800"]}')[0] == 422
    assert client.send("ask", b"[" * 50_000)[0] == 422
    for status, _, body in (client.send("nowhere"), client.send("ask", b"{")):
        assert json.loads(body)["error"].endswith(".") and b"Traceback" not in body and status < 500


def test_strangers_are_kept_out(client: Client) -> None:
    assert client.send("ask", origin="http://example.org")[0] == 403
    assert client.send("ask", host="example.org")[0] == 400
    assert Client(client.port, "wrong").send("ask")[0] == 404


def test_fifty_at_once_are_all_answered(client: Client) -> None:
    ended: list[int] = []
    begun = threading.Barrier(50)

    def one(number: int) -> None:
        begun.wait()
        assert client.ask("ask", texts=[f"{SENTENCE} {number}"])
        ended.append(number)

    threads = [threading.Thread(target=one, args=(number,)) for number in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(ended) == list(range(50))


def opened_attack(client: Client) -> socket.socket:
    """A connection over which an attack was asked for, and has begun."""
    body = json.dumps({"texts": [SENTENCE], "attack": "pwws", "player": 0}).encode()
    head = [f"POST /{TOKEN}/fool HTTP/1.1", *(f"{name}: {value}" for name, value in client.headers.items())]
    connection = socket.create_connection(("127.0.0.1", client.port), timeout=30)
    connection.sendall("\r\n".join([*head, f"content-length: {len(body)}", "", ""]).encode() + body)
    heard = b""
    while b"event: progress" not in heard:
        heard += connection.recv(4096)
    return connection


def test_a_closed_tab_ends_its_attack(models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The attack would ask for ever: only the closing of its connection can end it."""

    def endless(player: object, *given: object) -> None:
        errand = given[-1]
        while True:
            errand.tell("progress", {})  # type: ignore[attr-defined]
            errand.check()  # type: ignore[attr-defined]
            time.sleep(0.02)

    monkeypatch.setattr(fooling, "fool", endless)
    with serving(models / "plain") as (client, _, line):
        client.ask("begin")
        connection = opened_attack(client)
        assert line.running is not None
        connection.close()
        assert client.ask("ask", texts=[SENTENCE])["answers"]  # waits behind the attack, and is answered


def test_a_failed_opening_is_told_to_the_page(models: Path) -> None:
    with serving(models / "nowhere") as (client, _, line):
        assert "no model folder at" in client.refusal("begin") and line.failure is not None
