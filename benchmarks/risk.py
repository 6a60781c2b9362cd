"""Risk of a large table, and the curve over k beside its slowest single k.

The Adult table with its nine quasi-identifiers, once as it is and repeated to 1.2 million records
with ages that differ; then the curve over k = 2 to 20 of the releases that the optimal search makes
for every k at one suppression limit, as one series and k by k.
"""

from __future__ import annotations

import tomllib

import indistinct as ind
from common import (
    ADULT,
    EIGHT,
    adult_file,
    adult_frame,
    adult_policy,
    adult_table,
    calibrate,
    describe_machine,
    ms,
    parser,
    show,
    timed,
)
from indistinct.measures import objective
from indistinct.privacy.k_anonymity import KAnonymity
from indistinct.recoding.full_domain import Settings, full_domain, full_domain_for_each
from indistinct.recoding.grouping import Grouper
from indistinct.recoding.plan import LevelPlan
from indistinct.recoding.recoded import published_classes
from leakage import repeated

KS = range(2, 21)
POPULATION = 317_238_626


def whole_tables(options: object) -> None:
    """The verb, on frames that are read already."""
    frame = adult_frame(options.shared)  # type: ignore[attr-defined]
    rows = []
    for name, data in (("Adult", frame), ("Adult x 40", repeated(frame))):
        for what, population in (("sizes", None), ("and uniqueness", POPULATION)):
            taken = timed(
                lambda data=data, population=population: ind.risk(
                    data, quasi=ADULT, population=population, k_range=(2, 20)
                ),
                runs=3,
                warm_ups=1,
            )
            found = taken.result
            rows.append(
                [
                    name,
                    f"{found.records:,}",
                    f"{found.classes['count']:,}",
                    what,
                    f"{taken.best:.2f}",
                    f"{taken.median:.2f}",
                ]
            )
    show(
        "risk of a table (target: 1.2 million rows under 2 s)",
        ["table", "records", "classes", "what", "best s", "median s"],
        rows,
    )


def curves(options: object) -> None:
    """A series of k as one search, beside each k alone."""
    data = adult_table(options.shared, EIGHT)  # type: ignore[attr-defined]
    goal = objective("loss")
    rows = []
    for limit in (0.0, 0.02, 0.05, 1.0):
        settings = Settings(suppression_limit=limit)
        full_domain_for_each(data, [[KAnonymity(k=2)]], goal, settings)
        alone = []
        for k in KS:

            def one(k: int = k, settings: Settings = settings) -> LevelPlan:
                plan = full_domain(data, [KAnonymity(k=k)], goal, settings)
                published_classes(data, plan)
                return plan

            # The best of several runs, so that a busy machine does not make one k look slow.
            single = timed(one, runs=3, warm_ups=0)
            alone.append((single.best, k, single.result))
        slowest, at, _ = max(alone, key=lambda item: item[0])

        def series(settings: Settings = settings) -> list[object]:
            plans = full_domain_for_each(data, [[KAnonymity(k=k)] for k in KS], goal, settings)
            grouper = Grouper(data)
            for plan in plans:
                published_classes(data, plan, grouper)
            return list(plans)

        together = timed(series, runs=5, warm_ups=0)
        for (_, k, plan), other in zip(alone, together.result, strict=True):
            assert plan.search.value == other.search.value, k
        rows.append(
            [
                f"{limit:g}",
                ms(slowest),
                at,
                ms(sum(item[0] for item in alone)),
                ms(together.best),
                f"{together.best / slowest:.1f}",
            ]
        )
    show(
        "searches for k = 2 to 20, eight quasi-identifiers",
        ["limit", "slowest k ms", "k", "all k alone ms", "series ms", "times the slowest"],
        rows,
    )


def verb(options: object) -> None:
    """The curve as the verb makes it of a file, beside the slowest curve of one k."""
    shared = options.shared  # type: ignore[attr-defined]
    rows = []
    for limit in (0.0, 0.02, 0.05, 1.0):
        policy = ind.Policy.from_dict(tomllib.loads(adult_policy(shared, limit=limit)))

        def curve(first: int, last: int, policy: ind.Policy = policy) -> ind.RiskReport:
            return ind.risk(adult_file(shared), policy, k_range=(first, last))

        curve(5, 5)
        alone = [(timed(lambda k=k: curve(k, k), runs=2, warm_ups=0).best, k) for k in KS]
        slowest, at = max(alone)
        whole = timed(lambda: curve(2, 20), runs=3, warm_ups=0).best
        rows.append(
            [
                f"{limit:g}",
                ms(slowest),
                at,
                ms(sum(t for t, _ in alone)),
                ms(whole),
                f"{whole / slowest:.1f}",
            ]
        )
    show(
        "the verb with --curve 2-20, from the file on (target: three times the slowest k)",
        ["limit", "slowest k ms", "k", "all k alone ms", "curve ms", "times the slowest"],
        rows,
    )


def main() -> None:
    """Run the benchmark."""
    options = parser(__doc__).parse_args()
    print(describe_machine())
    print(calibrate())
    whole_tables(options)
    curves(options)
    verb(options)
    print(describe_machine())


if __name__ == "__main__":
    main()
