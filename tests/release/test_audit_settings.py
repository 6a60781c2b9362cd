"""What the checks of the audit take as parameters, propose, and take where nothing is said."""

from __future__ import annotations

import math
from dataclasses import MISSING, fields
from typing import Any

import pytest
from tests.privacy.examples import usual
from tests.privacy.test_definitions import MODELS

from indistinct.errors import PolicyError
from indistinct.privacy import models, promise
from indistinct.release.audit import checks

PROBES = (-0.5, 0, 0.5, 1, 1.5, 2, True)
"""Numbers around the ends of what parameters may be, and what is no number."""

ABOUT = {"values", "not_values", "not_applicable"}
"""Parameters that say which values a promise is about."""

EXPECTED: dict[tuple[str, str], tuple[str, Any, Any]] = {
    ("alpha-k-anonymity", "alpha"): ("--yy---", 0.5, None),
    ("alpha-k-anonymity", "k"): ("---y-y-", 5, None),
    ("average-risk", "bound"): ("--yy---", 0.05, None),
    ("balanced-p-plus-sensitive", "p"): ("---y-y-", 2, None),
    ("balanced-p-plus-sensitive", "difference"): ("-y-y-y-", 1, 1),
    ("basic-beta-likeness", "beta"): ("--yyyy-", 2, None),
    ("delta-disclosure", "delta"): ("--yyyy-", 2, None),
    ("delta-disclosure", "absent"): ("-------", "break", "break"),
    ("delta-presence", "lower"): ("-yyy---", 0.0, None),
    ("delta-presence", "upper"): ("-yyy---", 0.5, None),
    ("delta-presence", "absent"): ("-------", "break", "break"),
    ("distinct-l-diversity", "l"): ("---y-y-", 3, None),
    ("enhanced-beta-likeness", "beta"): ("--yyyy-", 2, None),
    ("entropy-l-diversity", "l"): ("---yyy-", 3, None),
    ("estimated-k-map", "k"): ("---y-y-", 5, None),
    ("estimated-k-map", "fraction"): ("--yy---", 0.01, None),
    ("estimated-k-map", "significance"): ("--y----", 0.01, 0.01),
    ("estimated-k-map", "estimator"): (
        "-------",
        "zero-truncated-poisson",
        "zero-truncated-poisson",
    ),
    ("k-anonymity", "k"): ("---y-y-", 5, None),
    ("k-map", "k"): ("---y-y-", 5, None),
    ("kl-cover", "k"): ("---y-y-", 5, None),
    ("kl-cover", "l"): ("---y-y-", 2, None),
    ("kl-cover", "of"): ("-------", "values", "values"),
    ("kl-diversity", "k"): ("-----y-", 10, None),
    ("kl-diversity", "l"): ("-----y-", 5, None),
    ("km-anonymity", "k"): ("---y-y-", 5, None),
    ("km-anonymity", "m"): ("---y-y-", 2, 2),
    ("km-anonymity", "together"): ("-------", ["diag_2", "diag_3"], None),
    ("knm-anonymity", "k"): ("-------", {"1": 10, "2": 5}, None),
    ("knm-anonymity", "count"): ("-------", "class", "class"),
    ("knm-anonymity", "diversity"): ("---y-yy", True, True),
    ("known-number", "k"): ("---y-y-", 5, None),
    ("known-records", "k"): ("---y-y-", 5, None),
    ("known-records", "bound"): ("--yy---", 0.5, None),
    ("known-records", "m"): ("---y-y-", 1, 1),
    ("known-visit", "k"): ("---y-y-", 5, None),
    ("known-visit", "visit"): ("-------", ["date"], None),
    ("m-invariance", "m"): ("---y-y-", 2, None),
    ("max-posterior", "bound"): ("--yy---", 0.5, 0.5),
    ("max-posterior", "over"): ("-------", "release", "release"),
    ("p-alpha-sensitive", "p"): ("---y-y-", 3, None),
    ("p-alpha-sensitive", "alpha"): ("-yyyyy-", 1, None),
    ("p-alpha-sensitive", "over"): ("-------", "distinct", "distinct"),
    ("p-plus-alpha-sensitive", "p"): ("---y-y-", 2, None),
    ("p-plus-alpha-sensitive", "alpha"): ("-yyyyy-", 1, None),
    ("p-plus-sensitive", "p"): ("---y-y-", 2, None),
    ("p-sensitive", "p"): ("---y-y-", 3, None),
    ("recursive-cl-diversity", "c"): ("--yyyy-", 3, None),
    ("recursive-cl-diversity", "l"): ("---y-y-", 3, None),
    ("sample-uniqueness", "bound"): ("-yyy---", 0.01, None),
    ("t-closeness", "t"): ("-yyy---", 0.2, None),
    ("t-closeness", "distance"): ("-------", "equal", "equal"),
    ("tau-safety", "m"): ("---y-y-", 2, 2),
    ("theta-sensitive", "k"): ("---y-y-", 4, None),
    ("theta-sensitive", "mu"): ("--yy---", 0.6, 0.6),
    ("theta-sensitive", "theta"): ("-------", "k", "k"),
}
"""By model and parameter: which of these fit, what is proposed, what it is where it is left out.

A promise of classes need not stand here: its check is held against the promise itself below.
"""


