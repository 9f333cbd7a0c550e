"""docs/api.md: everything that ``import unfooled as uf`` offers, by kind: ``python tools/api_page.py``.

The page lists the names of ``unfooled.__all__``; what stands below them is read off the docstrings by the site.
"""

from collections.abc import Iterable
from pathlib import Path

import unfooled
from unfooled.attacks.table import ATTACKS
from unfooled.methods.table import METHODS

PAGE = Path(__file__).parents[1] / "docs" / "api.md"
HEAD = """# API

```python
import unfooled as uf
```

Everything below is in `uf`. Importing it is cheap: torch is loaded by the first name that needs it. What is not here is
inside, and may change from one version to the next ([the map](map.md)). Signatures and words are the code's; this page
lists the names of `unfooled.__all__`, by `python tools/api_page.py`, and the site fills in the rest.
"""
SAYS = {
    "Commands": "What the command line does, as functions.",
    "Ways of training": "Settings of `uf.train(…, method=…)`; their bounds: [All settings](settings.md#methods).",
    "Attacks": "Settings of `uf.attack(…, attack=…)`; see [Word attacks](attacks.md).",
    "Other names": "What these take and give.",
}


def is_function(name: str) -> bool:
    """Whether a public name is called, not built."""
    return name[0].islower()


def kinds() -> dict[str, list[str]]:
    """The public names by what they are."""
    methods, attacks = set(METHODS.exports), set(ATTACKS.exports)
    named = {name: [] for name in SAYS}
    for name in unfooled.__all__:
        kind = "Ways of training" if name in methods else "Attacks" if name in attacks else "Other names"
        named["Commands" if is_function(name) else kind].append(name)
    return named


def block(names: Iterable[str]) -> list[str]:
    """The names as places that the site fills in."""
    lines = ["```{eval-rst}"]
    for name in names:
        lines.append(f".. auto{'function' if is_function(name) else 'class'}:: unfooled.{name}")
        lines.append("")
    return [*lines[:-1], "```", ""]


def page() -> str:
    """The whole page."""
    lines = [HEAD]
    for kind, names in kinds().items():
        lines += [f"## {kind}", "", SAYS[kind], "", *block(names)]
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
