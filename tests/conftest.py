"""Settings that must be made before scipy is imported."""

import os

os.environ["SCIPY_ARRAY_API"] = "1"  # so that scikit-learn's array API check runs instead of being skipped
os.environ.setdefault("MPLBACKEND", "Agg")
