"""What one example did in a trial: the primary output of every evaluation."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Attack:
    """One example at the worst perturbation found inside a ball of radius ``eps``.

    ``losses`` are those of the climb from 0, after 0 … k steps; ``loss`` is the one at the perturbation that
    was kept, which climb number ``restart`` found (0 is the climb from 0). ``cosine`` and ``distance``
    compare the features there with the clean ones; ``size`` is the perturbation's Euclidean norm.
    """

    eps: float
    prediction: int
    confidence: float
    loss: float
    losses: tuple[float, ...]
    cosine: float
    distance: float
    size: float
    restart: int


@dataclass(frozen=True)
class Record:
    """One example of a trial: what it is, what the model says of it, and what it says under each attack.

    ``index`` is the example's place in the data; ``confidence`` the probability of its label; ``gradient``
    the norm of the loss's gradient at the clean embeddings, None where none was taken.
    """

    index: int
    label: int
    prediction: int
    confidence: float
    loss: float
    gradient: float | None = None
    attacks: tuple[Attack, ...] = ()

    @property
    def attack(self) -> Attack:
        """The attack, where there is exactly one."""
        if len(self.attacks) != 1:
            raise ValueError(f"example {self.index} has {len(self.attacks)} attacks; choose one with at(records, eps)")
        return self.attacks[0]


def radii(records: Sequence[Record]) -> tuple[float, ...]:
    """The radii at which these examples were attacked; none for a trial without attacks."""
    return tuple(attack.eps for attack in records[0].attacks) if records else ()


def at(records: Iterable[Record], eps: float) -> list[Record]:
    """The same examples with the attack of this radius alone."""
    return [
        replace(record, attacks=tuple(attack for attack in record.attacks if attack.eps == eps)) for record in records
    ]
