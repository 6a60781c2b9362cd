"""What the columns of a table are, read from values first and names second, and the first policy.

:mod:`~indistinct.analytics.profile.columns` looks at every column
(:mod:`~indistinct.analytics.profile.one_column`) and then at all of them
(:mod:`~indistinct.analytics.profile.by_the_table`); what it suggests rests on
values (:mod:`~indistinct.analytics.profile.values`, :mod:`~indistinct.analytics.profile.contents`),
on names (:mod:`~indistinct.analytics.profile.names`, :mod:`~indistinct.analytics.profile.concepts`)
and on the columns beside it (:mod:`~indistinct.analytics.profile.neighbours`).
:mod:`~indistinct.analytics.profile.first_policy` writes it down for a person to correct.
"""
