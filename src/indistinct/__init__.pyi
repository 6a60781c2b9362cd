# Every public name, once: ``__init__.py`` reads here where it is defined.

from indistinct.analytics.assessment import Assessment as Assessment
from indistinct.analytics.attacks.finding import AttackReport as AttackReport
from indistinct.analytics.comparison import Comparison as Comparison
from indistinct.analytics.contingency import Contingency as Contingency
from indistinct.analytics.histogram import Equalization as Equalization
from indistinct.analytics.histogram import equalization as equalization
from indistinct.analytics.linked import expected as expected
from indistinct.analytics.quasi_identifiers import QuasiIdentifiers as QuasiIdentifiers
from indistinct.analytics.risk import RiskReport as RiskReport
from indistinct.errors import DataError as DataError
from indistinct.errors import HierarchyError as HierarchyError
from indistinct.errors import IndistinctError as IndistinctError
from indistinct.errors import InputError as InputError
from indistinct.errors import OutputError as OutputError
from indistinct.errors import PluginError as PluginError
from indistinct.errors import PolicyError as PolicyError
from indistinct.errors import Problem as Problem
from indistinct.errors import Unsatisfiable as Unsatisfiable
from indistinct.hierarchies.files import read_hierarchy as read_hierarchy
from indistinct.hierarchies.files import write_hierarchy as write_hierarchy
from indistinct.hierarchies.taxonomy import Taxonomy as Taxonomy
from indistinct.pipeline.anonymization import anonymize as anonymize
from indistinct.pipeline.assessing import assess as assess
from indistinct.pipeline.attack import attack as attack
from indistinct.pipeline.auditing import audit as audit
from indistinct.pipeline.comparison import compare as compare
from indistinct.pipeline.discovering import quasi as quasi
from indistinct.pipeline.release import Release as Release
from indistinct.pipeline.risk import risk as risk
from indistinct.policy import Attribute as Attribute
from indistinct.policy import Categories as Categories
from indistinct.policy import Link as Link
from indistinct.policy import Method as Method
from indistinct.policy import Objective as Objective
from indistinct.policy import Output as Output
from indistinct.policy import Partition as Partition
from indistinct.policy import Policy as Policy
from indistinct.policy import Population as Population
from indistinct.policy import Ranks as Ranks
from indistinct.policy import Risk as Risk
from indistinct.policy import Source as Source
from indistinct.policy import Transform as Transform
from indistinct.privacy.alpha_k_anonymity import AlphaKAnonymity as AlphaKAnonymity
from indistinct.privacy.balanced_p_plus_sensitive import (
    BalancedPPlusSensitive as BalancedPPlusSensitive,
)
from indistinct.privacy.basic_beta_likeness import BasicBetaLikeness as BasicBetaLikeness
from indistinct.privacy.delta_disclosure import DeltaDisclosure as DeltaDisclosure
from indistinct.privacy.delta_presence import DeltaPresence as DeltaPresence
from indistinct.privacy.distinct_l_diversity import DistinctLDiversity as DistinctLDiversity
from indistinct.privacy.enhanced_beta_likeness import EnhancedBetaLikeness as EnhancedBetaLikeness
from indistinct.privacy.entropy_l_diversity import EntropyLDiversity as EntropyLDiversity
from indistinct.privacy.estimated_k_map import EstimatedKMap as EstimatedKMap
from indistinct.privacy.k_anonymity import KAnonymity as KAnonymity
from indistinct.privacy.k_map import KMap as KMap
from indistinct.privacy.kl_diversity import KLDiversity as KLDiversity
from indistinct.privacy.km_anonymity import KMAnonymity as KMAnonymity
from indistinct.privacy.knm_anonymity import KNMAnonymity as KNMAnonymity
from indistinct.privacy.known_records import KnownRecords as KnownRecords
from indistinct.privacy.max_posterior import MaxPosterior as MaxPosterior
from indistinct.privacy.p_alpha_sensitive import PAlphaSensitive as PAlphaSensitive
from indistinct.privacy.p_plus_alpha_sensitive import PPlusAlphaSensitive as PPlusAlphaSensitive
from indistinct.privacy.p_plus_sensitive import PPlusSensitive as PPlusSensitive
from indistinct.privacy.p_sensitive import PSensitive as PSensitive
from indistinct.privacy.promise import Promise as Promise
from indistinct.privacy.recursive_cl_diversity import RecursiveCLDiversity as RecursiveCLDiversity
from indistinct.privacy.t_closeness import TCloseness as TCloseness
from indistinct.privacy.theta_sensitive import ThetaSensitive as ThetaSensitive
from indistinct.recoding.exchange import ThetaInfeasible as ThetaInfeasible
from indistinct.release.audit import Audit as Audit
from indistinct.release.certificate import Certificate as Certificate
from indistinct.release.certificate import Run as Run
from indistinct.requirement import Requirement as Requirement

__version__: str
