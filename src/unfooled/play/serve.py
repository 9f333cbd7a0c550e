"""What a person calls to play: a server on this machine that lives until it is told to end."""

import os
import secrets
import socket
import sys
import time
import webbrowser
from collections.abc import Callable, Sequence
from functools import partial
from threading import Timer
from typing import Any

from unfooled.errors import BadInput, Stopped
from unfooled.play.game import Game
from unfooled.play.guard import Guard, hosts_of, is_loopback
from unfooled.play.line import WaitingLine
from unfooled.play.wording import say

PORT = 8021
SAYING: Callable[[str], None] = partial(print, flush=True)  # at once, though it go into a file
TRIED = 20  # ports after the first
FAREWELL = 1.0  # seconds in which the page can hear why nothing was opened
# A server that says nothing itself, and waits a second for those who are still listening.
QUIET: dict[str, Any] = {
    "log_level": "critical",
    "access_log": False,
    "lifespan": "off",
    "ws": "none",
    "http": "h11",
    "server_header": False,
    "timeout_graceful_shutdown": 1,
}


def serve(
    names: Sequence[str],
    host: str = "127.0.0.1",
    port: int = PORT,
    allow_remote: bool = False,
    show: bool = True,
    tell: Callable[[str], None] = SAYING,
) -> None:
    """Open a page for models, or for a results folder, and answer it until Ctrl-C; ``show`` starts a browser.

    Models are opened while the page is there already, and says so. Nothing is written but what is ticked.
    """
    try:
        import uvicorn

        from unfooled.play.server import application
    except ImportError as error:
        raise BadInput(f"play needs {error.name}; run: pip install 'unfooled[play]'") from None
    if not is_loopback(host):
        check_remote(host, allow_remote, tell)
    listening = bound(host, port, tell)
    port = listening.getsockname()[1]
    token, game = secrets.token_urlsafe(24), Game(names)
    line = WaitingLine(lambda announce: opened(game, line, announce, tell), lambda: leaving.start())
    guarded = Guard(application(game, line), token, hosts_of(host, port))
    server = uvicorn.Server(uvicorn.Config(guarded, **QUIET))
    leaving = Timer(FAREWELL, lambda: setattr(server, "should_exit", True))
    address = f"http://{named(host)}:{port}/{token}/"
    tell(say("address", address=address))
    line.thread.start()
    if show and has_display():
        Timer(0.5, webbrowser.open, [address]).start()
    try:
        server.run(sockets=[listening])
    except (KeyboardInterrupt, Stopped):
        tell(say("ended"))
    finally:
        line.close()
        line.thread.join(FAREWELL)  # what it was at ends where it next looks up
        listening.close()
    if line.failure is not None:
        raise line.failure


def opened(game: Game, line: WaitingLine, announce: Callable[[str], None], tell: Callable[[str], None]) -> None:
    """Open what is played with; the page and the terminal are told what is being opened."""
    began = time.monotonic()

    def both(news: str) -> None:
        tell(news)
        announce(news)

    game.open(both)
    line.chores.extend(game.chores())
    tell(say("ready", seconds=f"{time.monotonic() - began:.1f}"))


def check_remote(host: str, allowed: bool, tell: Callable[[str], None]) -> None:
    """Refuse a host that others can reach, unless that is meant; then say what it means."""
    if not allowed:
        raise BadInput(
            f"--host {host} can be reached from other machines; leave it out, or add --allow-remote: whoever has the "
            "address can then use the models and tick results, and everybody on the way can read what is typed"
        )
    tell(say("remote"))


def bound(host: str, port: int, tell: Callable[[str], None]) -> socket.socket:
    """A socket that listens at the port, or at the next one that is free."""
    if not 0 <= port <= 65535:
        raise BadInput(f"--port {port} is no port; give one from 1024 to 65535, or 0 for any that is free")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for place in range(port, min(port + TRIED, 65535) + 1) if port else [0]:
        listening = socket.socket(family, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, place))
            listening.listen(128)
        except OSError as error:
            listening.close()
            reason = error.strerror or str(error)
            continue
        if place != port:
            tell(say("port", port=port, other=place))
        return listening
    raise BadInput(f"no page can be served at {host}, port {port} ({reason}); choose another --host or --port")


def named(host: str) -> str:
    """A host as an address has it; one that stands for all of them as this machine."""
    if host in ("0.0.0.0", "::"):  # noqa: S104  # nosec B104
        return socket.gethostname()
    return f"[{host}]" if ":" in host else host


def has_display() -> bool:
    """Whether a browser would open in a window of its own, and not in this terminal."""
    return sys.platform in ("darwin", "win32") or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
