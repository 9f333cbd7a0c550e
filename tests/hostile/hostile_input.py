"""What a hostile input is, and what must become of it."""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Make = Callable[[Path], Sequence[str | bytes | Path]]  # fills a folder with files; the arguments of the command
SECONDS, MEGABYTES = 2.0, 300.0
STEERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
PAYLOAD = "payload-ran"  # the file that a payload, were it run, would leave in its folder


@dataclass(frozen=True)
class Hostile:
    """An input and the command it is given to.

    ``heavy`` are those that only a process with torch can refuse. ``codes`` are the exit codes it may end with: 2, in
    one sentence, unless it is to be taken and must do no harm.
    """

    name: str
    make: Make
    heavy: bool = False
    codes: tuple[int, ...] = (2,)
    says: str = ""  # a pattern that the sentence has
    holds: tuple[str, ...] = ()  # files that are looked at for what would steer a terminal or run on a page
    environment: dict[str, str] = field(default_factory=dict)


def taken(name: str, make: Make, **options: Any) -> Hostile:
    """An input that may be taken, if it does no harm."""
    return Hostile(name, make, **{"codes": (0, 2), **options})


class Server:
    """A process that runs commands in forks of itself."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process
        self.bare = self.answer()

    def answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def run(self, folder: Path, arguments: Sequence[str | bytes | Path], environment: dict[str, str]) -> dict[str, Any]:
        words = [word if isinstance(word, bytes) else str(word).encode() for word in arguments]
        asked = {"folder": str(folder), "arguments": [word.hex() for word in words], "environment": environment}
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(asked) + "\n")
        self.process.stdin.flush()
        return self.answer()


@contextmanager
def server(kind: str, folder: Path) -> Iterator[Server]:
    """A server for as long as it is asked."""
    here = Path(__file__)
    folder.mkdir(parents=True, exist_ok=True)
    with subprocess.Popen(
        [sys.executable, str(here.with_name("serve.py")), kind, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment_of(here.parents[1]),
    ) as process:
        yield Server(process)
        assert process.stdin is not None
        process.stdin.close()


def environment_of(tests: Path) -> dict[str, str]:
    """That of this process, able to import what tests share; the hub is not said to be out of reach."""
    import os

    paths = [str(tests.parent / "src"), str(tests / "grounds"), os.environ.get("PYTHONPATH", "")]
    plain = {"PYTHONPATH": os.pathsep.join(filter(None, paths)), "OMP_NUM_THREADS": "1", "COLUMNS": "200"}
    kept = {name: value for name, value in os.environ.items() if name not in ("HF_HUB_OFFLINE", "UNFOOLED_DATA")}
    return {**kept, **plain, "TOKENIZERS_PARALLELISM": "false", "HF_ENDPOINT": "http://127.0.0.1:9"}


def spent(one: Hostile, answer: dict[str, Any], bare: dict[str, Any]) -> tuple[float, float]:
    """Processor seconds and megabytes that count: all of them, of heavy ones those above a bare import."""
    if one.heavy:
        return answer["seconds"], answer["megabytes"] - bare["megabytes"]
    return answer["seconds"] + bare["seconds"], answer["megabytes"]


def complaints(one: Hostile, answer: dict[str, Any], bare: dict[str, Any], folder: Path) -> list[str]:
    """What is wrong with how a command took a hostile input."""
    lines = answer["err"].strip().splitlines()
    sentences = [line for line in lines if line.startswith("unfooled: ")]  # behind notes on the data, where it was read
    seconds, megabytes = spent(one, answer, bare)
    wrong = {
        f"exit code {answer['code']}": answer["code"] not in one.codes,
        "a traceback": "Traceback" in answer["err"],
        "not one sentence": answer["code"] == 2 and sentences != lines[-1:],
        f"not said: {one.says}": bool(one.says) and answer["code"] == 2 and not re.search(one.says, answer["err"]),
        "a sentence without end": answer["code"] == 2 and len(answer["err"]) > 1500,
        f"{seconds:.1f} s of the processor": seconds > SECONDS,
        f"{megabytes:.0f} MB": megabytes > MEGABYTES,
        "steers the terminal": STEERS.search(answer["out"] + answer["err"]) is not None,
        "torch was imported to refuse it": answer["torch"] and not one.heavy,
        f"opened sockets {answer['sockets'][:2]}": bool(answer["sockets"]),
        "the payload ran": bool(list(folder.rglob(PAYLOAD))) or Path("/tmp", PAYLOAD).exists(),
    }
    return [said for said, is_so in wrong.items() if is_so]
