"""What goes wrong elsewhere is raised here as if it had gone wrong here."""

import json

import pytest

from unfooled.errors import BadInput
from unfooled.workers.faults import plain_fault, raise_fault


@pytest.mark.parametrize(
    "error",
    [OSError(28, "No space left on device", "a.csv"), FileNotFoundError(2, "No such file"), OSError("no network")],
    ids=str,
)
def test_an_error_of_the_system_arrives_as_it_was(error: OSError) -> None:
    with pytest.raises(OSError) as found:
        raise_fault(json.loads(json.dumps(plain_fault(error))))
    here = found.value
    assert type(here) is type(error) and (here.errno, here.filename) == (error.errno, error.filename)
    assert here.strerror == (error.strerror or str(error))  # which is what a person is told


def test_what_a_person_can_mend_stays_one_sentence_and_a_fault_of_ours_is_shown_with_its_place() -> None:
    with pytest.raises(BadInput, match="^mend it$"):
        raise_fault(plain_fault(BadInput("mend it")))
    with pytest.raises(RuntimeError, match=r"a worker failed at tuning:\n(.|\n)*ZeroDivisionError"):
        try:
            1 / 0  # noqa: B018
        except ZeroDivisionError as error:
            raise_fault(plain_fault(error), "tuning")
    raise_fault({"ready": True})
