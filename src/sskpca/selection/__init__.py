"""Choose by the labelled points only."""
