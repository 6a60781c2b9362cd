"""What else is asked than a release: risk, audit, comparison, exploration, application.

A file per verb; attackers are tried in :mod:`indistinct.pipeline.attack`, since releases are too.
"""
