"""Write the model files of a release, and what they predict: once, when the version is new.

python tests/data/write_models.py
"""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa

import sskpca
from sskpca import LRKPCA, LSKPCA, MVKPCA, SpectralGraphTransducer, SSKPCAClassifier
from sskpca.datasets import make_two_moons
from sskpca.kernels import Diffusion, Gaussian, Linear, RandomTrees
from sskpca.saving import save_model

FOLDER = Path(__file__).parent / f"models-{sskpca.__version__}"
NEW = np.array([[0.0, 1.0], [1.0, -0.5], [-1.0, 0.1], [2.0, 0.4]])
TABLE = {"size": [31, 29, 62, 58, 30, 61, 28, 64], "color": ["red", "red", "grey", "grey", None, "grey", "red", "grey"]}


def models():
    """Return small models of every kind, fitted to the same rows."""
    kernel = 0.5 * Gaussian() + 0.5 * Diffusion(5)
    return {
        "ls": LSKPCA(kernel),
        "lr": LRKPCA(Gaussian()),
        "mv": MVKPCA(1, kernel=Gaussian()),
        "sgt": SpectralGraphTransducer(10),
        "automatic": SSKPCAClassifier([Gaussian(), Linear(), Diffusion(5), RandomTrees(10)], rank=20),
    }


def main() -> None:
    """Fit, save, and write down the predictions."""
    FOLDER.mkdir()
    X, y, _ = make_two_moons(40)
    expected = {}
    for name, model in models().items():
        save_model(FOLDER / f"{name}.sskpca", model.fit(X, y))
        expected[name] = {
            "decisions": model.decision_function(NEW).tolist(),
            "probabilities": model.predict_proba(NEW).tolist(),
        }
    table = pa.table({**TABLE, "species": ["fox", "fox", "wolf", "wolf", None, None, None, None]})
    found = sskpca.label(table, label="species", kernels=[Gaussian(), Linear()])
    found.save(FOLDER / "table.sskpca")
    answer = sskpca.predict(found, pa.table(TABLE), fill=True)
    expected["table"] = {name: answer[name].to_pylist() for name in ("sskpca_label", "sskpca_confidence")}
    (FOLDER / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")


if __name__ == "__main__":
    main()
