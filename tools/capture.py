"""What the commands of a page print, put into the page: ``python tools/capture.py docs/quickstart.md FOLDER``.

Blocks of Python and of a shell are run from the first to the last, in FOLDER, where what they make stays; a block of
text that stands right behind one gets its output, as it came where there is no terminal. A command that fails ends the
tool, but for a gate, whose answer that is.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

BLOCKS = re.compile(
    r"```(?P<language>python|bash)\n(?P<code>.*?)```(?P<after>\n\n```text\n(?P<old>.*?)```)?", re.DOTALL
)
WIDTH = "140"  # of tables, which go by the terminal's


def printed(language: str, code: str, folder: Path) -> str:
    """What a block prints, on both channels in their order."""
    here = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{here}:{os.environ['PATH']}", "COLUMNS": WIDTH, "NO_COLOR": "1"}
    command = [sys.executable, "-c", code] if language == "python" else ["bash", "-c", f"set -e\n{code}"]
    done = subprocess.run(  # noqa: S603 (the page is ours)
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if done.returncode and "unfooled gate" not in code:
        sys.exit(f"{code}\nended with {done.returncode}:\n{done.stdout}")
    return "\n".join(line.rstrip() for line in done.stdout.replace(str(folder), ".").strip("\n").splitlines())


def captured(page: str, folder: Path) -> str:
    """The page with what its blocks print."""

    def renewed(block: re.Match[str]) -> str:
        output = printed(block["language"], block["code"], folder)
        print(block["code"], output, sep="\n", flush=True)
        whole = f"```{block['language']}\n{block['code']}```"
        return whole if block["after"] is None else f"{whole}\n\n```text\n{output}\n```"

    return BLOCKS.sub(renewed, page)


def main(name: str, folder: str | None = None) -> None:
    """Run the blocks of a page and write the page anew."""
    page = Path(name)
    with tempfile.TemporaryDirectory() as new:
        place = Path(folder or new).resolve()
        place.mkdir(parents=True, exist_ok=True)
        page.write_text(captured(page.read_text(encoding="utf-8"), place), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
