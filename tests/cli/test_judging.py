"""The commands that judge are listed, and listing them loads nothing heavy."""

import subprocess
import sys


def test_help_names_them_and_needs_no_torch() -> None:
    code = (
        "import sys; sys.argv = ['unfooled', '--help']\n"
        "from unfooled.cli.main import main\n"
        "try: main()\n"
        "finally: assert not {'torch', 'pydantic', 'numpy', 'optuna'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert all(command in done.stdout for command in ("compare", "tune", "report", "gate"))
