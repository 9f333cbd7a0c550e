"""How long a person waits before anything happens: ``make bench-start``. Best of five fresh processes each."""

import subprocess
import sys
import time
from pathlib import Path

COMMANDS = {
    "unfooled --help": ([str(Path(sys.executable).with_name("unfooled")), "--help"], 0.5),
    "import unfooled": ([sys.executable, "-c", "import unfooled"], None),
    "python": ([sys.executable, "-c", "pass"], None),
}


def best(command: list[str]) -> float:
    seconds = []
    for _ in range(5):
        began = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        seconds.append(time.perf_counter() - began)
    return min(seconds)


def main() -> None:
    found = {name: best(command) for name, (command, _) in COMMANDS.items()}
    print("| | seconds | bar | |\n|---|---|---|---|")
    print(f"| `unfooled --help` | {found['unfooled --help']:.3f} | ≤ 0.5 | {verdict(found['unfooled --help'], 0.5)} |")
    alone = found["import unfooled"] - found["python"]
    print(f"| `import unfooled`, beyond Python's own start | {alone:.3f} | ≤ 0.3 | {verdict(alone, 0.3)} |")


def verdict(value: float, bar: float) -> str:
    return "holds" if value <= bar else "**missed**"


if __name__ == "__main__":
    main()
