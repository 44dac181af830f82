"""Labellings to render: a real one, and odd ones made up."""

from dataclasses import replace

import numpy as np

from sskpca import SSKPCAClassifier
from sskpca._selection.baselines import baselines
from sskpca._selection.relevance import Relevance, column_relevance
from sskpca._selection.suspects import Suspect
from sskpca._tables.columns import Column
from sskpca._tables.labelling import Labelling, Reliability
from sskpca._transduction.calibration import probabilities as probabilities_of
from sskpca._transduction.held_out import wilson_interval
from sskpca.datasets import make_two_moons

NASTY = (
    "<script>alert(1)</script>",
    "\"><img src=x onerror='alert(2)'>",
    "Ünïcödé 猫 🐈 \u202eright to left",
    "x" * 300,
    "",
    "   ",
    "{{ 7 * 7 }} & </style> </title> \x00\x07\ud800",
)


def two_moons(n_samples=200):
    """Two moons and eight labels, by the classifier itself."""
    X, y, _ = make_two_moons(n_samples)
    model = SSKPCAClassifier().fit(X, y)
    names = ("upper moon", "lower moon")
    called = np.searchsorted(model.classes_, model.transduction_)
    probabilities = model.label_distributions_
    wrong = model.leave_one_out().wrong
    held_out = probabilities_of(model.loo_decision_.reshape(len(wrong), -1), model.slope_)
    sure = (y >= 0) | (probabilities.max(axis=1) >= 0.8)
    return Labelling(
        source="moons.csv",
        label_column="moon",
        columns=(
            Column("moon", "label", "named moon, and mostly empty", int(np.sum(y < 0)), 0),
            Column("x", "number", "numbers", 0, 1),
            Column("y", "number", "numbers", 0, 1),
            Column("id", "ignored", "unique in every row, so an id", 0, 0),
        ),
        classes=names,
        given=y,
        called=called,
        probabilities=probabilities,
        sure=sure,
        least_confidence=0.8,
        matrix=X,
        loo_error=float(model.loo_error_),
        loo_interval=model.loo_interval_,
        expected_error=float(model.loo_error_),
        expected_interval=model.loo_interval_,
        label_quality=np.where(y >= 0, 0.9, np.nan),
        reliability=Reliability(
            np.array([held_out.max(axis=1).mean()]), np.array([1 - wrong.mean()]), np.array([len(wrong)])
        ),
        candidates=model.candidates_,
        suspects=tuple(model.suspects()),
        next_rows=tuple(model.next_rows(5).tolist()),
        gap=max(report.gap for report in model.reports_),
        plan=f"exact, {n_samples} rows",
        notes=(f"{np.sum(y < 0)} empty cells in moon taken for unlabelled.",),
        seconds=2.8,
        baselines=baselines(X[y >= 0], y[y >= 0], names),
        relevance=column_relevance(X[y >= 0], y[y >= 0], [slice(0, 1), slice(1, 2)], ["x", "y"]),
    )


