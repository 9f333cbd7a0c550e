"""A server that a person named: JSON there and back, asked again where it is busy, its key never shown.

Nothing is sent anywhere but to the address as it was typed: redirects are not followed, and a key goes over plain
http to this machine alone.
"""

import http.client
import json
import os
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from unfooled.errors import BadInput
from unfooled.parsing import json_value
from unfooled.seeds import digest

BUSY = (408, 425, 429, 500, 502, 503, 504)  # what may be otherwise in a moment
REFUSED = (401, 403)
FIRST_WAIT, LONGEST_WAIT = 0.25, 60.0  # seconds
LARGEST = 64 * 2**20  # bytes of an answer
SHOWN = 200  # characters of what a server says
HERE = ("localhost", "127.0.0.1", "::1")


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """A server that points elsewhere has not answered."""

    def redirect_request(self, *args: Any, **options: Any) -> None:
        """Nowhere."""


@dataclass(frozen=True)
class Server:
    """An address, and how patiently it is asked; ``key_variable`` names what holds its key in the environment."""

    url: str
    key_variable: str = ""
    timeout: float = 60.0
    retries: int = 5
    pause: Callable[[float], None] = time.sleep

    def __post_init__(self) -> None:
        parts = urllib.parse.urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise BadInput(f"{self.name} is no address of a server; write it like http://127.0.0.1:8000/predict")
        if parts.username or parts.password:
            raise BadInput(f"{self.name} has a password in its address, which would stand in every log; take it out")
        if self.key and parts.scheme == "http" and not self.is_here:
            raise BadInput(f"{self.name} would get the key of {self.key_variable} unprotected; use https")

    @property
    def name(self) -> str:
        """The address as a log may hold it: without a password, and without what stands behind a question mark."""
        parts = urllib.parse.urlsplit(self.url)
        return urllib.parse.urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))

    @property
    def host(self) -> str:
        """The machine and its port."""
        return urllib.parse.urlsplit(self.name).netloc

    @property
    def is_here(self) -> bool:
        """Whether it runs on this machine."""
        return urllib.parse.urlsplit(self.url).hostname in HERE

    @property
    def key(self) -> str:
        """The key, read when it is used and kept nowhere."""
        return os.environ.get(self.key_variable, "").strip() if self.key_variable else ""

    def asked(self, question: Mapping[str, Any], patient: bool = True) -> Any:
        """The server's answer to a question; busy servers are asked again, each time later.

        One that is not there at all is waited for only by the ``patient``: at first nobody knows that it ever was.
        """
        body = json.dumps(question, ensure_ascii=False).encode("utf-8", errors="replace")
        for turn in range(self.retries + 1):
            try:
                return self.sent(body)
            except urllib.error.HTTPError as error:
                complaint, wait = self.complaint(error), seconds_named(error.headers.get("Retry-After"))
                if error.code not in BUSY:
                    raise BadInput(complaint) from None
            except (OSError, http.client.HTTPException) as error:
                complaint, wait = f"{self.name} does not answer ({reason_of(error)}); is the server running?", None
                if not patient:
                    raise BadInput(complaint) from None
            if turn < self.retries:
                later = FIRST_WAIT * 2**turn * (1 + digest(turn, str(body)) % 1000 / 1000)  # not all at once
                self.pause(min(later if wait is None else max(wait, later), LONGEST_WAIT))
        raise BadInput(f"{complaint} (asked {self.retries + 1} times)")

    def sent(self, body: bytes) -> Any:
        """The answer to one request."""
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        headers |= {"Authorization": f"Bearer {self.key}"} if self.key else {}
        request = urllib.request.Request(self.url, body, headers)  # noqa: S310  # checked: http or https
        proxies = [urllib.request.ProxyHandler({})] if self.is_here else []
        with urllib.request.build_opener(NoRedirects, *proxies).open(request, timeout=self.timeout) as response:
            content = response.read(LARGEST + 1)
        if len(content) > LARGEST:
            raise BadInput(f"{self.name} answers with more than {LARGEST:,} bytes; send fewer texts at once")
        try:
            return json_value(content)
        except ValueError:
            raise BadInput(f"{self.name} answers with what is no JSON ({self.shown(content)!r})") from None

    def complaint(self, error: urllib.error.HTTPError) -> str:
        """What a server's refusal means."""
        try:
            said = self.shown(error.read(LARGEST))
        except (OSError, http.client.HTTPException):
            said = ""
        if error.code in REFUSED:
            known = f"the key in {self.key_variable}" if self.key else "a question without a key"
            mend = f"; set {self.key_variable}" if self.key_variable else ""
            return f"{self.name} refuses {known} ({error.code}){mend}"
        if 300 <= error.code < 400:
            return f"{self.name} points to another address ({error.code}), which is not followed; name that one"
        return f"{self.name} answers {error.code}" + (f" ({said})" if said else "")

    def shown(self, content: bytes) -> str:
        """The beginning of what a server says, in one line and without the key."""
        line = " ".join(content[: 10 * SHOWN].decode(errors="replace").split())
        return (line.replace(self.key, "…") if self.key else line)[:SHOWN]


def seconds_named(header: str | None) -> float | None:
    """How long a server asks to be left alone, where it says so in seconds.

    >>> seconds_named("7"), seconds_named("Mon, 16 Nov 2026 08:00:00 GMT"), seconds_named(None)
    (7.0, None, None)
    """
    return float(header) if header is not None and header.strip().isdecimal() else None


def reason_of(error: Exception) -> str:
    """Why there is no answer, in a few words."""
    inner = getattr(error, "reason", None) or error
    return " ".join(str(inner).split())[:SHOWN] or type(inner).__name__
