"""What is learnt about a sensitive attribute from attributes that others know.

Method: the loss of a record is H(S) - H(S | E), where E is its class in what is known; the mean
over records is the mutual information I(S; E) (after Longpre, Kreinovich and Dumrongpokaphan
2017). The loss of a single record may be negative.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

import numpy as np

from indistinct.analytics.leakage.encoded import Encoded
from indistinct.document import PlainData
from indistinct.frozen import dataclass, field
from indistinct.microdata.encoding import count_combinations
from indistinct.types import Bools, Codes, Floats, Ints32


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


def sensitive_leakage(
    encoded: Encoded, attribute: str, known: Sequence[str], without: Collection[str] = ()
) -> SensitiveLeakage:
    """What some attributes tell about another one: H(S) - H(S | E) over records.

    Arguments:
        encoded: the table.
        attribute: S.
        known: the attributes whose classes are E.
        without: values of S that say that there is nothing to be known: their records, which others
            know, are left aside. An empty text is the missing value.
    """
    analysis = encoded.analysis
    class_of = analysis.classes([name for name in known if name != attribute])
    value_of = analysis.table.codes[analysis.attributes.index(attribute)]
    of_combination = encoded.mass
    if without:
        aside = np.array([(label or "") in without for label in encoded.domains[attribute]])
        of_combination = np.where(aside[value_of], 0, of_combination)
    total = float(of_combination.sum())
    whole = _entropy_of(np.bincount(value_of, of_combination).astype(np.float64))
    # There may be as many classes as records: arrays that are done with are written anew.
    class_mass = np.bincount(class_of, of_combination)
    inside, several = _within(class_of, value_of, of_combination, len(class_mass))
    del of_combination
    sure = float(class_mass[~several].sum()) / total if total > 0 else 0.0
    positive = class_mass > 0
    mass, loss = class_mass[positive], inside[positive]
    del class_mass, inside, several, class_of
    loss /= mass
    np.subtract(np.log2(mass), loss, out=loss)
    np.maximum(loss, 0.0, out=loss)
    np.subtract(whole, loss, out=loss)
    mean = float((mass * loss).sum() / total) if total > 0 else 0.0
    beside = loss - mean
    beside **= 2
    beside *= mass
    spread = float(beside.sum() / total) if total > 0 else 0.0
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


def _within(
    class_of: Ints32, value_of: Codes, of_combination: Floats, classes: int
) -> tuple[Floats, Bools]:
    """Of every class the sum of p log2 p over its values, and whether it has several.

    Arguments:
        class_of: the class of every combination, [C].
        value_of: the value of every combination, [C].
        of_combination: what every combination weighs, [C].
        classes: how many classes there are.
    """
    domains = [classes, int(value_of.max(initial=0)) + 1]
    all_one = np.broadcast_to(np.int64(1), len(class_of))
    columns, _, cell_of = count_combinations(
        [class_of, value_of.astype(np.int32)], domains, all_one
    )
    of_cell, mass = columns[0], np.bincount(cell_of, of_combination)
    del columns, cell_of
    there = mass > 0
    several = np.bincount(of_cell[there], minlength=classes) > 1
    mass[~there] = 1.0
    part = np.log2(mass)
    part *= mass
    return np.asarray(np.bincount(of_cell, part, classes), np.float64), several


def _entropy_of(mass: Floats) -> float:
    mass = mass[mass > 0]
    total = float(mass.sum())
    if total <= 0:
        return 0.0
    return max(math.log2(total) - float((mass * np.log2(mass)).sum()) / total, 0.0)
