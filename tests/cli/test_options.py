import os
import subprocess
import sys

import pytest

from unfooled.cli.options import attacks_of, given, methods_of, names_in, renamed, training_settings, trials_of
from unfooled.errors import BadInput


def test_what_has_no_value_was_not_given() -> None:
    assert given({"text": None, "label": "stars", "limit": 0}) == {"label": "stars", "limit": 0}


def test_names_are_completed_and_of_several_the_last() -> None:
    assert "freelb" in methods_of("fre") and methods_of("finetune,fre") == ["finetune,freelb"]
    assert "pwws" in attacks_of("") and trials_of("clean,pg") == ["clean,pgd"]


def test_settings_are_those_of_training() -> None:
    told = ["plan.epochs=2", "method.passes=2"]
    assert training_settings(told) == {"plan": {"epochs": 2}, "method": {"passes": 2}}
    with pytest.raises(BadInput, match="--set seed… is no setting"):
        training_settings(["seed=3"])


def test_a_list_may_end_in_a_comma() -> None:
    assert names_in(" clean,, pwws ,") == ["clean", "pwws"] and names_in(",") == []


@pytest.mark.parametrize("labels", ["a", "a=b,", "=b", "a=", "a=b,a=c"])
def test_labels_that_are_no_mapping_are_refused(labels: str) -> None:
    with pytest.raises(BadInput, match="--labels"):
        renamed(labels)
    assert renamed(None) == {}


def test_a_shell_completes_commands_and_names() -> None:
    """As bash asks: the words so far, and the place of the one that is to be completed."""
    for words, place, said in (("unfooled pred", 1, "predict"), ("unfooled train --method fre", 3, "freelb")):
        asked = {**os.environ, "_UNFOOLED_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(place)}
        code = "import sys; sys.argv = ['unfooled']; from unfooled.cli.main import app; app(prog_name='unfooled')"
        done = subprocess.run([sys.executable, "-c", code], env=asked, capture_output=True, text=True, check=False)
        assert said in done.stdout.split(), done.stderr
