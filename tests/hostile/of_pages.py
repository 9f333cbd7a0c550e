"""Hostile pages: names, labels and texts of logs that would run in a browser, or in a spreadsheet, or on a terminal."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hostile.grounds_of import ATTACK, copied
from hostile.hostile_input import Hostile, Make, taken

PAYLOADS = {
    "a script": "<script>document.title='owned'</script>",
    "a script that ends another": "</script><script>document.title='owned'</script>",
    "an image": '"><img src=x onerror="document.title=\'owned\'">',
    "an attribute": "' onmouseover='alert(1)' x='",
    "a style": "</style><style>*{display:none}</style>",
    "an entity": "&lt;script&gt;&#x3c;script&#x3e;",
    "a comment": "<!--<script>--><svg/onload=alert(1)>",
    "a frame": "<iframe srcdoc='<script>alert(1)</script>'>",
    "an address": "javascript:alert(1)//http://127.0.0.1:9/x.png",
    "a base": '<base href="http://127.0.0.1:9/">',
    "a refresh": '<meta http-equiv="refresh" content="0;url=http://127.0.0.1:9/">',
    "bidi": "\u202egnp.exe\u2066\u2069\u200f",
    "escapes": "\x1b]0;owned\x07\x1b[2J\x9b31m",
    "halves of letters": "\ud800 good \udfff",
    "separators": "a\u2028b\u2029c\x00d",
    "a formula": "=cmd|'/C calc'!A0",
    "a template": "{{7*7}}${7*7}<%= 7*7 %>#{7*7}",
    "a text without end": "word " * 100_000,
    "zalgo": "a" + "\u0301" * 50_000,
}


def page(payload: str, text: bool) -> Make:
    """A page of an attack whose names, or texts, are a payload."""

    def make(root: Path) -> Sequence[str | Path]:
        path = copied(root, "attack") / ATTACK
        header, *records = [json.loads(line) for line in path.read_text().splitlines()]
        if text:
            records = [spoilt(record, payload) for record in records]
        else:
            header |= {"model": payload, "labels": [payload, "b"], "data": payload}
        path.write_text("".join(json.dumps(one) + "\n" for one in (header, *records)))
        return ["report", "attack", "--out", "page.html"]

    return make


def spoilt(record: dict[str, Any], payload: str) -> dict[str, Any]:
    """A record whose texts are a payload."""
    changes = [{"place": 1, "old": payload, "new": payload}] if record["changes"] else []
    adversary = record["adversary"] and [f"a {payload} film"]
    return {**record, "texts": [f"a good {payload}"], "adversary": adversary, "changes": changes, "note": payload}


def inputs() -> list[Hostile]:
    kinds = {"names": False, "texts": True}
    return [
        taken(f"page, {kind}: {name}", page(payload, text), holds=("page.html",))
        for name, payload in PAYLOADS.items()
        for kind, text in kinds.items()
    ]
