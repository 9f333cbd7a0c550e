"""Tiny models to play with, and the real program serving them: in this process, or in one of its own."""

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trained import sentences, trained

from unfooled.heads import HEADS
from unfooled.models import ModelSettings, build
from unfooled.models.encoders.classifier import last_linear
from unfooled.models.encoders.pretrained import save
from unfooled.play.game import Game
from unfooled.play.guard import Guard, hosts_of
from unfooled.play.line import WaitingLine
from unfooled.tokens import encode

LABELS = ("negative", "positive")
TOKEN = "a-token-of-the-tests"
SENTENCE = "the film was good and warm"


def save_model(folder: Path, name: str = "plain", labels: Sequence[str] = LABELS) -> Path:
    """A tiny model that really learnt good words from bad, and takes what it never saw for bad."""
    import torch
    from tiny import reviews, save_encoder

    if not (folder / "encoder").is_dir():
        save_encoder(folder / "encoder", dropout=0.0)
    model = build(ModelSettings(name=str(folder / "encoder"), max_length=32), tuple(labels), 0)
    rows = reviews(96, 3)
    texts = [(text,) for text, _ in rows]
    tokens = encode(model.tokenizer, texts, 32).pad(range(len(texts)))
    gold = torch.tensor([int(label == "positive") for _, label in rows])
    optimizer = torch.optim.Adam(model.classifier.parameters(), lr=3e-3)
    for _ in range(60):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model.classifier(tokens).logits, gold).backward()
        optimizer.step()
    model.classifier.train(False)
    save(model, folder / name, "a tiny model")
    return folder / name


def save_stubborn(folder: Path, name: str = "stubborn", labels: Sequence[str] = LABELS) -> Path:
    """A tiny model that always says the last of its labels."""
    import torch

    model = build(ModelSettings(name=str(folder / "encoder"), max_length=32), tuple(labels), 0)
    last = last_linear(model.classifier.network)
    with torch.no_grad():
        last.weight.zero_()
        last.bias.copy_(torch.arange(len(labels)).float())
    save(model, folder / name, "a tiny model")
    return folder / name


def save_number_model(folder: Path, name: str = "number") -> Path:
    """A tiny model that says a number."""
    own = build(ModelSettings(name=str(folder / "encoder"), max_length=32), ("score",), 0, HEADS["regression"])
    save(own, folder / name, "a tiny model of numbers")
    return folder / name


def save_set_model(folder: Path, name: str = "sets") -> Path:
    """A tiny model that says sets of three labels, really trained."""
    texts, counts = sentences(80, 5)
    gold = [tuple(place for place, one in enumerate((good > 0, bad > 0, True)) if one) for good, bad in counts]
    save(trained(folder, ("warm", "cold", "any"), [(text,) for text in texts], gold), folder / name, "tiny sets")
    return folder / name


@dataclass
class Client:
    """Asks a page's addresses as its script does."""

    port: int
    token: str = TOKEN
    host: str = ""

    @property
    def headers(self) -> dict[str, str]:
        own = self.host or f"127.0.0.1:{self.port}"
        return {"host": own, "origin": f"http://{own}", "content-type": "application/json"}

    def send(
        self, address: str, body: bytes | None = b"{}", method: str = "POST", **headers: str | None
    ) -> tuple[int, dict[str, str], bytes]:
        """The status, headers and body of an answer; a header of None is left out."""
        whole = {**self.headers, **{name.replace("_", "-"): value for name, value in headers.items()}}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            kept = {name: value for name, value in whole.items() if value is not None}
            connection.request(method, f"/{self.token}/{address}", body, kept)
            answer = connection.getresponse()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
        finally:
            connection.close()

    def events(self, address: str, **question: Any) -> list[tuple[str, Any]]:
        """What is told of a question, to its end; a refusal is an event too."""
        status, _, body = self.send(address, json.dumps(question).encode())
        if status != 200:
            return [(str(status), json.loads(body))]
        return told(body.decode())

    def ask(self, address: str, **question: Any) -> Any:
        """The answer to a question."""
        name, data = self.events(address, **question)[-1]
        assert name == "done", (name, data)
        return data

    def refusal(self, address: str, **question: Any) -> str:
        """The sentence a question is refused with."""
        name, data = self.events(address, **question)[-1]
        assert name != "done", data
        return str(data["error"])


def told(stream: str) -> list[tuple[str, Any]]:
    """The events of a stream."""
    blocks = [block.split("\n") for block in stream.split("\n\n") if block.startswith("event: ")]
    return [(first.removeprefix("event: "), json.loads(second.removeprefix("data: "))) for first, second in blocks]


@contextmanager
def serving(*names: Path | str) -> Iterator[tuple[Client, Game, WaitingLine]]:
    """The application in this process, on a free port."""
    import uvicorn

    from unfooled.play.serve import QUIET, bound
    from unfooled.play.server import application

    listening = bound("127.0.0.1", 0, print)
    port = listening.getsockname()[1]
    game = Game([str(name) for name in names])
    line = WaitingLine(game.open, lambda: None)
    guarded = Guard(application(game, line), TOKEN, hosts_of("127.0.0.1", port))
    server = uvicorn.Server(uvicorn.Config(guarded, **QUIET))
    thread = threading.Thread(target=lambda: server.run(sockets=[listening]), daemon=True)
    line.thread.start()
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield Client(port), game, line
    finally:
        server.should_exit = True
        line.close()
        thread.join(timeout=20)
        listening.close()


@contextmanager
def program(*arguments: Path | str, **environment: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """``unfooled play`` in a process of its own: the address it printed, and the process."""
    command = [sys.executable, "-m", "unfooled", "play", *map(str, arguments), "--no-open"]
    own = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1", **environment}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=own)
    try:
        yield printed_address(process), process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        process.wait(timeout=120)
        assert process.stdout is not None
        process.stdout.close()


def printed_address(process: subprocess.Popen[str]) -> str:
    """The address in what a program prints."""
    assert process.stdout is not None
    said = ""
    for line in process.stdout:
        said += line
        if match := re.search(r"http://\S+", line):
            return match.group()
    raise AssertionError(f"no address was printed: {said}")
