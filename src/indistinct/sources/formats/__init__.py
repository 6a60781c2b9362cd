"""Formats, a file for each; :func:`indistinct.sources.format.formats` finds them."""
