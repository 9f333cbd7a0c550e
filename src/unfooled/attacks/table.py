"""The one table of attacks: each one's name, where its class is, and the first line of its docstring."""

from typing import TYPE_CHECKING

from unfooled.table import Table

if TYPE_CHECKING:
    from unfooled.attacks.attack import Attack

ATTACKS: "Table[type[Attack]]" = Table(
    "attack",
    {
        "pwws": (
            "unfooled.attacks.pwws:PWWS",
            "WordNet synonyms in the order of probability-weighted word saliency (Ren et al., 2019).",
        ),
        "pwws_sense_true": (
            "unfooled.attacks.pwws_sense_true:SenseTruePWWS",
            "PWWS with substitutes alone that share a common sense with their word.",
        ),
        "textfooler": (
            "unfooled.attacks.textfooler:TextFooler",
            "Neighbours in the order of word importance, filtered by meaning and part of speech (Jin et al., 2020).",
        ),
        "deepwordbug": (
            "unfooled.attacks.deepwordbug:DeepWordBug",
            "Wrong letters in the words that matter most (Gao et al., 2018).",
        ),
        "worst_words": (
            "unfooled.attacks.worst_words:WorstWordsAttack",
            "Synonyms that the network's own gradient finds worst, from many random starts (white box).",
        ),
        "a2t": (
            "unfooled.attacks.a2t:A2T",
            "Synonyms in the order of a network's own gradient, each asked about (Yoo and Qi, 2021; white box).",
        ),
        "random": (
            "unfooled.attacks.random_words:RandomWords",
            "Random words replaced by random synonyms: the floor every attack must beat.",
        ),
    },
)


def name_of(attack: "Attack") -> str:
    """The name of an attack in the table, or of its class where it is not there."""
    return ATTACKS.name_of(type(attack)) or type(attack).__name__
