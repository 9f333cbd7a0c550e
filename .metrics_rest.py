def accuracy(records: Sequence[Record]) -> Score:
    """How often the model is right on the texts as they are."""
    right = sum(record.prediction == record.label for record in records)
    return proportion(right, len(records), "share of examples whose predicted class is their label")


def accuracy_under_attack(records: Sequence[Record]) -> Score:
    """How often the model is right at the worst perturbation found."""
    right = sum(record.attack.prediction == record.label for record in records)
    return proportion(right, len(records), "share of examples whose predicted class under attack is their label")


def attack_success(records: Sequence[Record]) -> Score:
    """How often the attack turns a right answer into a wrong one."""
    known = [record for record in records if record.prediction == record.label]
    fooled = sum(record.attack.prediction != record.label for record in known)
    return proportion(fooled, len(known), "share of rightly predicted examples that are wrongly predicted under attack")


def mean_confidence(records: Sequence[Record]) -> Score:
    """How probable the model finds the right answer."""
    return mean([record.confidence for record in records], "mean probability of the label", 0.0, 1.0)


def mean_cosine(records: Sequence[Record]) -> Score:
    """How well the representation keeps its direction under attack."""
    values = [record.attack.cosine for record in records]
    return mean(values, "mean cosine of the features before and under attack, not normalised", -1.0, 1.0)


def mean_distance(records: Sequence[Record]) -> Score:
    """How far the representation moves under attack."""
    values = [record.attack.distance for record in records]
    return mean(values, "mean Euclidean distance of the features before and under attack, not normalised", 0.0)


Metric = Callable[[Sequence[Record]], Score]
CLEAN_METRICS: dict[str, Metric] = {"accuracy": accuracy, "mean_confidence": mean_confidence}
ATTACK_METRICS: dict[str, Metric] = {
    "accuracy_under_attack": accuracy_under_attack,
    "attack_success": attack_success,
    "mean_cosine": mean_cosine,
    "mean_distance": mean_distance,
}
METRICS: dict[str, Metric] = CLEAN_METRICS | ATTACK_METRICS


def scores(records: Sequence[Record]) -> list[tuple[float | None, str, Score]]:
    """Every metric these records allow, as (radius of the attack or None, name, score)."""
    if not radii(records):
        return [(None, name, metric(records)) for name, metric in CLEAN_METRICS.items()]
    return [(eps, name, metric(at(records, eps))) for eps in radii(records) for name, metric in ATTACK_METRICS.items()]


def confusion(records: Sequence[Record], classes: int) -> list[list[int]]:
    """How often each class (row) was predicted as each class (column)."""
    counts = [[0] * classes for _ in range(classes)]
    for record in records:
        counts[record.label][record.prediction] += 1
    return counts


def health(records: Sequence[Record]) -> list[str]:
    """What makes an attack by gradients untrustworthy on these records; nothing where it looks sound."""
    found = [warning for eps in radii(records) if eps > 0 for warning in masking(at(records, eps), eps)]
    gradients = [record.gradient for record in records if record.gradient is not None]
    flat = sum(gradient == 0 for gradient in gradients)
    if gradients and flat / len(gradients) > MASKED_SHARE:
        found.append(
            f"zero gradient: the loss of {flat} of {len(gradients)} examples gives the attack no direction; "
            "it left them as they were, so their accuracy under attack proves nothing. "
            "Try attacks that need no gradient, or transfer attacks from another model."
        )
    return found


def masking(records: Sequence[Record], eps: float) -> list[str]:
    """A warning if the mean loss does not grow from ascent step to ascent step."""
    path = np.asarray([record.attack.losses for record in records]).mean(axis=0)
    drop = float(np.max(np.maximum.accumulate(path) - path))
    rise = float(path[-1] - path[0])
    if rise > 0 and drop <= DROP_SHARE * rise:
        return []
    return [
        f"gradient masking at eps {eps:g}: the mean loss does not grow with the ascent steps "
        f"({' → '.join(f'{loss:.4g}' for loss in path)}), so the gradients mislead the attack and the "
        "accuracy under attack is likely too good. "
        "Try more steps and restarts, and transfer attacks from another model."
    ]
