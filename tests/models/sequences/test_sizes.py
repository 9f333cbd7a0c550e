"""Sizes refuse what makes no network."""

import pytest
from pydantic import ValidationError

from unfooled.models.sequences.sizes import Sizes


def test_sizes_are_counted_from_one():
    assert Sizes().layers is None and Sizes(layers=2, cutoffs=[3, 5]).cutoffs == (3, 5)
    for wrong in ({"layers": 0}, {"width": 1}, {"heads": 0}, {"vocabulary": "letters"}, {"vocabulary_size": 2}):
        with pytest.raises(ValidationError):
            Sizes(**wrong)
