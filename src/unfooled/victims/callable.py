"""Any callable from texts to probabilities or logits as a victim."""

from typing import Any

from unfooled.victims.victim import UNKNOWN, Kind, Victim, characters


def opened(call: Any, labels: tuple[str, ...]) -> Victim:
    """A callable under its own name.

    Single texts it is given as plain strings, unless it has ``takes_tuples``; pairs always as tuples. It may also
    have ``lengths`` (of tuples of texts), ``unknown``, a word, ``sets``, where it says sets of labels, and
    ``logits = True``, where it gives logits: then attacks are blind to how sure it says it is. ``labels_only = True``
    says that its rows are of 0 and 1.
    """
    sets = getattr(call, "sets", None)
    return Victim(
        name=getattr(call, "__qualname__", type(call).__qualname__),
        call=call,
        labels=labels,
        task="classification" if sets is None else "multilabel",
        lengths=getattr(call, "lengths", characters),
        unknown=getattr(call, "unknown", None) or UNKNOWN,
        takes_tuples=bool(getattr(call, "takes_tuples", False)),
        logits=bool(getattr(call, "logits", False)),
        labels_only=bool(getattr(call, "labels_only", False)),
        sets=sets,
    )


CALLABLE = Kind(callable, opened)
