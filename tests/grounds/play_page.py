"""What tests do with the page of ``play`` in a browser: open it, type, press, read, wait."""

import json
import time
from typing import Any

from browser import Tab
from play_ground import SENTENCE

PATIENCE = 60.0  # seconds, on a busy machine


def until(tab: Tab, code: str) -> Any:
    """Wait until something is so in the page."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if tab.run(f"Boolean({code})"):
            return True
        time.sleep(0.02)
    raise AssertionError(f"never so: {code}; the page says {tab.run('document.body.innerText')[:600]}")


def opened(tab: Tab, address: str) -> None:
    tab.open(address)
    until(tab, "!document.querySelector('main').hidden || document.getElementById('loading').textContent.endsWith('.')")


def text_of(tab: Tab, selector: str) -> str:
    return tab.run(f"document.querySelector({json.dumps(selector)}).innerText")


def typed(tab: Tab, text: str, place: int = 0) -> None:
    field = f"document.getElementById('text-{place}')"
    tab.run(f"{field}.value = {json.dumps(text)}")
    tab.run(f"{field}.dispatchEvent(new Event('input', {{bubbles: true}}))")


def click(tab: Tab, selector: str) -> None:
    tab.run(f"document.querySelector({json.dumps(selector)}).click()")


def fooled(tab: Tab, text: str = SENTENCE) -> None:
    """Type a sentence and attack it to the end."""
    typed(tab, text)
    click(tab, "#go")
    until(tab, "document.querySelector('#outcome article') || !document.getElementById('fool-error').hidden")
