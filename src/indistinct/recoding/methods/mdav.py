"""MDAV: near records collected around those farthest from the mean."""

from __future__ import annotations

from indistinct.recoding.methods.k_member import KMember


class MDAV(KMember):
    """Local recoding by clusters around the farthest records."""

    name = "mdav"
    drawn = False
