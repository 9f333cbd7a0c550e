"""A small English corpus about a village, written for these tests, and what they ask of its versions."""

from pathlib import Path
from typing import Any

import pytest

from unfooled.commands.generate import generate_versions
from unfooled.errors import BadInput

TEXTS = [
    "Good farmers slowly opened heavy doors and carried warm bread into small quiet houses.",
    "Happy children often play noisy games near cold rivers, while old dogs sleep.",
    "Young women quickly sold cheap fruit, sweet honey and white flowers every morning.",
    "Rich merchants rarely visit poor villages, yet they buy strong horses there.",
    "The long dark winter made hungry wolves brave, and shepherds kept bright fires burning.",
    "A kind teacher gave curious pupils difficult questions and accepted honest answers.",
    "Heavy rain destroyed weak bridges, so tired travellers walked wet roads.",
    "Clever cooks boiled fresh vegetables and served hot soup with dark bread.",
    "The new mayor promised better schools, cleaner streets and lower taxes.",
    "Nervous birds suddenly left tall trees when loud hunters entered the silent forest.",
    "Several brave sailors loved stormy seas and despised calm harbours.",
    "The carpenter carefully built wide tables, narrow shelves and comfortable chairs.",
    "Polite strangers asked simple questions, and shy villagers gave short answers.",
    "Early buses usually arrive late, but angry passengers never complain loudly.",
    "Her beautiful garden grew red roses, yellow tulips and useful herbs.",
    "Lazy cats slept peacefully beneath broken windows during hot summer afternoons.",
    "The famous doctor cured sick children and refused expensive presents.",
    "Strong winds pushed empty boats against sharp rocks and broke wooden masts.",
    "Generous neighbours brought clean blankets, dry clothes and warm milk.",
    "A foolish king started terrible wars and finally lost everything precious.",
    "Skilled weavers made soft cloth, and greedy traders paid small prices.",
    "The narrow path climbed steep hills and crossed ancient stone walls.",
    "Cheerful musicians played lively songs until sleepy guests quietly went home.",
    "Careful drivers avoid icy streets and dangerous corners after dark.",
    "The boring speech lasted three long hours, and bored listeners yawned openly.",
    "Proud parents watched small boys win difficult races against bigger rivals.",
    "Hot sun dried green grass, and thirsty cows searched shallow ponds.",
    "The honest baker always sells fresh bread and sometimes burns dark cakes.",
    "Rough soldiers marched slowly past peaceful farms and frightened timid sheep.",
    "Wise judges rarely punish guilty thieves who openly admit small crimes.",
    "A thick fog hid distant mountains, and lost climbers shouted desperately.",
    "Patient nurses washed deep wounds and changed dirty bandages daily.",
    "The noisy market attracts curious tourists, hungry students and skilful pickpockets.",
    "Bright lamps lit crowded rooms where elegant couples danced gracefully.",
    "Cold water ran swiftly through rusty pipes and flooded low cellars.",
    "The old painter mixed pale colours and finished large pictures quickly.",
    "Modern machines replaced experienced workers, and angry crowds protested loudly.",
    "Silent monks copied rare books and guarded hidden treasures carefully.",
    "The friendly postman delivered heavy parcels, long letters and bad news.",
    "Ripe apples fell softly, and lazy pigs ate sweet fruit happily.",
]


def refused(*arguments: Any, **how: Any) -> str:
    with pytest.raises(BadInput) as caught:
        generate_versions(*arguments, **how)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def left(folder: Path) -> set[str]:
    """The files there are, but for those of the texts."""
    return {path.name for path in folder.iterdir()} - {"village.txt"}
