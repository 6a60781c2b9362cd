"""Compiled functions on plain arrays: grouping, class sizes, costs, bounds.

They know nothing of attributes, policies or frames. Compiled code is kept in a cache folder of the
user that is named by a digest of the sources (:mod:`indistinct.kernels.jit`).
"""

NONE = -1
"""In place of a number, where there is nothing that it would be the number of."""
