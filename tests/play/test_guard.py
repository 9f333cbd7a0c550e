import asyncio
from typing import Any

import pytest

from unfooled.play.guard import BURST, PER_SECOND, Guard, Rate, hosts_of, split

OURS = "127.0.0.1:8021"


async def inner(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": scope["path"].encode()})


def asked(
    path: str = "/secret/ask", method: str = "POST", host: str = OURS, origin: str | None = f"http://{OURS}"
) -> Any:
    """What a guard of the token "secret" sends back: the status, the headers, the body."""
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"host", host.encode())] if host else []
    headers += [(b"origin", origin.encode())] if origin is not None else []
    scope = {"type": "http", "path": path, "method": method, "headers": headers}
    asyncio.run(Guard(inner, "secret", hosts_of("127.0.0.1", 8021))(scope, None, send))
    return sent[0]["status"], dict(sent[0]["headers"]), sent[1]["body"].decode()


def test_our_own_page_is_let_in_below_its_token() -> None:
    status, headers, body = asked()
    assert (status, body) == (200, "/ask")
    assert headers[b"cache-control"] == b"no-store" and headers[b"x-frame-options"] == b"DENY"
    assert asked("/secret/", "GET", origin=None)[::2] == (200, "/")


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ({"host": "example.org:8021", "origin": "http://example.org:8021"}, 400),  # a name that was pointed at us
        ({"host": "127.0.0.1:9999"}, 400),
        ({"host": ""}, 400),
        ({"path": "/"}, 404),
        ({"path": "/secret"}, 404),
        ({"path": "/Secret/ask"}, 404),
        ({"path": "/secre\udcff/ask"}, 404),
        ({"path": "//secret/ask"}, 404),
        ({"origin": "http://example.org"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": None}, 403),
        ({"origin": "https://127.0.0.1:8021"}, 403),
        ({"method": "DELETE"}, 405),
    ],
)
def test_everybody_else_gets_a_sentence(given: dict[str, Any], status: int) -> None:
    answer = asked(**given)
    assert answer[0] == status and answer[2].startswith('{"error": "') and answer[2].endswith('."}')


def test_too_many_at_once_have_to_wait() -> None:
    rate = Rate(at=100.0)
    assert [rate.taken(100.0) for _ in range(BURST + 1)] == [True] * BURST + [False]
    assert [rate.taken(101.0) for _ in range(PER_SECOND + 1)] == [True] * PER_SECOND + [False]


def test_a_page_for_others_is_asked_for_under_addresses_alone() -> None:
    known = hosts_of("0.0.0.0", 8021)
    assert known("192.168.1.7:8021") and known("[fe80::1]:8021")
    assert not known("evil.example:8021") and not known("192.168.1.7:80")
    assert not hosts_of("127.0.0.1", 8021)("192.168.1.7:8021") and hosts_of("127.0.0.1", 8021)("localhost:8021")


def test_strange_ports_are_no_ports() -> None:
    assert [split(given)[1] for given in ("a:", "a:²", "a:-1", "a:999999", "a")] == [-1, -1, -1, -1, 80]


def test_web_sockets_are_not_heard_and_the_lifespan_is_passed_on() -> None:
    guard, seen = Guard(inner, "secret", lambda host: True), []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        seen.append(scope["type"])

    guard.app = app
    for kind in ("websocket", "lifespan"):
        asyncio.run(guard({"type": kind, "path": "/secret/ask", "headers": []}, None, None))
    assert seen == ["lifespan"]