def made_up(n_rows=400, n_classes=3, *, n_given=40, n_suspects=1, least_confidence=0.8, seed=0, **changes):
    """Clusters on a circle, with probabilities that go with the distance; no classifier is asked."""
    rng = np.random.default_rng(seed)
    target = rng.integers(n_classes, size=n_rows)
    target[:n_classes] = np.arange(n_classes)[:n_rows]
    angle = 2 * np.pi * np.arange(n_classes) / n_classes
    centers = np.column_stack([3 * np.cos(angle), 2 * np.sin(angle)])
    places = centers[target] + (2.2 / np.sqrt(n_classes)) * rng.standard_normal((n_rows, 2))
    distance = ((places[:, None] - centers) ** 2).sum(axis=2)
    odds = np.exp(-(distance - distance.min(axis=1, keepdims=True)))
    probabilities = odds / odds.sum(axis=1, keepdims=True)
    given = np.where(np.arange(n_rows) < n_given, target, -1)
    called = np.where(given >= 0, given, probabilities.argmax(axis=1))
    names = tuple(f"class {chr(97 + k % 26)}{k // 26 or ''}" for k in range(n_classes))
    n_wrong = n_given // 15
    n_candidates = 120
    weight = rng.dirichlet(np.full(n_candidates, 0.2))
    count = np.array([n_given // 8, n_given // 4, n_given - n_given // 8 - n_given // 4])
    suspects = tuple(
        Suspect(row, names[given[row]], names[(given[row] + 1) % n_classes], 0.04, n_wrong / n_given, 0.5 / n_given, 31)
        for row in range(min(n_suspects, n_given))
    )
    labelling = Labelling(
        source="animals.csv",
        label_column="species",
        columns=(
            Column("species", "label", "asked for", n_rows - n_given, 0),
            Column("weight", "number", "numbers", 3, 1),
            Column("habitat", "category", "7 different values", 0, 7),
            Column("story", "text", "long texts, as word counts", 12, 200),
            Column("id", "ignored", "unique in every row, so an id", 0, 0),
        ),
        classes=names,
        given=given,
        called=called,
        probabilities=probabilities,
        sure=(given >= 0) | (probabilities.max(axis=1) >= least_confidence),
        least_confidence=least_confidence,
        matrix=places,
        loo_error=n_wrong / n_given,
        loo_interval=wilson_interval(n_wrong, n_given),
        expected_error=1.2 * n_wrong / n_given,
        expected_interval=wilson_interval(n_wrong, n_given),
        label_quality=np.where(given >= 0, 0.9, np.nan),
        reliability=Reliability(np.array([0.55, 0.78, 0.96]), np.array([0.6, 0.8, 1.0]), count),
        candidates={
            "kernel": np.array([f"Gaussian(factor={2 ** (i // 10)})" for i in range(n_candidates)], dtype=object),
            "method": np.where(np.arange(n_candidates) % 10 == 9, "lr", "ls"),
            "label_weight": 10.0 ** (np.arange(n_candidates) % 5 - 2),
            "variance": np.where(np.arange(n_candidates) % 2, 1.0, 0.5),
            "weight": weight,
            "loo_loss": 0.7 - weight,
            "loo_error": np.round(n_given * rng.uniform(0.02, 0.3, n_candidates)) / n_given,
        },
        suspects=suspects,
        next_rows=tuple(range(n_given, min(n_given + 5, n_rows))),
        gap=3.1e-15,
        plan=f"exact, {n_rows} rows",
        notes=("3 empty cells in weight filled with the median.", "-1 in species taken for unlabelled."),
        seconds=19.2,
        baselines=baselines(places[:n_given], target[:n_given], names),
        relevance=(
            Relevance("weight", 0.21, 0.04, 2.4),
            Relevance("story", 0.05, 0.03, 2.4),
            Relevance("habitat", -0.06, 0.02, 2.4),
        ),
    )
    return replace(labelling, **changes)


def nasty():
    """Names that would break a page that does not escape."""
    labelling = made_up(120, len(NASTY), n_given=28)
    return replace(
        labelling,
        source="<b>'&\".csv",
        label_column="<i>",
        classes=NASTY,
        columns=tuple(Column(name, "number", "</td>" + name, 0, 1) for name in NASTY),
        suspects=tuple(
            replace(suspect, label=NASTY[0], suggestion=NASTY[k]) for k, suspect in enumerate(labelling.suspects)
        ),
        notes=NASTY,
        baselines=tuple(replace(b, always=NASTY[0] if b.always else "") for b in labelling.baselines),
        relevance=tuple(Relevance(name, -0.1 * k, 0.01) for k, name in enumerate(NASTY)),
        plan="<plan>",
    )


def tiny():
    """Six rows, two labels."""
    return made_up(6, 2, n_given=2, n_suspects=0, least_confidence=0.6)


def all_sure():
    return made_up(least_confidence=0.0)


def none_sure():
    labelling = made_up(least_confidence=1.0)
    return replace(labelling, sure=labelling.given >= 0)


EXAMPLES = {
    "two moons": two_moons,
    "one suspect": made_up,
    "no suspects": lambda: made_up(n_suspects=0),
    "twelve classes": lambda: made_up(1500, 12, n_given=60, n_suspects=3),
    "nasty names": nasty,
    "20,000 rows": lambda: made_up(20_000, 5, n_given=200),
    "all sure": all_sure,
    "none sure": none_sure,
    "tiny": tiny,
}
