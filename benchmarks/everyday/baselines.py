"""Four classifiers of scikit-learn with their usual settings, on a table prepared as people prepare it."""

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

__all__ = ["BASELINES", "predictions", "prepared"]

BASELINES = ("forest", "logistic", "neighbors", "boosting")
WORDS_OF_A_TEXT = 4  # on average; below, a column is one of categories


def prepared(table: pd.DataFrame):
    """Return features of all rows.

    Numbers are standardised and missing ones filled with the median, categories one-hot, texts TF-IDF; of a date come
    the day as a number, month, weekday and hour; lists of numbers are columns.
    """
    table = table.copy()
    for name in list(table.columns):
        values = table[name]
        if isinstance(values.iloc[0], np.ndarray):
            vectors = pd.DataFrame(np.stack(values.to_list())).add_prefix(f"{name} ")
            table = pd.concat([table.drop(columns=name), vectors], axis=1)
        elif _is_date(values):
            day = pd.to_datetime(values, utc=True)
            parts = {"month": day.dt.month, "weekday": day.dt.weekday, "hour": day.dt.hour}
            parts = {"day": (day - day.min()).dt.total_seconds(), **parts}
            table = table.drop(columns=name).assign(**{f"{name} {part}": found for part, found in parts.items()})
    numbers = table.select_dtypes(["number", "bool"]).columns
    table = table.astype(dict.fromkeys(numbers, float))
    others = [name for name in table.columns if name not in set(numbers)]
    texts = [name for name in others if table[name].astype(str).str.split().str.len().mean() >= WORDS_OF_A_TEXT]
    categories = [name for name in others if name not in texts]
    return make_column_transformer(
        (make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), numbers),
        (OneHotEncoder(handle_unknown="ignore"), categories),
        *((TfidfVectorizer(sublinear_tf=True, min_df=2), name) for name in texts),
    ).fit_transform(table)


def _is_date(values: pd.Series) -> bool:
    return not pd.api.types.is_numeric_dtype(values) and values.astype(str).str.match(r"\d{4}-\d\d-\d\d").all()


def predictions(X, target, labeled) -> dict[str, np.ndarray]:
    """Return the classes that each baseline finds for all rows from the labelled ones."""
    dense = X.toarray() if sparse.issparse(X) else X  # boosting takes no other
    models = {
        "forest": RandomForestClassifier(300, random_state=0),
        "logistic": LogisticRegression(max_iter=5000),
        "neighbors": KNeighborsClassifier(min(5, len(labeled))),
        "boosting": HistGradientBoostingClassifier(random_state=0),
    }
    assert tuple(models) == BASELINES
    return {name: model.fit(dense[labeled], target[labeled]).predict(dense) for name, model in models.items()}
