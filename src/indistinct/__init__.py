"""Find who is at risk in a table about people, release it safely, and prove it.

To look first: :func:`assess` tells which columns give people away, and after a release what is left
of that; :func:`risk` how likely somebody is found; :func:`quasi` which columns stand between people
and what harms them.

For a release: describe the table in a :class:`Policy` (roles, hierarchies, promises, method) and
call :func:`anonymize` with a frame or a file; it returns a :class:`Release` with the published
tables, a public certificate and a private account of the run. :func:`audit` recomputes every
promise from the published tables alone, :func:`attack` tries out what an adversary learns from
them, and :func:`compare` puts several releases side by side. :func:`expected` joins the tables of a
linked release, to count by.

To look closer: :class:`Taxonomy` for hierarchies, :class:`KAnonymity` and its kin for promises, and
the errors, which all descend from :class:`IndistinctError`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from indistinct.analytics.assessment import Assessment
    from indistinct.analytics.attacks.finding import AttackReport
    from indistinct.analytics.comparison import Comparison
    from indistinct.analytics.contingency import Contingency
    from indistinct.analytics.histogram import Equalization, equalization
    from indistinct.analytics.linked import expected
    from indistinct.analytics.quasi_identifiers import QuasiIdentifiers
    from indistinct.analytics.risk import RiskReport
    from indistinct.errors import (
        DataError,
        HierarchyError,
        IndistinctError,
        InputError,
        OutputError,
        PolicyError,
        Problem,
        Unsatisfiable,
    )
    from indistinct.hierarchies.files import read_hierarchy, write_hierarchy
    from indistinct.hierarchies.taxonomy import Taxonomy
    from indistinct.pipeline import (
        Release,
        anonymize,
        assess,
        attack,
        audit,
        compare,
        quasi,
        risk,
    )
    from indistinct.policy import (
        Attribute,
        Categories,
        Link,
        Method,
        Objective,
        Output,
        Partition,
        Policy,
        Population,
        Ranks,
        Risk,
        Source,
        Transform,
    )
    from indistinct.privacy.alpha_k_anonymity import AlphaKAnonymity
    from indistinct.privacy.balanced_p_plus_sensitive import BalancedPPlusSensitive
    from indistinct.privacy.basic_beta_likeness import BasicBetaLikeness
    from indistinct.privacy.delta_disclosure import DeltaDisclosure
    from indistinct.privacy.delta_presence import DeltaPresence
    from indistinct.privacy.distinct_l_diversity import DistinctLDiversity
    from indistinct.privacy.enhanced_beta_likeness import EnhancedBetaLikeness
    from indistinct.privacy.entropy_l_diversity import EntropyLDiversity
    from indistinct.privacy.estimated_k_map import EstimatedKMap
    from indistinct.privacy.k_anonymity import KAnonymity
    from indistinct.privacy.k_map import KMap
    from indistinct.privacy.kl_diversity import KLDiversity
    from indistinct.privacy.km_anonymity import KMAnonymity
    from indistinct.privacy.knm_anonymity import KNMAnonymity
    from indistinct.privacy.max_posterior import MaxPosterior
    from indistinct.privacy.p_alpha_sensitive import PAlphaSensitive
    from indistinct.privacy.p_plus_alpha_sensitive import PPlusAlphaSensitive
    from indistinct.privacy.p_plus_sensitive import PPlusSensitive
    from indistinct.privacy.p_sensitive import PSensitive
    from indistinct.privacy.promise import Promise
    from indistinct.privacy.recursive_cl_diversity import RecursiveCLDiversity
    from indistinct.privacy.t_closeness import TCloseness
    from indistinct.privacy.theta_sensitive import ThetaSensitive
    from indistinct.recoding.exchange import ThetaInfeasible
    from indistinct.release.audit import Audit
    from indistinct.release.certificate import Certificate, Run
    from indistinct.requirement import Requirement

__version__ = "0.4.0"

__all__ = [
    "AlphaKAnonymity",
    "Assessment",
    "AttackReport",
    "Attribute",
    "Audit",
    "BalancedPPlusSensitive",
    "BasicBetaLikeness",
    "Categories",
    "Certificate",
    "Comparison",
    "Contingency",
    "DataError",
    "DeltaDisclosure",
    "DeltaPresence",
    "DistinctLDiversity",
    "EnhancedBetaLikeness",
    "EntropyLDiversity",
    "Equalization",
    "EstimatedKMap",
    "HierarchyError",
    "IndistinctError",
    "InputError",
    "KAnonymity",
    "KLDiversity",
    "KMAnonymity",
    "KMap",
    "KNMAnonymity",
    "Link",
    "MaxPosterior",
    "Method",
    "Objective",
    "Output",
    "OutputError",
    "PAlphaSensitive",
    "PPlusAlphaSensitive",
    "PPlusSensitive",
    "PSensitive",
    "Partition",
    "Policy",
    "PolicyError",
    "Population",
    "Problem",
    "Promise",
    "QuasiIdentifiers",
    "Ranks",
    "RecursiveCLDiversity",
    "Release",
    "Requirement",
    "Risk",
    "RiskReport",
    "Run",
    "Source",
    "TCloseness",
    "Taxonomy",
    "ThetaInfeasible",
    "ThetaSensitive",
    "Transform",
    "Unsatisfiable",
    "__version__",
    "anonymize",
    "assess",
    "attack",
    "audit",
    "compare",
    "equalization",
    "expected",
    "quasi",
    "read_hierarchy",
    "risk",
    "write_hierarchy",
]

_HOMES = {
    "analytics.assessment": ("Assessment",),
    "analytics.attacks.finding": ("AttackReport",),
    "analytics.comparison": ("Comparison",),
    "analytics.contingency": ("Contingency",),
    "analytics.histogram": ("Equalization", "equalization"),
    "analytics.linked": ("expected",),
    "analytics.quasi_identifiers": ("QuasiIdentifiers",),
    "analytics.risk": ("RiskReport",),
    "errors": (
        "DataError",
        "HierarchyError",
        "IndistinctError",
        "InputError",
        "OutputError",
        "PolicyError",
        "Problem",
        "Unsatisfiable",
    ),
    "hierarchies.files": ("read_hierarchy", "write_hierarchy"),
    "hierarchies.taxonomy": ("Taxonomy",),
    "pipeline": ("Release", "anonymize", "assess", "attack", "audit", "compare", "quasi", "risk"),
    "policy": (
        "Attribute",
        "Categories",
        "Link",
        "Method",
        "Objective",
        "Output",
        "Partition",
        "Policy",
        "Population",
        "Ranks",
        "Risk",
        "Source",
        "Transform",
    ),
    "privacy.alpha_k_anonymity": ("AlphaKAnonymity",),
    "privacy.balanced_p_plus_sensitive": ("BalancedPPlusSensitive",),
    "privacy.basic_beta_likeness": ("BasicBetaLikeness",),
    "privacy.delta_disclosure": ("DeltaDisclosure",),
    "privacy.delta_presence": ("DeltaPresence",),
    "privacy.distinct_l_diversity": ("DistinctLDiversity",),
    "privacy.enhanced_beta_likeness": ("EnhancedBetaLikeness",),
    "privacy.entropy_l_diversity": ("EntropyLDiversity",),
    "privacy.estimated_k_map": ("EstimatedKMap",),
    "privacy.k_anonymity": ("KAnonymity",),
    "privacy.k_map": ("KMap",),
    "privacy.kl_diversity": ("KLDiversity",),
    "privacy.km_anonymity": ("KMAnonymity",),
    "privacy.knm_anonymity": ("KNMAnonymity",),
    "privacy.max_posterior": ("MaxPosterior",),
    "privacy.p_alpha_sensitive": ("PAlphaSensitive",),
    "privacy.p_plus_alpha_sensitive": ("PPlusAlphaSensitive",),
    "privacy.p_plus_sensitive": ("PPlusSensitive",),
    "privacy.p_sensitive": ("PSensitive",),
    "privacy.recursive_cl_diversity": ("RecursiveCLDiversity",),
    "privacy.t_closeness": ("TCloseness",),
    "privacy.theta_sensitive": ("ThetaSensitive",),
    "privacy.promise": ("Promise",),
    "recoding.exchange": ("ThetaInfeasible",),
    "release.audit": ("Audit",),
    "release.certificate": ("Certificate", "Run"),
    "requirement": ("Requirement",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """The public names, each imported when first asked for, so that the package loads quickly."""
    if name not in _HOME_OF:
        raise AttributeError(f"module 'indistinct' has no attribute '{name}'")
    value = getattr(importlib.import_module(f"indistinct.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
