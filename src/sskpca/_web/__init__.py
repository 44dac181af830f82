"""A local page on which a person labels a table, and every label re-labels all of it (extra `web`)."""
