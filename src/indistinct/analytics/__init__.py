"""What a table and its releases tell: one room for each question.

* :mod:`~indistinct.analytics.profile`: what the columns are, and a first policy;
* :mod:`~indistinct.analytics.leakage`: what columns give away, in bits;
* :mod:`~indistinct.analytics.risk`: how likely somebody is found;
* :mod:`~indistinct.analytics.attacks`: what an adversary learns, one attacker per file;
* :mod:`~indistinct.analytics.utility`: what a release is still good for;
* :mod:`~indistinct.analytics.series`: what several releases say together.

:mod:`~indistinct.analytics.release_view` is the one reader of releases outside the audit. It and
what it is built from are beside the rooms, since all of them see releases through it.
"""
