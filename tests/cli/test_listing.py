import json

import pytest

from unfooled.cli.listing import everything, run
from unfooled.errors import BadInput
from unfooled.methods import METHODS


def test_everything_with_a_name_is_listed_with_its_meaning(capsys: pytest.CaptureFixture[str]) -> None:
    found = everything()
    assert set(found["methods"]) == set(METHODS)
    assert {"minilm", "textcnn"} <= set(found["models"])
    assert "movie-reviews" in found["data"] and "pgd" in found["trials"]
    assert all(meaning for names in found.values() for meaning in names.values())
    run("all", json=True)
    assert json.loads(capsys.readouterr().out) == found
    run("methods", json=False)
    assert "  freelb    " in capsys.readouterr().out


def test_an_unknown_kind_is_named() -> None:
    with pytest.raises(BadInput, match="nothing called method to list; did you mean methods"):
        run("method", json=False)
