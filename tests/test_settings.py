"""Settings are frozen, refuse what they do not know, and load no tensors."""

import subprocess
import sys

import pytest
from pydantic import ValidationError

from unfooled.settings import Settings


class Example(Settings):
    size: float = 3


def test_settings_are_frozen_and_refuse_what_makes_no_sense():
    for wrong in ({"siez": 4}, {"size": "many"}, {"size": float("nan")}):
        with pytest.raises(ValidationError):
            Example(**wrong)
    with pytest.raises(ValidationError, match="frozen"):
        Example().size = 4


def test_there_is_one_class_of_settings_and_it_needs_no_torch():
    code = "import sys, unfooled.settings; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
