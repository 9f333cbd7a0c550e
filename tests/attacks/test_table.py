import pytest
from toys import Bag, attacked, constant

from unfooled.attacks import ATTACKS, Parts
from unfooled.attacks.table import name_of
from unfooled.errors import BadInput
from unfooled.settings import Settings

PARTS = Parts(
    lambda document: [("solid",) if word == "good" else () for word in document.words],
    lambda reference, texts: [1.0] * len(texts),
    lambda words: ["NN"] * len(words),
)


@pytest.mark.parametrize("name", ATTACKS)
def test_every_attack_keeps_the_contract(name: str) -> None:
    kind = ATTACKS.find(name)
    settings = kind()
    assert issubclass(kind, Settings) and name_of(settings) == name
    assert kind.model_validate(settings.model_dump(mode="json")) == settings
    if kind.looks_inside:  # the rest is shown on a network, in its own test
        with pytest.raises(BadInput, match="whose gradient can be asked"):
            attacked(settings, Bag(), ["good film good"], [1], parts=PARTS)
        return
    fooled, wrong, empty = attacked(settings, Bag(), ["good film good", "good film", ""], [1, 0, 0], parts=PARTS)
    assert fooled.outcome in ("fooled", "held") and wrong.outcome == "already wrong" and wrong.asked == 1
    assert empty.outcome == "no candidates"
    assert attacked(settings, constant, ["good film good"], [1], parts=PARTS)[0].outcome == "held"


@pytest.mark.parametrize("name", ATTACKS)
def test_the_line_of_an_attack_is_the_first_of_its_docstring(name: str) -> None:
    assert ATTACKS.lines[name] == (ATTACKS[name].__doc__ or "").splitlines()[0]


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(BadInput, match="did you mean pwws"):
        ATTACKS.find("pwvs")
