"""A server is asked again where it is busy, refused in a sentence where it errs, and its key is never shown."""

import socket
from typing import Any

import pytest
from servers import serving

from unfooled.errors import BadInput
from unfooled.victims.servers.server import LONGEST_WAIT, Server, seconds_named

KEY = "sk-very-secret"


def test_a_busy_server_is_asked_again_later_and_later(monkeypatch: pytest.MonkeyPatch) -> None:
    replies = [(429, {"error": "slow down"}, {"Retry-After": "7"}), (500, b"", {}), None, (503, b"", {})]
    waits: list[float] = []
    with serving(lambda body, number: replies[number] if number < 4 else {"n": number}) as running:
        assert Server(running.url, retries=4, pause=waits.append).asked({"a": 1}) == {"n": 4}
        assert running.bodies == [{"a": 1}] * 5
    assert waits[0] == 7.0 and waits[1] < waits[2] < waits[3] < LONGEST_WAIT and waits[1] >= 0.5


@pytest.mark.parametrize(
    ("reply", "words", "times"),
    [
        ((429, b"slow down", {}), r"answers 429 \(slow down\) \(asked 3 times\)", 3),
        ((500, b"", {}), r"answers 500 \(asked 3 times\)", 3),
        (None, r"does not answer .*is the server running\? \(asked 3 times\)", 3),
        ((404, b"no such path", {}), r"answers 404 \(no such path\)$", 1),
        ((200, b"<html>hello</html>", {}), "what is no JSON .'<html>hello</html>'", 1),
        ((302, b"", {"Location": "http://127.0.0.1:1/elsewhere"}), "points to another address .302., which is not", 1),
        ((401, b"", {}), r"refuses a question without a key \(401\); set MY_KEY$", 1),
    ],
)
def test_what_goes_wrong_is_one_sentence(reply: Any, words: str, times: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MY_KEY", raising=False)
    with serving(lambda body, number: reply) as running, pytest.raises(BadInput, match=words) as refused:
        Server(running.url, "MY_KEY", retries=2, pause=lambda seconds: None).asked({})
    assert len(running.bodies) == times and running.url in str(refused.value)


def test_a_server_that_is_not_there_is_said_at_once_at_first() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    waits: list[float] = []
    with pytest.raises(BadInput, match="refused.; is the server running"):
        Server(url, pause=waits.append).asked({}, patient=False)
    assert not waits
    with pytest.raises(BadInput, match="asked 3 times"):
        Server(url, retries=2, pause=waits.append).asked({})
    assert len(waits) == 2


def test_a_slow_server_is_not_waited_for_for_ever() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        server = Server(f"http://127.0.0.1:{silent.getsockname()[1]}", timeout=0.05, retries=0)
        with pytest.raises(BadInput, match="timed out"):
            server.asked({})


def test_the_key_is_sent_and_never_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    with serving(lambda body, number: (403 if number else 400, f"bad key {KEY}".encode(), {})) as running:
        server = Server(running.url, "MY_KEY")
        told = []
        for _ in range(2):
            with pytest.raises(BadInput) as refused:
                server.asked({})
            told.append(str(refused.value))
        assert running.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert told[0].endswith("answers 400 (bad key …)") and "refuses the key in MY_KEY" in told[1]
    assert KEY not in f"{told} {server!r} {server.name}"


def test_no_key_goes_where_others_can_read_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    with pytest.raises(BadInput, match="http://example.org/v1 would get the key of MY_KEY unprotected; use https"):
        Server("http://example.org/v1", "MY_KEY")
    assert Server("https://example.org/v1?token=abc", "MY_KEY").name == "https://example.org/v1"
    with pytest.raises(BadInput, match="^https://example.org has a password in its address"):
        Server("https://me:secret@example.org")  # pragma: allowlist secret
    with pytest.raises(BadInput, match="ftp://here is no address of a server"):
        Server("ftp://here")


def test_only_seconds_are_waited_for() -> None:
    assert seconds_named("-3") is None and seconds_named(" 12 ") == 12.0
