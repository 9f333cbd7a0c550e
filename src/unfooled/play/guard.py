"""Who is let in: our own page, under its secret address, from this machine's own browser, and not too often."""

import ipaddress
import json
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from secrets import compare_digest
from typing import Any

from unfooled.play.wording import say

BURST, PER_SECOND = 200, 40  # questions at once, and from then on
HEADERS = {
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


@dataclass
class Rate:
    """A bucket of questions that fills up again by the second."""

    left: float = BURST
    at: float = field(default_factory=time.monotonic)

    def taken(self, now: float) -> bool:
        """Whether there was one left to take."""
        self.left = min(BURST, self.left + PER_SECOND * (now - self.at))
        self.at = now
        if self.left < 1:
            return False
        self.left -= 1
        return True


@dataclass
class Guard:
    """An application that is reached below a token alone; ``known`` says which hosts a question may be sent to."""

    app: Any
    token: str
    known: Callable[[str], bool]
    rate: Rate = field(default_factory=Rate)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer what is let in, and refuse the rest in a sentence."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # a web socket, which is closed unheard
        refused = self.refused(scope)
        if refused is not None:
            await refuse(send, *refused)
            return

        async def sent(message: Any) -> None:
            if message["type"] == "http.response.start":
                own = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message = {**message, "headers": [*message["headers"], *own]}
            await send(message)

        below = scope["path"].removeprefix(f"/{self.token}")
        await self.app({**scope, "path": below, "raw_path": below.encode(), "root_path": ""}, receive, sent)

    def refused(self, scope: Any) -> tuple[int, str] | None:
        """Why a question is not let in: a status, and a sentence."""
        headers = scope["headers"]
        hosts = [value.decode("latin-1") for name, value in headers if name == b"host"]
        origins = [value.decode("latin-1") for name, value in headers if name == b"origin"]
        if len(hosts) != 1 or not self.known(hosts[0]):
            return 400, say("refused.host")
        first, slash, _ = scope["path"].removeprefix("/").partition("/")
        if not slash or not compare_digest(first.encode("utf-8", "replace"), self.token.encode()):
            return 404, say("refused.token")
        if scope["method"] not in ("GET", "HEAD", "POST"):
            return 405, say("refused.method")
        if scope["method"] == "POST" and origins != [f"http://{hosts[0]}"]:
            return 403, say("refused.origin")
        if scope["method"] == "POST" and not self.rate.taken(time.monotonic()):
            return 429, say("refused.rate")
        return None


async def refuse(send: Any, status: int, sentence: str) -> None:
    """A sentence instead of an answer."""
    body = json.dumps({"error": sentence}).encode()
    own = {"content-type": "application/json", "content-length": str(len(body)), **HEADERS}
    headers = [(name.encode(), value.encode()) for name, value in own.items()]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def is_loopback(host: str) -> bool:
    """Whether a host is this machine, and cannot be reached from another.

    >>> [is_loopback(host) for host in ("127.0.0.1", "localhost", "::1", "0.0.0.0", "example.org")]
    [True, True, True, False, False]
    """
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def hosts_of(host: str, port: int) -> Callable[[str], bool]:
    """Which hosts a page served at one may be asked for under.

    A name that anybody can point at this machine is none of them: by such a name another site's page could ask.
    """
    names = {host, socket.gethostname().lower()}

    def known(given: str) -> bool:
        name, at = split(given)
        if at != port:
            return False
        return is_loopback(name) if is_loopback(host) else name in names or is_address(name)

    return known


def split(given: str) -> tuple[str, int]:
    """A host and its port; port 80 where none is given.

    >>> split("127.0.0.1:8000"), split("[::1]:8000"), split("localhost")
    (('127.0.0.1', 8000), ('::1', 8000), ('localhost', 80))
    """
    name, colon, port = given.rpartition(":")
    if not colon or given.endswith("]"):
        name, port = given, "80"
    whole = port.isascii() and port.isdigit() and len(port) < 6
    return name.removeprefix("[").removesuffix("]").lower(), int(port) if whole else -1


def is_address(name: str) -> bool:
    """Whether a host is an address of numbers."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
