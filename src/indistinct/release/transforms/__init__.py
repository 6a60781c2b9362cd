"""Values changed one column at a time, before a release is made or as it is published.

One file for each way: ``mask``, ``pseudonymize``, ``replace``, ``shift``, ``swap``, ``pram``,
``noise``, ``round``, ``microaggregate``, ``aggregate`` and ``synthesize``. They take the values of
a column and settings, and know no policy and no promise: what changing values does to the promises
is seen by the audit of the release. Missing values stay missing (but for ``synthesize``, which
draws them), and numbers and dates stay numbers and dates (but where groups are published by name).

All random values come from a generator that the caller seeds.
"""
