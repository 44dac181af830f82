"""One HTML file: what to do, how far to trust the labels, and how they were found; needs jinja2.

Its words are used by the command line, too, so nothing is imported here: they come without jinja2 and the map.
"""
