"""CLLD's contrast against loops written from the paper's Eqs. 4 to 13, and its label distances."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from unfooled.losses.label_distance import (
    approached,
    confused_distances,
    itself,
    label_contrast,
    log_shares,
    most_confused,
    similarity,
    static_distances,
    targets,
)


def naive_similarity(first, second):
    """Eq. 4."""
    product = math.fsum(a * b for a, b in zip(first, second, strict=True))
    norms = math.sqrt(math.fsum(a * a for a in first)) * math.sqrt(math.fsum(b * b for b in second))
    return 0.5 * (product / max(norms, 1e-8) + 1)


def naive_losses(rows, labels, distances):
    """The summand of Eq. 11 for each row, in loops over lists."""
    found = []
    for i, anchor in enumerate(rows):
        others = [j for j in range(len(rows)) if j != i]
        logits = {j: naive_similarity(anchor, rows[j]) * distances[labels[i]][labels[j]] for j in others}
        partition = math.fsum(math.exp(value) for value in logits.values())
        positives = [j for j in others if labels[j] == labels[i]]
        z = 1 / len(positives)
        found.append(math.fsum(z * (math.log(z) - math.log(math.exp(logits[j]) / partition)) for j in positives))
    return found


def naive_supervised_contrast(rows, labels):
    """SupCon, L_out at temperature 1: -1/|P| Σ_p log(exp s_ip / Σ_{a ≠ i} exp s_ia), s = (cos + 1)/2."""
    found = []
    for i, anchor in enumerate(rows):
        others = [j for j in range(len(rows)) if j != i]
        partition = math.fsum(math.exp(naive_similarity(anchor, rows[j])) for j in others)
        positives = [j for j in others if labels[j] == labels[i]]
        logs = [naive_similarity(anchor, rows[j]) - math.log(partition) for j in positives]
        found.append(-math.fsum(logs) / len(positives))
    return found


def twins(seed, texts=4, classes=3, width=5):
    """Random rows of two views, their labels and asymmetric distances, in double precision."""
    random = torch.Generator().manual_seed(seed)
    rows = torch.randn(2 * texts, width, generator=random, dtype=torch.float64)
    labels = torch.randint(classes, (texts,), generator=random).repeat(2)
    distances = 1 + 4 * torch.rand(classes, classes, generator=random, dtype=torch.float64)
    return rows, labels, distances


def contrast(rows, labels, distances):
    return label_contrast(rows, labels, distances, rows, labels)


drawn = given(st.integers(0, 10**6), st.integers(1, 6), st.integers(1, 4))


@drawn
def test_the_loss_is_the_papers_loop(seed, texts, classes):
    rows, labels, distances = twins(seed, texts, classes)
    expected = naive_losses(rows.tolist(), labels.tolist(), distances.tolist())
    assert contrast(rows, labels, distances).tolist() == pytest.approx(expected, rel=1e-9, abs=1e-12)


@drawn
def test_oracle_1_distance_one_is_supervised_contrast_less_the_entropy_of_the_target(seed, texts, classes):
    rows, labels, _ = twins(seed, texts, classes)
    positives = [(labels == label).sum().item() - 1 for label in labels]
    supervised = naive_supervised_contrast(rows.tolist(), labels.tolist())
    expected = [loss - math.log(count) for loss, count in zip(supervised, positives, strict=True)]
    found = contrast(rows, labels, torch.ones(classes, classes))
    assert found.tolist() == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_oracle_2_equal_rows_leave_the_share_of_positives():
    labels = torch.tensor([0, 1, 1, 2, 0, 1, 1, 2])
    rows = torch.ones(8, 3, dtype=torch.float64)
    expected = [math.log(7 / ((labels == label).sum().item() - 1)) for label in labels]
    assert contrast(rows, labels, torch.ones(3, 3)).tolist() == pytest.approx(expected)
    alone = contrast(rows, torch.zeros(8, dtype=torch.long), torch.ones(1, 1))
    assert alone.tolist() == pytest.approx([0.0] * 8, abs=1e-12)


@pytest.mark.parametrize("off_diagonal, golden", [(1.0, 0.794377), (5.0, 2.298916)])
def test_oracle_3_golden_values(off_diagonal, golden):
    rows = torch.eye(2, dtype=torch.float64).repeat(2, 1)  # e1, e2, e1, e2
    distances = static_distances(2, torch.tensor([[0, 1]]), off_diagonal)
    found = contrast(rows, torch.tensor([0, 1, 0, 1]), distances).mean().item()
    assert found == pytest.approx(golden, abs=5e-7)
    assert found == pytest.approx(math.log(math.e + 2 * math.exp(off_diagonal / 2)) - 1)


@drawn
def test_oracle_4_never_negative_shares_sum_to_one_and_none_is_its_own(seed, texts, classes):
    rows, labels, distances = twins(seed, texts, classes)
    q, z = log_shares(rows, labels, distances, rows, labels).exp(), targets(labels, labels)
    assert contrast(rows, labels, distances).min() >= -1e-12
    assert q.sum(dim=1).tolist() == pytest.approx([1.0] * len(rows))
    assert z.sum(dim=1).tolist() == pytest.approx([1.0] * len(rows))
    assert q.diagonal().max() < 1e-12 and not z.diagonal().any()


@drawn
def test_oracle_4_the_order_of_rows_does_not_matter(seed, texts, classes):
    rows, labels, distances = twins(seed, texts, classes)
    order = torch.randperm(len(rows), generator=torch.Generator().manual_seed(seed))
    there = contrast(rows, labels, distances)[order]
    assert contrast(rows[order], labels[order], distances).tolist() == pytest.approx(there.tolist(), abs=1e-12)


@pytest.mark.parametrize("start, size", [(0, 3), (3, 5), (7, 1)])
def test_a_part_of_the_rows_against_all_is_that_part_of_the_losses(start, size):
    rows, labels, distances = twins(0)
    mine = slice(start, start + size)
    found = label_contrast(rows[mine], labels[mine], distances, rows, labels, start)
    torch.testing.assert_close(found, contrast(rows, labels, distances)[mine])


def test_a_distance_of_zero_or_below_does_not_unmask_a_row():
    rows, labels, _ = twins(1)
    for diagonal in (0.0, -1.0):
        distances = torch.ones(3, 3).fill_diagonal_(diagonal)
        assert log_shares(rows, labels, distances, rows, labels).exp().diagonal().max() < 1e-12


def test_a_row_without_positives_costs_nothing_and_a_row_of_zeros_is_finite():
    rows = torch.zeros(3, 2, requires_grad=True)
    losses = contrast(rows, torch.tensor([0, 1, 1]), torch.ones(2, 2))
    assert losses[0].item() == 0 and losses[1].item() == pytest.approx(math.log(2))
    losses.sum().backward()
    assert torch.isfinite(rows.grad).all()


def test_gradients_in_double_precision():
    rows, labels, distances = twins(2)
    assert torch.autograd.gradcheck(lambda given: contrast(given, labels, distances), [rows.requires_grad_()])


def test_a_larger_distance_pushes_harder():
    sizes = []
    for distance in (1.0, 2.0, 5.0):
        rows = torch.tensor([[1.0, 0.1], [0.9, 0.3], [1.0, 0.0], [0.8, 0.3]], requires_grad=True)
        distances = static_distances(2, torch.tensor([[0, 1]]), distance)
        contrast(rows, torch.tensor([0, 1, 0, 1]), distances).mean().backward()
        sizes.append(rows.grad.norm().item())
    assert sizes[0] < sizes[1] < sizes[2]


def test_reduced_precision_is_computed_in_single():
    rows, labels, distances = twins(3)
    found = contrast(rows.bfloat16(), labels, distances)
    assert found.dtype is torch.float32
    assert found.tolist() == pytest.approx(contrast(rows.bfloat16().double(), labels, distances).tolist(), rel=1e-5)


def test_similarity_is_eq_4_even_for_tiny_rows():
    rows = torch.tensor([[3.0, 4.0], [1e-5, 0.0], [0.0, 0.0]], dtype=torch.float64)
    expected = [[naive_similarity(first, second) for second in rows.tolist()] for first in rows.tolist()]
    torch.testing.assert_close(similarity(rows, rows), torch.tensor(expected, dtype=torch.float64))


def test_where_rows_meet_themselves():
    assert itself(2, 4, 1).tolist() == [[False, True, False, False], [False, False, True, False]]


confusions = st.integers(1, 5).flatmap(
    lambda classes: st.lists(
        st.lists(st.integers(0, 50), min_size=classes, max_size=classes), min_size=classes, max_size=classes
    )
)


@given(confusions, st.booleans(), st.sampled_from([0.0, 0.5, 1.0]))
def test_oracle_5_distances_from_errors_stay_between_one_and_the_largest(confusion, symmetric, more):
    found = confused_distances(torch.tensor(confusion), 5.0, symmetric, shrinkage=more)
    assert found.min() >= 1 and found.max() <= 5 and (found.diagonal() == 1).all()
    classes = range(len(confusion))
    texts = [max(sum(row) + more * len(confusion), 1) for row in confusion]
    rate = [[confusion[a][b] / texts[a] if a != b else 0 for b in classes] for a in classes]
    if symmetric:
        rate = [[(rate[a][b] + rate[b][a]) / 2 for b in classes] for a in classes]
    worst = max(max(row) for row in rate)
    expected = [[1 + 4 * value / worst if worst else 1.0 for value in row] for row in rate]
    torch.testing.assert_close(found, torch.tensor(expected, dtype=torch.float32).view_as(found))


def test_oracle_5_no_errors_are_ones_and_counts_are_literal():
    assert torch.equal(confused_distances(torch.diag(torch.tensor([7, 0, 3])), 5.0), torch.ones(3, 3))
    confusion = torch.tensor([[8, 2], [1, 9]])
    assert confused_distances(confusion, 5.0, counts=True).tolist() == [[8, 2], [1, 9]]
    assert confused_distances(confusion, 5.0, symmetric=True, counts=True).tolist() == [[8, 1.5], [1.5, 9]]


def test_one_wrong_text_of_a_rare_class_does_not_outweigh_a_confusion_that_is_seen():
    confusion = torch.zeros(20, 20, dtype=torch.int64)
    confusion[0, 0], confusion[0, 1], confusion[1, 1] = 40, 10, 50
    confusion[range(2, 12), range(3, 13)] = 1  # ten classes of a single text, and that one wrong
    found = confused_distances(confusion, 5.0)
    assert found[0, 1] == 5 and (found > 3).sum() == 1
    torch.testing.assert_close(found[2, 3], torch.tensor(1 + 4 * (1 / 21) / (10 / 70)))
    by_rates = confused_distances(confusion, 5.0, shrinkage=0.0)
    assert (by_rates == 5).sum() == 10 and by_rates[0, 1] < 2


def test_oracle_5_strength_zero_keeps_and_one_replaces():
    random = torch.Generator().manual_seed(0)
    old, new = 5 * torch.rand(2, 4, 4, generator=random)
    assert torch.equal(approached(old, new, 0.0), old) and torch.equal(approached(old, new, 1.0), new)
    torch.testing.assert_close(approached(old, new, 0.25), old + 0.25 * (new - old))


def test_static_distances_fill_both_ways():
    found = static_distances(4, torch.tensor([[0, 2], [3, 1]]), 5.0, otherwise=2.0)
    apart = {(0, 2), (2, 0), (1, 3), (3, 1)}
    assert found.tolist() == [[5.0 if (a, b) in apart else 2.0 for b in range(4)] for a in range(4)]


def test_most_confused_counts_errors_both_ways_and_only_errors():
    confusion = torch.tensor([[50, 3, 0, 0], [4, 50, 0, 1], [0, 0, 50, 6], [0, 0, 0, 50]])
    assert most_confused(confusion, 2).tolist() == [[0, 1], [2, 3]]
    assert most_confused(confusion, 10).tolist() == [[0, 1], [2, 3], [1, 3]]
    assert most_confused(torch.eye(3), 2).shape == (0, 2)
