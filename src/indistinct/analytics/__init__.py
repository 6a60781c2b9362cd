"""What a table gives away before anything is released: profiles of its columns, suggested roles.

:func:`profile` looks at every column; :func:`first_policy` writes what it found as the draft of a
policy.
"""

from indistinct.analytics.first_policy import first_policy, write_first_policy
from indistinct.analytics.profile import AttributeProfile, Profile, profile

__all__ = ["AttributeProfile", "Profile", "first_policy", "profile", "write_first_policy"]
