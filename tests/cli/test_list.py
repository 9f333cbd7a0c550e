import json
import subprocess
import sys

import pytest

from unfooled.cli.list import KINDS, list_
from unfooled.errors import BadInput
from unfooled.methods import METHODS


def test_everything_with_a_name_is_listed_with_its_meaning(capsys: pytest.CaptureFixture[str]) -> None:
    kinds = {kind: meanings() for kind, meanings in KINDS.items()}
    assert set(kinds["methods"]) == set(METHODS)
    assert {"minilm", "textcnn"} <= set(kinds["models"])
    assert "movie-reviews" in kinds["data"] and "pgd" in kinds["trials"]
    assert all(meaning for names in kinds.values() for meaning in names.values())
    list_("all", json=True)
    assert json.loads(capsys.readouterr().out) == kinds
    list_("methods", json=False)
    assert "  freelb    " in capsys.readouterr().out


def test_an_unknown_kind_is_named() -> None:
    with pytest.raises(BadInput, match="nothing called method to list; did you mean methods"):
        list_("method", json=False)


@pytest.mark.parametrize("kind", [*KINDS, "all"])
def test_listing_takes_a_second_at_most_and_no_torch(kind: str) -> None:
    code = (
        f"import sys, time; sys.argv = ['unfooled', 'list', '{kind}']\n"
        "from unfooled.cli.main import main\n"
        "try: main()\n"
        "finally: assert not {'torch', 'transformers'} & set(sys.modules) and time.process_time() < 1"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout, done.stderr