def test_what_fits_a_parameter_what_is_proposed_and_what_is_meant_without_it() -> None:
    found = {}
    for model, module in checks().items():
        for name, setting in module.check.settings.items():
            fit = "".join("y" if setting.fits(value) else "-" for value in PROBES)
            found[model, name] = fit, setting.example, setting.default
    assert {key: found.get(key) for key in EXPECTED} == EXPECTED
    unlisted = {model for model, name in found if (model, name) not in EXPECTED}
    assert unlisted - {*MODELS} == set(), "EXPECTED lacks them"


@pytest.mark.parametrize(
    ("given", "fits"),
    [
        ({"1": 1}, True),
        ({1: 2, "4": 3}, True),
        ({}, False),
        ({"1": 0}, False),
        ({"1": -1}, False),
        ({"1": True}, False),
        ({"1": 2.0}, False),
        ({"1": "2"}, False),
        ({"1": 2, "2": 0}, False),
        ({"5": 2}, False),
        ({"0": 2}, False),
        ([("1", 2)], False),
    ],
)
def test_every_rank_has_a_whole_number(given: Any, fits: bool) -> None:
    assert checks()["knm-anonymity"].check.settings["k"].fits(given) is fits


def test_the_audit_means_what_the_promise_means_where_nothing_is_said() -> None:
    for model, module in checks().items():
        usual = {item.name: item.default for item in fields(models()[model])}
        for name, setting in module.check.settings.items():
            default = None if usual[name] in (MISSING, ()) else usual[name]
            assert setting.default == default, (model, name)


def test_what_is_proposed_fits() -> None:
    for model, module in checks().items():
        for name, setting in module.check.settings.items():
            assert setting.fits(setting.example), (model, name)
            assert setting.default is None or setting.fits(setting.default), (model, name)


@pytest.mark.parametrize("model", MODELS)
def test_the_audit_reads_the_parameters_that_a_promise_takes(model: str) -> None:
    """Two who check them apart from each other: the promise when it is made, and its check."""
    own = usual(model)
    wide = {"lower": 0.0, "upper": 1.0} if model == "delta-presence" else {}
    for name, setting in checks()[model].check.settings.items():
        if name in ABOUT:
            continue
        for value in (*PROBES, -1, 3, math.inf, math.nan, "x"):
            fits = True
            try:
                promise(model, sensitive=own.sensitive, **{**own.parameters, **wide, name: value})
            except PolicyError:
                fits = False
            assert setting.fits(value) == fits, (name, value)
