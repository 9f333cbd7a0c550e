"""The one way to the terminal: whatever is printed passes here, and nothing in it can steer the terminal.

Texts, labels and names of models come out of files. A control sequence in one of them would move the cursor, rename
the window or hide what follows; here it is shown instead of obeyed. Bars and tables are made by rich, whose own
sequences are the only ones that go out.
"""

import sys
import unicodedata
from collections.abc import Iterable
from typing import Any, TextIO

# Characters that change how their neighbours are shown, or that no file can hold: said, not obeyed.
UNSEEN = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
HARMLESS = {"\n", "\t", "\u200d", "\u200c", "\u00ad"}  # joiners belong to words and emoji


def visible(text: str) -> str:
    """The text with controls (escapes, bidi overrides, halves of characters, …) as visible marks.

    >>> visible("a\\u202eb\\x1b[2J")
    'a⟨U+202E⟩b⟨U+001B⟩[2J'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        f"⟨U+{ord(char):04X}⟩" if unicodedata.category(char) in UNSEEN and char not in HARMLESS else char
        for char in text
    )


def say(*lines: object, error: bool = False) -> None:
    """Print lines, to the error stream where told so: a line end inside one, out of a name, begins no other."""
    for line in lines or ("",):
        write(visible(str(line)).replace("\n", "⟨U+000A⟩"), sys.stderr if error else sys.stdout)


def give(line: str) -> None:
    """Hand a line on: to another program or a file as it is, to a terminal as all else."""
    write(visible(line) if sys.stdout.isatty() else line, sys.stdout)


def write(text: str, stream: TextIO) -> None:
    """Print a text at once; what the stream has no letters for is spelt out."""
    print(spelt(text, stream), file=stream, flush=True)


def spelt(text: str, stream: TextIO) -> str:
    """The text with letters that a stream's encoding lacks as ASCII, as where the terminal is set to plain C.

    >>> import io
    >>> spelt("a → b", io.TextIOWrapper(io.BytesIO(), "ascii"))
    'a \\\\u2192 b'
    """
    encoding = stream.encoding or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.encode(encoding, "backslashreplace").decode(encoding)
    return text


def forgiving() -> None:
    """Have both streams spell out what they have no letters for, whoever writes to them."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def console(error: bool = False, **options: Any) -> Any:
    """A console of rich for tables, colours and bars: brackets are no markup, and controls are shown."""
    from rich.console import Console
    from rich.segment import Segment

    class Guarded(Console):
        """Shows what is given to it and obeys nothing in it; what rich itself steers by has marks of its own."""

        def render_str(self, text: str, **told: Any) -> Any:
            """A string as rich lays it out: as wide as what is shown of it."""
            return super().render_str(visible(text), **told)

        def render(self, *given: Any, **told: Any) -> Iterable[Segment]:
            """The pieces of what is printed."""
            for segment in super().render(*given, **told):
                yield segment if segment.control else Segment(visible(segment.text), segment.style)

    return Guarded(stderr=error, markup=False, emoji=False, highlight=False, **options)


def show(*renderables: Any, **options: Any) -> None:
    """Print tables and coloured texts."""
    console().print(*renderables, **options)
