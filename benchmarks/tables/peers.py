"""The seven simple peers, with the settings that most people would take."""

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import KNeighborsClassifier
from sklearn.semi_supervised import LabelSpreading, SelfTrainingClassifier
from sklearn.svm import SVC

__all__ = ["PEERS", "probabilities"]

PEERS = ("nearest", "logistic", "svc", "forest", "spreading_knn", "spreading_rbf", "self_training")


def _svc() -> SVC:
    return SVC(C=10, probability=True, random_state=0)


def probabilities(
    peer: str, X: NDArray[np.float64], y: NDArray[np.intp], n_classes: int
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the class of every row, and the probability of each class."""
    given = y >= 0
    if peer == "nearest":
        model = KNeighborsClassifier(1).fit(X[given], y[given])
    elif peer == "logistic":
        model = LogisticRegression(max_iter=1000).fit(X[given], y[given])
    elif peer == "svc":
        model = _svc().fit(X[given], y[given])
    elif peer == "forest":
        model = RandomForestClassifier(300, random_state=0).fit(X[given], y[given])
    elif peer == "spreading_knn":
        model = LabelSpreading(kernel="knn", n_neighbors=7, max_iter=200).fit(X, y)
    elif peer == "spreading_rbf":
        distances = pairwise_distances(X, metric="sqeuclidean")
        gamma = 4 / np.median(distances[np.triu_indices(len(X), 1)])
        model = LabelSpreading(kernel="rbf", gamma=gamma, max_iter=200).fit(X, y)
    elif peer == "self_training":
        model = SelfTrainingClassifier(_svc()).fit(X, y)
    else:
        raise ValueError(f"{peer} is none of {', '.join(PEERS)}")
    found = np.zeros((len(X), n_classes))
    found[:, model.classes_] = np.nan_to_num(model.predict_proba(X), nan=1 / n_classes)
    return model.predict(X), found
