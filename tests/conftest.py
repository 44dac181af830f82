"""Settings that must be made before scipy is imported."""

import os

os.environ["SCIPY_ARRAY_API"] = "1"  # so that scikit-learn's array API check runs instead of being skipped
os.environ.setdefault("MPLBACKEND", "Agg")

# No doctests in these, and two modules of one name would be in each other's way.
collect_ignore = ["conftest.py", "cli/conftest.py"]
