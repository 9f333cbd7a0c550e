"""What the data calls a model's labels: given, one to one, and refused where it is neither."""

import numpy as np
import pytest

from unfooled.commands.label_names import opened_by
from unfooled.errors import BadInput
from unfooled.victims import Victim

NAMELESS = Victim("theirs", lambda texts: np.full((len(texts), 2), 0.5), labels=("LABEL_0", "LABEL_1"))
OWN = Victim("own", lambda texts: np.full((len(texts), 2), 0.5), labels=("bad", "good"))


def test_labels_are_renamed_written_either_way_and_those_of_others_stay() -> None:
    both = opened_by([NAMELESS, OWN], {"LABEL_0": "bad", "LABEL_1": "good"})
    assert [victim.labels for victim in both] == [("bad", "good"), ("bad", "good")]
    assert opened_by([NAMELESS], {"bad": "LABEL_0", "good": "LABEL_1"})[0].labels == ("bad", "good")


def test_one_label_may_be_renamed_and_names_for_a_callable_are_no_mapping() -> None:
    assert opened_by([OWN], {"bad": "poor"})[0].labels == ("poor", "good")
    assert opened_by([OWN], {}) == [OWN]
    assert opened_by([len], ("no", "yes"))[0].labels == ("no", "yes")


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ({"LABEL_0": "bad", "LABEL_1": "bad"}, "gives two labels the name bad"),
        ({"LABEL_0": "LABEL_1"}, "two classes called LABEL_1; rename all of its labels, as in labels="),
        (
            {"LABEL_0": "bad", "LABEL_2": "good"},
            "has no label LABEL_2, which labels renames, but LABEL_0, LABEL_1; did you mean LABEL_",
        ),
        ({"negative": "0"}, "has no label negative, which labels renames, but LABEL_0"),
    ],
)
def test_a_mapping_that_is_not_one_to_one_or_of_other_labels_is_refused(labels: dict[str, str], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        opened_by([NAMELESS], labels)
