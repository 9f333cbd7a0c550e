"""The pictures of README and docs, from a demo that was run: ``python tools/pictures.py demo`` (needs Chromium).

docs/report.png is the top of the demo's page. docs/play-fooled.png and play-held.png are `unfooled play` on its two
models: a sentence that fools the plain one, sent to the robust one, and the same sentence under attack there.
"""

import base64
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "grounds"))

from browser import Tab, browsing  # noqa: E402 (where the tests of the pages keep their browser)
from play_page import click, fooled, opened, until  # noqa: E402

DOCS = ROOT / "docs"
ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+/\S+/")


def told(demo: Path) -> str:
    """A sentence that fooled the plain model by the fewest words, and on which the robust one held."""
    logs = {name: next((demo / "results").glob(f"*{name}*/pwws/examples.jsonl")) for name in ("plain", "robust")}
    records = {name: [json.loads(line) for line in log.read_text().splitlines()[1:]] for name, log in logs.items()}
    held = {one["index"] for one in records["robust"] if one["outcome"] == "held"}
    some = [one for one in records["plain"] if one["outcome"] == "fooled" and one["index"] in held]
    return str(min(some, key=lambda one: (len(one["changes"]), one["index"]))["texts"][0])


def clipped(tab: Tab, path: Path, top: str, bottom: str, width: int) -> None:
    """A picture of the page from the top of one element to the bottom of another, both as expressions."""
    tab.ask("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
    high, low = (
        tab.run(f"{one}.getBoundingClientRect().{edge} + scrollY") for one, edge in ((top, "top"), (bottom, "bottom"))
    )
    clip = {"x": 0, "y": max(high - 20, 0), "width": width, "height": low - max(high - 20, 0) + 20, "scale": 1}
    shot = tab.ask("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
    path.write_bytes(base64.b64decode(shot["data"]))


def headed(text: str) -> str:
    """The expression for a heading of these words."""
    return f"[...document.querySelectorAll('h2')].find((one) => one.textContent.trim() === {json.dumps(text)})"


def play(tab: Tab, demo: Path, sentence: str) -> None:
    """The live page: the plain model fooled, its adversary sent to the robust one; then that one attacked itself."""
    command = [sys.executable, "-m", "unfooled", "play", "plain", "robust", "--no-open"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=demo, stdout=pipe, stderr=subprocess.STDOUT, text=True) as server:  # noqa: S603
        assert server.stdout is not None
        address = next(found[0] for line in server.stdout if (found := ADDRESS.search(line)))
        try:
            opened(tab, address)
            fooled(tab, sentence)
            click(tab, "#outcome .row button")
            until(tab, "document.querySelector('#outcome .verdicts li')")
            until(tab, "document.querySelectorAll('.heat').length === 2")
            outcome = "document.querySelector('#outcome')"
            clipped(tab, DOCS / "play-fooled.png", headed("Type"), outcome, 1100)
            tab.run("document.getElementById('player').value = '1'")
            tab.run("document.getElementById('player').dispatchEvent(new Event('change'))")
            click(tab, "#go")
            until(tab, "document.querySelector('#outcome h3')?.innerText.includes('robust')")
            clipped(tab, DOCS / "play-held.png", headed("Fool it"), outcome, 1100)
        finally:
            server.terminate()


def main(demo: Path) -> None:
    """Take all three."""
    with tempfile.TemporaryDirectory() as folder, browsing(Path(folder)) as tab:
        tab.open(demo / "report.html")
        examples = "[...document.querySelectorAll('section')].find((one) => one.textContent.startsWith('Fooled, for'))"
        clipped(tab, DOCS / "report.png", "document.body", examples, 1080)
        play(tab, demo, told(demo))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
