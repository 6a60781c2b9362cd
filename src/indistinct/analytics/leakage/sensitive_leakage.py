"""What is learnt about a sensitive attribute from attributes that others know.

Method: the loss of a record is H(S) - H(S | E), where E is its class in what is known; the mean
over records is the mutual information I(S; E) (after Longpre, Kreinovich and Dumrongpokaphan
2017). The loss of a single record may be negative.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import field

import numpy as np

from indistinct.analytics.leakage.encoded import Encoded
from indistinct.document import PlainData
from indistinct.frozen import dataclass
from indistinct.types import Floats


@dataclass(frozen=True)
class SensitiveLeakage(PlainData):
    """What the quasi-identifiers tell about a sensitive attribute, in bits.

    ``entropy`` is H(S); ``information`` the mean of H(S) - H(S | E) over records, which is the
    mutual information I(S; E); ``share`` its share of H(S); ``certain`` the share of records whose
    value can be told for certain. The loss of a single record may be negative.
    """

    attribute: str
    entropy: float
    information: float
    share: float
    maximum: float = field(metadata={"as": "max"})
    deviation: float = field(metadata={"as": "sd"})
    certain: float


def sensitive_leakage(encoded: Encoded, attribute: str, known: Sequence[str]) -> SensitiveLeakage:
    """What some attributes tell about another one: H(S) - H(S | E) over records.

    Arguments:
        encoded: the table.
        attribute: S.
        known: the attributes whose classes are E.
    """
    analysis = encoded.analysis
    class_of = analysis.classes([name for name in known if name != attribute])
    value_of = analysis.table.codes[analysis.attributes.index(attribute)].astype(np.int64)
    total = float(encoded.mass.sum())
    values = int(value_of.max(initial=0)) + 1
    cells, cell_of = np.unique(class_of.astype(np.int64) * values + value_of, return_inverse=True)
    cell_mass = np.bincount(cell_of, encoded.mass)
    class_mass = np.bincount(class_of, encoded.mass)
    whole = _entropy_of(np.bincount(value_of, encoded.mass).astype(np.float64))
    of_cell = cells // values
    safe = np.where(cell_mass > 0, cell_mass, 1.0)
    inside = np.bincount(of_cell, safe * np.log2(safe) * (cell_mass > 0), len(class_mass))
    positive = class_mass > 0
    mass = class_mass[positive]
    within = np.log2(mass) - inside[positive] / mass
    loss = whole - np.maximum(within, 0.0)
    mean = float((mass * loss).sum() / total) if total > 0 else 0.0
    spread = float((mass * (loss - mean) ** 2).sum() / total) if total > 0 else 0.0
    several = np.bincount(of_cell[cell_mass > 0], minlength=len(class_mass)) > 1
    sure = float(class_mass[~several].sum()) / total if total > 0 else 0.0
    mean = min(max(mean, 0.0), whole)
    return SensitiveLeakage(
        attribute=attribute,
        entropy=whole,
        information=mean,
        share=mean / whole if whole > 0 else 0.0,
        maximum=float(loss.max(initial=0.0)),
        deviation=math.sqrt(spread),
        certain=sure,
    )


def _entropy_of(mass: Floats) -> float:
    mass = mass[mass > 0]
    total = float(mass.sum())
    if total <= 0:
        return 0.0
    return max(math.log2(total) - float((mass * np.log2(mass)).sum()) / total, 0.0)
