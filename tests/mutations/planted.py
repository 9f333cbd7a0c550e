"""Every failure that is planted, room by room."""

from mutations.mutation import Mutation
from mutations.of_attacks import OF_ATTACKS
from mutations.of_calls import OF_CALLS
from mutations.of_loops import OF_LOOPS
from mutations.of_numbers import OF_NUMBERS
from mutations.of_training import OF_TRAINING

PLANTED: tuple[Mutation, ...] = (*OF_ATTACKS, *OF_NUMBERS, *OF_TRAINING, *OF_LOOPS, *OF_CALLS)
