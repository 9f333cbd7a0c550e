import pytest
import torch

from unfooled.device import device, on_device
from unfooled.errors import BadInput, on_the_command_line


def test_a_device_is_what_was_asked_for_while_it_is() -> None:
    usual = "cuda" if torch.cuda.is_available() else "cpu"
    assert device() == usual
    with on_device("cpu"), on_device(None):
        assert device() == "cpu"
    assert device() == usual


@pytest.mark.parametrize("name", ["gpu", "cuda:99", "cpu:1", "cuda:x", ""])
def test_a_device_that_is_not_there_is_one_sentence(name: str) -> None:
    with (
        on_device(name),
        on_the_command_line(),
        pytest.raises(BadInput, match="--device .*: torch finds no"),
    ):
        device()
