import pytest

from unfooled.cli.going_on import goes_on
from unfooled.errors import Stopped


def test_a_stop_inside_tells_of_the_command_alone() -> None:
    with pytest.raises(Stopped, match=r"^stopped; the same command goes on from what was finished$"), goes_on():
        raise Stopped("stopped at step 3 of 6; the same command with --resume goes on")
