"""A client that asks anything in any way: half-sent questions, strange bytes, wrong methods, hostile texts."""

import contextlib
import json
import random
import socket

from play_ground import SENTENCE
from stories import HOSTILE

from unfooled.attacks.table import ATTACKS
from unfooled.play.game import ADDRESSES
from unfooled.text.changes import CHANGES

WORDS = [*SENTENCE.split(), "not", "isn't", "Paris", "12", "\u202e", "\x00", "é", "日本語", "🙂", "</script>", HOSTILE]
METHODS = ["POST"] * 40 + ["GET", "PUT", "OPTIONS", "HEAD", "TRACE", "post", "\x00"]


def text(draw: random.Random) -> str:
    """A text of some words, now and then a long one."""
    return draw.choice([" ", "", "\n"]).join(draw.choices(WORDS, k=draw.choice([0, 1, 5, 20, 200])))


def question(draw: random.Random, address: str) -> bytes:
    """What is sent: something well formed, something nearly so, or anything."""
    quick = [name for name in ATTACKS if not ATTACKS[name]().near_words]
    odd = draw.random() < 0.2  # one value in the wrong place
    values = {
        "texts": [text(draw) for _ in range(draw.choice([0, 3] if odd else [1, 1, 2]))],
        "original": [text(draw), "\ud800"][: 1 + odd],
        "attack": draw.choice(["nothing", 3] if odd else quick),
        "player": draw.choice([2, -1, 10**30, "0"] if odd else [0, 1]),
        "column": draw.choice([None, 0, 1, 2]),
        "change": "nothing" if odd else draw.choice([*CHANGES]),
        "again": draw.choice([0, 1, 10**9]),
        "should": None if odd else draw.choice(["stay", "change"]),
        "case": draw.choice([0, 7, -1]),
        "changed": draw.choice([True, False, "yes"]),
    }
    form, _ = ADDRESSES.get(address, ADDRESSES["ask"])
    keys = [*form.model_fields] if draw.random() < 0.8 else draw.sample([*values], 3)
    body = json.dumps({key: values[key] for key in keys}).encode()
    spoilt = [body[: len(body) // 2], draw.randbytes(50), b"[" * 1000, b"", b"null", b"NaN", b"x" * 300_000]
    return body if draw.random() < 0.85 else draw.choice(spoilt)


def request(draw: random.Random, port: int, token: str) -> bytes:
    """A whole request, as it goes over the wire."""
    address = draw.choice([*ADDRESSES, *ADDRESSES, "", "../ask", "ask?x=1", "%00", "🙂"])
    body, own = question(draw, address), f"127.0.0.1:{port}"
    head = {"host": own, "origin": f"http://{own}", "content-type": "application/json"}
    head["content-length"] = str(len(body))
    if draw.random() < 0.1:
        head[draw.choice([*head])] = draw.choice(["", "example.org", "-1", "\x7f", "a" * 9000])
    first = f"{draw.choice(METHODS)} /{token}/{address} HTTP/1.1"
    lines = [first, *(f"{name}: {value}" for name, value in head.items())]
    return "\r\n".join([*lines, "connection: close", "", ""]).encode("utf-8", "surrogatepass") + body


def status_of(draw: random.Random, port: int, token: str) -> int | None:
    """The status of the answer to one random request; None where we hung up, or nothing was answered."""
    whole = request(draw, port, token)
    hangs_up = draw.random() < 0.1
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(whole[: draw.randrange(len(whole))] if hangs_up else whole)
        heard = connection.recv(64) if not hangs_up else b""
        while not hangs_up and draw.random() < 0.98 and (more := connection.recv(65536)):
            heard += more if len(heard) < 64 else b""
        return int(heard.split(b" ", 2)[1]) if heard.startswith(b"HTTP/1.1 ") else None
    return None
