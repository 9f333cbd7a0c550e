"""Real servers on loopback, which the tests start and stop: each answers by a function that a test gives it."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np

GOOD = ("good", "fine", "great")
Reply = tuple[int, Any, dict[str, str]]  # status, what is sent as JSON (bytes as they are), headers


@dataclass
class Running:
    """A server under way: where it is, and what it was asked."""

    url: str
    bodies: list[Any] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    busiest: int = 0  # questions at one time
    now: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


def handler(running: Running, answer: Callable[[Any, int], Any]) -> type[BaseHTTPRequestHandler]:
    """What answers the n-th question (from 0)."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with running.lock:
                number = len(running.bodies)
                running.bodies.append(body)
                running.headers.append(dict(self.headers))
                running.now += 1
                running.busiest = max(running.busiest, running.now)
            try:
                self.reply(answer(body, number))
            finally:
                with running.lock:
                    running.now -= 1

        def reply(self, said: Any) -> None:
            if said is None:
                self.close_connection = True
                return
            status, content, headers = said if isinstance(said, tuple) else (200, said, {})
            raw = content if isinstance(content, bytes) else json.dumps(content).encode()
            self.send_response(status)
            for name, value in {"Content-Length": str(len(raw)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *args: object) -> None:
            """Nothing on the terminal."""

    return Handler


@contextmanager
def listening(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """A server on a free port of this machine, until the end; its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def serving(answer: Callable[[Any, int], Any]) -> Iterator[Running]:
    """A server that answers with what ``answer`` makes of a question: JSON, a ``Reply``, or None for not a word."""
    running = Running("")
    with listening(handler(running, answer)) as running.url:
        yield running


def chances(text: str) -> np.ndarray:
    """Of a bag of words: how likely it is negative and positive."""
    words = text.lower().split()
    score = 2.0 * sum(word.strip(".") in GOOD for word in words) - 1
    return np.array([1 / (1 + np.exp(score)), 1 / (1 + np.exp(-score))])


def classified(body: Any, number: int) -> Any:
    """What a server of the plain protocol says."""
    rows = [chances(" ".join(text) if isinstance(text, list) else text).tolist() for text in body["texts"]]
    return {"labels": ["negative", "positive"], "probabilities": rows}


def text_in(body: Any) -> str:
    """The text that a chat is asked about."""
    return str(body["messages"][0]["content"].partition("Text: ")[2].partition("\n\nAnswer")[0])


def completed(body: Any, number: int, with_logprobs: bool = True) -> Any:
    """What a chat server says: letters with their log-probabilities, "B" in two spellings, and a token of no letter."""
    no, yes = chances(text_in(body))
    said = "B" if yes > no else "A"
    whole = {"choices": [{"message": {"role": "assistant", "content": said}}]}
    if with_logprobs:
        listed = {"A": 0.9 * no, "B": 0.6 * yes, " B": 0.3 * yes, "The": 0.1}
        top = [{"token": token, "logprob": float(np.log(chance))} for token, chance in listed.items()]
        whole["choices"][0]["logprobs"] = {"content": [{"token": said, "logprob": -0.1, "top_logprobs": top}]}
    return whole
