"""A real headless Chromium, spoken to over the DevTools protocol through two pipes."""

import base64
import fcntl
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = [
    "--headless=new",
    "--no-sandbox",  # tests run as root in a container; the pages are our own
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-background-networking",
    "--no-first-run",
    "--remote-debugging-pipe",
]


def found_browser() -> str | None:
    return next((path for name in NAMES if (path := shutil.which(name))), None)


# .ci/run sets UNFOOLED_BROWSER=required: there a missing browser is a failure.
REQUIRED = os.environ.get("UNFOOLED_BROWSER") == "required"
MISSING = "no Chromium on this machine; apt-get install chromium to run the page for real"
needs_browser = pytest.mark.skipif(found_browser() is None and not REQUIRED, reason=MISSING)


class Tab:
    """One page of a browser: asks it things and keeps what it reports in between."""

    def __init__(self, read: int, write: int) -> None:
        self.read, self.write = os.fdopen(read, "rb", buffering=0), os.fdopen(write, "wb", buffering=0)
        self.buffer, self.number, self.session = b"", 0, ""
        self.events: list[dict[str, Any]] = []
        self.further()

    def further(self) -> str:
        """Open one more page and speak to that; ``session`` says which page is spoken to."""
        self.session = ""
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for room in ("Page", "Runtime", "Network", "Log", "Accessibility"):
            self.ask(f"{room}.enable")
        return self.session

    def ask(self, method: str, **given: Any) -> dict[str, Any]:
        """The browser's answer to one command."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": given}
        if self.session:
            message["sessionId"] = self.session
        self.write.write(json.dumps(message).encode() + b"\0")
        while True:
            heard = self.hear()
            if heard.get("id") == self.number:
                assert "error" not in heard, f"{method}: {heard['error']}"
                return heard["result"]
            self.events.append(heard)

    def hear(self) -> dict[str, Any]:
        while b"\0" not in self.buffer:
            chunk = self.read.read(1 << 16)
            assert chunk, "the browser has gone"
            self.buffer += chunk
        line, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(line)

    def open(self, place: Path | str) -> float:
        """Open a file or an address; the seconds until its script has run."""
        began = time.monotonic()
        address = place if isinstance(place, str) else place.resolve().as_uri()
        self.ask("Page.navigate", url=address)
        while self.run("location.href + document.readyState") != address + "complete":
            time.sleep(0.01)
        return time.monotonic() - began

    def run(self, code: str) -> Any:
        """The value of an expression in the page."""
        answer = self.ask("Runtime.evaluate", expression=code, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def until(self, code: str) -> Any:
        """The first true value of an expression, waited for."""
        for _ in range(500):
            if value := self.run(code):
                return value
            time.sleep(0.01)
        raise AssertionError(f"never true: {code}")

    def press(self, key: str, code: int, **more: Any) -> None:
        """Press a key and let it go; ``text`` is what it types, ``modifiers`` are 2 for Ctrl and 8 for Shift."""
        for kind in ("keyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **more)

    def seen(self, method: str) -> list[dict[str, Any]]:
        """What the browser reported of a kind."""
        return [event["params"] for event in self.events if event.get("method") == method]

    def picture(self, path: Path, width: int = 1280, dark: bool = False, height: int = 900) -> None:
        """A screenshot of the whole page."""
        self.ask(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.ask("Emulation.setEmulatedMedia", features=[scheme])
        shot = self.ask("Page.captureScreenshot", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(shot["data"]))


@contextmanager
def browsing(folder: Path) -> Iterator[Tab]:
    """A browser of its own for as long as the block lasts."""
    own = found_browser()
    assert own is not None, MISSING
    ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 20) for pair in (os.pipe(), os.pipe()) for end in pair]
    orders_read, orders_write, answers_read, answers_write = ends

    def place() -> None:
        os.dup2(orders_read, 3)
        os.dup2(answers_write, 4)

    process = subprocess.Popen(
        [own, *FLAGS, f"--user-data-dir={folder}", "about:blank"],
        preexec_fn=place,
        pass_fds=(3, 4),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(orders_read)
    os.close(answers_write)
    tab = Tab(answers_read, orders_write)
    try:
        yield tab
    finally:
        process.terminate()
        process.wait(timeout=20)
        tab.read.close()
        tab.write.close()
