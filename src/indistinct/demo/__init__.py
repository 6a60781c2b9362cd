"""A table to try everything on, made by this package: a year of hospital discharges.

:func:`discharges` makes the table, ``POLICY`` is the policy that releases it.
"""

from indistinct.demo.hospital import discharges
from indistinct.demo.policy import POLICY

__all__ = ["POLICY", "discharges"]
