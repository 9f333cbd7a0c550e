"""A process that has imported what commands need and runs each command asked for in a fork of itself, under limits.

Asked on its standard input, a line of JSON per command: the arguments and the folder to work in. It answers with the
exit code, processor seconds and peak memory (both with what the imports took, and what a fork that does nothing takes),
what was printed, whether torch was imported, and what sockets were opened.
"""

import contextlib
import importlib
import json
import os
import resource
import signal
import socket
import sys
import traceback
from typing import Any, NoReturn

LIGHT = ("unfooled.cli.main", "unfooled.commands.gate", "unfooled.commands.report", "unfooled.commands.verify")
LIGHT += (
    "unfooled.tasks.reading",
    "unfooled.cli.printed.tables",
    "unfooled.models.locate",
    "unfooled.recipe.data_part",
)
HEAVY = (*LIGHT, "warm", "skops.io")
HEAVY += ("unfooled.commands.train", "unfooled.commands.attack", "unfooled.commands.evaluate")
WAITING = 120  # seconds of the clock
SECONDS = 10  # of a processor after which a fork is ended: what takes so long is not waited for


def forked(asked: dict[str, Any] | None, out: str, err: str, seen: str) -> NoReturn:
    """The fork: run one command as a process of its own would, and leave."""
    code, sockets = 1, []
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 5))
    signal.alarm(WAITING)  # whoever waits for a pipe needs no processor
    for number, path in ((1, out), (2, err)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), number)

    def recorded(event: str, given: tuple[Any, ...]) -> None:
        if event == "socket.connect" or event == "socket.getaddrinfo":
            sockets.append(f"{event} {given[1:]}")

    sys.addaudithook(recorded)
    try:
        if asked is not None:
            os.chdir(asked["folder"])
            os.environ.update(asked.get("environment", {}))
            sys.argv = ["unfooled", *(os.fsdecode(bytes.fromhex(word)) for word in asked["arguments"])]
            from unfooled.cli.main import main

            main()
        code = 0
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else 0 if leaving.code is None else 1
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        with open(seen, "w", encoding="utf-8") as file:
            json.dump({"torch": "torch" in sys.modules, "sockets": sockets}, file)
        os._exit(code)


def run(asked: dict[str, Any] | None, folder: str) -> dict[str, Any]:
    """One command in a fork, and what became of it."""
    out, err, seen = (os.path.join(folder, name) for name in ("out", "err", "seen"))
    for path in (out, err, seen):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
    child = os.fork()
    if child == 0:
        forked(asked, out, err, seen)
    _, status, usage = os.wait4(child, 0)
    answer = {
        "code": os.waitstatus_to_exitcode(status),
        "seconds": usage.ru_utime + usage.ru_stime,
        "megabytes": usage.ru_maxrss / 1024,
    }
    for name, path in (("out", out), ("err", err)):
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            answer[name] = file.read(100_000)
    facts: dict[str, Any] = {"torch": False, "sockets": []}
    with contextlib.suppress(OSError, ValueError), open(seen, encoding="utf-8") as file:
        facts = json.load(file)
    return {**answer, **facts}


def serve(kind: str, folder: str) -> None:
    """Import, say what that took, and answer until nobody asks."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for name in LIGHT if kind == "light" else HEAVY:
        importlib.import_module(name)
    socket.setdefaulttimeout(2)
    own = resource.getrusage(resource.RUSAGE_SELF)
    bare = run(None, folder)
    print(json.dumps({"seconds": own.ru_utime + own.ru_stime, "megabytes": bare["megabytes"]}), flush=True)
    for line in sys.stdin:
        print(json.dumps(run(json.loads(line), folder)), flush=True)


if __name__ == "__main__":
    serve(*sys.argv[1:3])
