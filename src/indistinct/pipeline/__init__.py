"""From a table to a release: ``anonymize``, and the attackers that try what it publishes.

What goes in as a frame of some kind comes out as a frame of that kind; what goes in as a file comes
out as a Polars frame that can be written to a folder. Read
:mod:`~indistinct.pipeline.anonymization` first: it is the way of the data as one function.
"""
