"""Write the pages of the reference that can be read off the program itself.

    python docs/build_reference.py            write them
    python docs/build_reference.py --check    say which are out of date

What stands on these pages comes from docstrings, from the sections of the policy, from the options of
the command line and from errors.toml. To change a page, change what it is made from.
"""

# ruff: noqa: E501

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
import sys
import textwrap
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

import indistinct
from indistinct import errors, policy
from indistinct._sections import Section, _sections_in
from indistinct.analytics.attacks import attackers
from indistinct.document import OfUnits, PlainData
from indistinct.hierarchies import (
    code_systems,
    dates,
    equal_frequency,
    intervals,
    masking,
    ordered,
    tree,
)
from indistinct.measures import measures
from indistinct.policy.stated import Stated
from indistinct.privacy.promise import SHARED, Promise, models
from indistinct.recoding.method import methods
from indistinct.sources.file_kind import output_formats
from indistinct.sources.format import formats

Kind = TypeVar("Kind")

HERE = Path(__file__).resolve().parent
CODES = HERE / "errors.toml"
MADE = "<!-- Made by docs/build_reference.py: change what it is made from, not this page. -->\n"


# -------- What docstrings say, as Markdown --------


def prose(text: str) -> str:
    """A docstring's text as Markdown."""
    text = re.sub(r":\w+:`~?(?:[\w.]*\.)?(\w+)(?:\(\))?`(?:\s(s)\b)?", r"`\1`\2", text)
    return re.sub(r"``([^`]+)``(?:\s(s)\b)?", r"`\1`\2", text)


def without_closure(text: str) -> str:
    """A promise's docstring without the proof of its closure, which its last line says in plain words."""
    parts = (
        re.sub(r"\s*\bClosed\s+under\b.*", "", part, flags=re.S) for part in text.split("\n\n")
    )
    return "\n\n".join(part for part in parts if part.strip())


def one_line(text: str) -> str:
    """A text as the cell of a table."""
    parts = prose(" ".join(text.split())).replace("|", "\\|").split("`")
    parts[::2] = [part.replace("<", "&lt;") for part in parts[::2]]
    return "`".join(parts)


def sentence(text: str) -> str:
    """A text as the cell of a table, beginning like a sentence."""
    text = one_line(text)
    return text[:1].upper() + text[1:]


def sections(docstring: str) -> tuple[str, list[tuple[str, str]], list[tuple[str, str]], str]:
    """What stands before, the arguments, what is raised, and the examples."""
    before: list[str] = []
    examples: list[str] = []
    lists: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Raises": []}
    where = ""
    text = re.sub(r"^Returns:\n    ", "Returns ", inspect.cleandoc(docstring), flags=re.M)
    text = re.sub(r"^(Returns [^\n]*(?:\n(?=    )    [^\n]*)*)", _joined, text, flags=re.M)
    for line in text.splitlines():
        if line.startswith(">>>") or (where == "examples" and line):
            where = "examples"
            examples.append(line)
        elif line.rstrip(":") in lists and line.endswith(":"):
            where = line.rstrip(":")
        elif where in lists and line.startswith("    "):
            items = lists[where]
            start = re.match(r"    (\w+): (.*)", line)
            if start:
                items.append((start[1], start[2]))
            elif items:
                items[-1] = items[-1][0], f"{items[-1][1]} {line.strip()}"
        elif where != "examples":
            where = "" if line else where
            before.append(line)
    return "\n".join(before).strip(), lists["Arguments"], lists["Raises"], "\n".join(examples)


def _joined(found: re.Match[str]) -> str:
    first = re.sub(r"\n    ", " ", found[1]).removeprefix("Returns ")
    return f"Returns {first[:1].lower()}{first[1:]}"


def documented(docstring: str | None, *, known: Collection[str] = ()) -> Iterator[str]:
    """A docstring as paragraphs of Markdown, without arguments that are ``known``."""
    text, arguments, raises, examples = sections(docstring or "")
    if text:
        yield prose(text)
    arguments = [(name, said) for name, said in arguments if name not in known]
    if arguments:
        yield "\n".join(f"* `{name}`: {one_line(said)}" for name, said in arguments)
    if raises:
        yield "Raises:\n\n" + "\n".join(f"* `{name}`: {one_line(said)}" for name, said in raises)
    if examples:
        yield f"```pycon\n{examples}\n```"


def field_docstrings(kind: type) -> dict[str, str]:
    """The text under each field of a class."""
    body = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0]
    assert isinstance(body, ast.ClassDef)
    found = {}
    for one, after in zip(body.body, body.body[1:], strict=False):
        if (
            isinstance(one, ast.AnnAssign)
            and isinstance(one.target, ast.Name)
            and isinstance(after, ast.Expr)
            and isinstance(after.value, ast.Constant)
            and isinstance(after.value.value, str)
        ):
            found[one.target.id] = after.value.value
    return found


# -------- policy.md --------


def kind_of(annotation: Any) -> str:
    """What may stand there, in the words of the policy."""
    origin, inside = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return ", ".join("`false`" if word is False else f'`"{word}"`' for word in inside)
    if origin is Union or type(annotation).__name__ == "UnionType":
        return " or ".join(kind_of(part) for part in inside if part is not type(None))
    if hasattr(annotation, "__metadata__"):
        return kind_of(inside[0])
    if origin is tuple:
        return "list of " + kind_of(inside[0])
    if origin is dict:
        return "table"
    if isinstance(annotation, type) and issubclass(annotation, Section):
        return "table"
    names = {str: "text", int: "whole number", float: "number", bool: "`true` or `false`"}
    return names.get(annotation, "see below")


_KINDS = {
    ("Source", "separator"): "one character",
    ("Source", "quote"): "one character",
    ("Mask", "char"): "one character",
    ("Attribute", "hierarchy"): 'table, or `"suppress"`',
    ("Attribute", "missing"): '`"value"`, `"suppress"`, or a table',
    ("Attribute", "weight"): "number, 0 or more",
    ("Attribute", "transform"): "table, or a word",
    ("Round", "to"): "number above 0, or a word",
    ("Round", "digits"): "whole number, -15 to 15",
    ("Noise", "scale"): "number above 0",
    ("Swap", "share"): "number above 0, up to 1",
    ("Swap", "window"): "number above 0, up to 1",
    ("Swap", "within"): "name, or list of names",
    ("Shift", "days"): "whole number, 1 or more",
    ("Microaggregate", "k"): "whole number, 2 or more",
    ("Aggregation", "thresholds"): "list of numbers",
    ("Aggregation", "groups"): "table of lists",
    ("Attribute", "derived_from"): "name, or list of names",
    ("Attribute", "part_of"): "name, or list of names",
    ("Analysis", "by"): "name, or list of names",
    ("Analysis", "predictors"): "name, or list of names",
    ("Link", "from_"): "name, or list of names",
    ("Link", "to"): "name, or list of names",
    ("Output", "format"): ", ".join(f'`"{name}"`' for name in output_formats()),
    ("Source", "format"): ", ".join(f'`"{name}"`' for name in formats()),
    ("Method", "algorithm"): ", ".join(f'`"{name}"`' for name in methods()),
    ("Method", "objective"): "name of a measure, or a table",
    ("Method", "suppression_limit"): "number from 0 to 1",
    ("Method", "time_limit"): "number above 0",
    ("Objective", "gs_factor"): "number from 0 to 1",
    ("Objective", "measure"): "name of a measure, see below",
    ("Objective", "weights"): "table of numbers",
    ("Pseudonymize", "length"): "whole number, 8 to 64",
}


def default_of(kind: type[Section], name: str, item: Any) -> str:
    """The default of a field, as a policy would write it."""
    if kind is policy.Source and name in ("separator", "encoding", "quote"):
        return "detected"
    if item.is_required():
        return "required"
    value = item.get_default(call_default_factory=True)
    if isinstance(value, Section):
        inside = value.to_dict()
        return {"missing": '`"value"`', "objective": '`"loss"`'}.get(
            name, "none" if not inside else ""
        )
    if value is None or value in ((), {}):
        return "none"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, str):
        return f'`"{value}"`'
    if isinstance(value, tuple):
        return f"`[{', '.join(f'{part:g}' for part in value)}]`"
    return f"`{value:g}`"


def keys_of(kind: type[Section]) -> str:
    """A table of a section's keys."""
    meanings = field_docstrings(kind)
    rows = ["| key | type | default | meaning |", "| --- | --- | --- | --- |"]
    for name, item in kind.model_fields.items():
        key = item.alias or name
        said = _KINDS.get((kind.__name__, name)) or kind_of(item.annotation)
        meaning = sentence(_MEANINGS.get((kind.__name__, name)) or meanings.get(name, ""))
        rows.append(f"| `{key}` | {said} | {default_of(kind, name, item)} | {meaning} |")
    return "\n".join(rows)


_MEANINGS = {
    ("Source", "sheet"): "The sheet of an Excel workbook; the first one if none is named.",
}

_BUILDERS: tuple[tuple[str, Callable[..., Any], str, str], ...] = (
    (
        "intervals",
        intervals.intervals_taxonomy,
        "Numbers as intervals of one width, or between given breaks. A number alone is the width.",
        "hierarchy = { intervals = { width = 5, bottom = 20, top = 90 } }",
    ),
    (
        "equal_frequency",
        equal_frequency.equal_frequency_taxonomy,
        "Numbers as intervals with about equally many records. A number alone is `bins`. The "
        'first and the last are open (`<=27`, `>=44`) unless `ends = "closed"`.',
        "hierarchy = { equal_frequency = 8 }",
    ),
    (
        "mask",
        masking.masking_taxonomy,
        "Codes that lose characters step by step.",
        'hierarchy = { mask = { from = "right", keep = 2 } }',
    ),
    (
        "date",
        dates.dates_taxonomy,
        "Dates as months, quarters, years and decades. A list alone is `levels`.",
        'hierarchy = { date = { format = "day-first", levels = ["month", "quarter", "year"] } }',
    ),
    (
        "order",
        ordered.ordered_taxonomy,
        "Ordered categories, neighbours merged in runs. A list alone is `values`.",
        'hierarchy = { order = { values = ["low", "medium", "high", "critical"], run = 2 } }',
    ),
    (
        "code_system",
        code_systems.code_systems_taxonomy,
        "Codes of diseases, drugs and places as the groups that they belong to. A text alone is `name`.",
        'hierarchy = { code_system = "icd-10" }',
    ),
)


def builder(name: str, function: Callable[..., Any], about: str, example: str) -> str:
    """A builder of hierarchies and its settings."""
    parameters = inspect.signature(function).parameters
    _, arguments, _, _ = sections(function.__doc__ or "")
    rows = ["| setting | default | meaning |", "| --- | --- | --- |"]
    for argument, said in arguments:
        if argument in ("attribute", "values", "counts") and not (
            name == "order" and argument == "values"
        ):
            continue
        default = parameters[argument].default
        if default is inspect.Parameter.empty:
            shown = "required"
        elif default is None:
            shown = "none"
        elif isinstance(default, str):
            shown = f'`"{default}"`'
        elif isinstance(default, tuple):
            shown = "`[" + ", ".join(f'"{item}"' for item in default) + "]`"
        else:
            shown = f"`{default}`"
        key = {"side": "from"}.get(argument, argument)
        said = said.replace("(the policy calls it ``from``)", "").rstrip(" .") + "."
        rows.append(f"| `{key}` | {shown} | {sentence(said)} |")
    table = "\n".join(rows)
    return f"### `{name}`\n\n{about}\n\n{table}\n\n```toml\n{example}\n```"


_TRANSFORMS: dict[str, tuple[str, str]] = {
    "mask": ("", 'transform = { mask = { keep = 2, from = "right" } }'),
    "pseudonymize": (
        "Give `key_env` or `key_file`. See "
        "[pseudonymize an identifier](../how-to/pseudonymize-an-identifier.md).",
        'transform = { pseudonymize = { key_env = "PATIENT_KEY" } }',
    ),
    "replace": ("", 'transform = { replace = { style = "name" } }'),
    "shift": (
        "All dates with the same `by` move alike, also in several columns, and need the same `days`.",
        'transform = { shift = { by = "patient", days = 180 } }',
    ),
    "swap": ("", 'transform = { swap = { share = 0.2, within = ["sex"] } }'),
    "pram": (
        "A number alone is `keep`. See [how a reader corrects for it](../topics/transformations.md#pram).",
        "transform = { pram = 0.8 }",
    ),
    "noise": ("A number alone is `scale`.", "transform = { noise = 2.5 }"),
    "round": (
        "Give `to` or `digits`. A number or a word alone is `to`.",
        "transform = { round = 5 }",
    ),
    "microaggregate": ("A number alone is `k`.", "transform = { microaggregate = 5 }"),
    "aggregate": (
        "Give `bottom`, `top` or both; or `thresholds`; or `groups`.",
        "transform = { aggregate = { thresholds = [18, 40, 65] } }",
    ),
    "synthesize": ("", 'transform = "synthesize"'),
}
"""What is added to the settings of each transformation, and an example."""


def transforms_table() -> str:
    """The transformations, and the roles that each goes with."""
    meanings = field_docstrings(policy.Transform)
    rows = ["| key | roles | meaning |", "| --- | --- | --- |"]
    for name, way in policy.TRANSFORMS.items():
        rows.append(f"| `{name}` | {', '.join(way.roles)} | {sentence(meanings[name])} |")
    return "\n".join(rows)


def transform(name: str, more: str, example: str) -> str:
    """A transformation and its settings."""
    kind = next(iter(_sections_in(policy.Transform.model_fields[name].annotation)))
    about = prose(inspect.getdoc(kind) or "") + (f" {more}" if more else "")
    return f"#### `{name}`\n\n{about}\n\n{keys_of(kind)}\n\n```toml\n{example}\n```"


_TOLD = frozenset({"Risk", "Missing", "Transform", "Objective"})


def further(*kinds: type[Section]) -> list[str]:
    """The tables inside sections that have no part of the page written for them."""
    parts = []
    for kind in kinds:
        for name, item in kind.model_fields.items():
            for inside in _sections_in(item.annotation):
                if inside.__name__ not in _TOLD:
                    parts += [
                        f"### `{item.alias or name}`",
                        prose(inspect.getdoc(inside) or ""),
                        keys_of(inside),
                    ]
                    parts += further(inside)
    return parts


def policy_page() -> str:
    """Every key of a policy."""
    example = textwrap.dedent(
        """\
        [source]
        separator = ";"

        [attributes.patient]
        role = "identifier"

        [attributes.age]
        role = "quasi-identifier"
        hierarchy = { intervals = { width = 5, top = 90 } }

        [attributes.diagnosis]
        role = "sensitive"

        [[promises]]
        model = "k-anonymity"
        k = 5

        [method]
        objective = "loss"
        suppression_limit = 0.05

        [output]
        format = "csv"
        """
    )
    settings = ["| measure | its settings |", "| --- | --- |"]
    for measure, kind in own_kinds(measures()).items():
        listed = ", ".join(f"`{name}`" for name in sorted(kind.settings)) or "none"
        settings.append(f"| `{measure}` | {listed} |")
    parts = [
        "# The policy",
        MADE.strip(),
        "A policy is a TOML file. `Policy.from_dict` takes the same keys in a Python mapping, and "
        "`Policy(...)` the same names. An unknown key is an error, and the message names the nearest known "
        "key. All problems of a policy are reported together.",
        f"```toml\n{example}```",
        "File names in a policy are relative to the policy's own folder.",
        '`rest = "drop"`, above the first table, leaves out every column that the policy does not '
        'list; `rest = "keep"` publishes them as they are. Without it, a column without a role is an '
        "error.",
        "## `[source]`: how the file is read",
        "Write `separator`, `encoding` and `quote` only if the detection is wrong.",
        keys_of(policy.Source),
        "## `[attributes.NAME]`: one table for every column",
        "A column without a role is an error: see [roles](../topics/roles.md). Put a name with blanks "
        'or special characters in quotes: `[attributes."marital status"]`.',
        keys_of(policy.Attribute),
        '`hierarchy`, `weight`, `min_level`, `max_level`, `uncovered` and `missing = "suppress"` apply to '
        "quasi-identifiers. With another role they have no effect, and the run warns.",
        "### `missing`",
        'A word alone is `as`: `missing = "suppress"`. See '
        "[missing and suppressed values](../topics/missing-and-suppressed-values.md).",
        keys_of(policy.Missing),
        '```toml\nmissing = { tokens = ["?", "N/A"], as = "value" }\n```',
        "### `transform`",
        "What is published instead of the values: exactly one of these. A word alone means the "
        'defaults: `transform = "swap"`. A quasi-identifier is transformed first, then generalized. '
        "See [transform values](../how-to/transform-values.md).",
        transforms_table(),
        *(transform(name, *_TRANSFORMS[name]) for name in policy.TRANSFORMS),
        *further(policy.Attribute, policy.Source),
        "## `hierarchy`",
        'One builder in a table, a file, or `"suppress"` (the value as it is, or `*`), which is also '
        "the default. See [write a hierarchy](../how-to/write-a-hierarchy.md).",
        "### `file`",
        "One line per value and one column per level, without a header: see "
        "[write a hierarchy](../how-to/write-a-hierarchy.md#in-a-file-of-your-own).",
        "| setting | default | meaning |\n| --- | --- | --- |\n"
        "| `file` | required | The file, relative to the policy's folder. |\n"
        "| `separator` | detected | The character between two columns. |\n"
        "| `encoding` | UTF-8, or by its byte order mark | The encoding, by a name Python knows. |",
        '```toml\nhierarchy = { file = "occupation.csv", separator = ";" }\n```',
        *(builder(*item) for item in _BUILDERS),
        "### `tree`",
        "A hierarchy as a nested table: keys are labels, a list holds the values under a label. A label "
        "with nothing under it is a value. Branches may have unequal depth. "
        + one_line((tree.tree_taxonomy.__doc__ or "").split("\n\n")[1]),
        '```toml\nhierarchy = { tree = { "*" = { Yes = ["Low", "High"], No = [] } } }\n```',
        "## `[[promises]]`: what is promised",
        "One table for each promise; a release keeps all of them. Which one to choose: "
        "[which promise, which algorithm, when](../how-to/choose-a-method.md).",
        "| key | type | default | meaning |\n| --- | --- | --- | --- |\n"
        "| `model` | text | required | The privacy model, one of those below. |\n"
        "| `on` | list of quasi-identifiers | all of them | The quasi-identifiers that make the classes. |\n"
        "| `sensitive` | name, or list of names | every sensitive attribute | The attribute that "
        "the promise protects; several names mean one promise each. |\n"
        '| `reference` | `"published"`, `"original"` | `"published"` | The distribution that a model '
        "compares with, if it compares. The original one is written into the certificate, which discloses "
        "the sensitive values of suppressed records as a group. |\n"
        "| `values`, `not_values` | list | those of the attribute | The values that harm, or those that do "
        "not: the promise is about these alone. Only models that can be about some values. |\n"
        "| `not_applicable` | list | that of the attribute | Values that mean that there is nothing to "
        "know. Their records are not counted. |\n"
        '| `unit` | `"record"`, `"person"` | `"person"` if `[source]` names a `person`, else `"record"` | '
        "What is counted. The other one is refused. |",
        '```toml\n[[promises]]\nmodel = "k-anonymity"\nk = 20\non = ["age", "sex", "zip"]\n```',
        *(model(name, kind) for name, kind in own_kinds(models()).items()),
        "## `[method]`: how to search for a release",
        keys_of(policy.Method),
        "### `objective`",
        "A word alone is `measure`. Formulas: [measures](../topics/measures.md).",
        keys_of(policy.Objective),
        "Not every measure has every setting:",
        "\n".join(settings),
        '```toml\nobjective = { measure = "loss", aggregate = "arithmetic", weights = { age = 3 } }\n```',
        *further(policy.Method),
        "## `[[analyses]]`: what will be done with the release",
        "Each analysis runs on the table and on the release; the estimates are compared: see "
        "[will my analysis still hold?](../how-to/keep-an-analysis.md). The result is private.",
        keys_of(policy.Analysis),
        '```toml\n[[analyses]]\nkind = "linear"\noutcome = "cost"\npredictors = ["age", "sex"]\n'
        "min_overlap = 0.8\n```",
        "## `[[links]]`: what can be linked to what",
        "What you know of links between people and the columns of the table, for `indistinct quasi`: "
        "see [find the quasi-identifiers](../how-to/find-quasi-identifiers.md). An end that is not a "
        "column is outside the table.",
        keys_of(policy.Link),
        '```toml\n[[links]]\nfrom = "name"\nto = ["age", "postcode"]\nsource = "voter register"\n```',
        "## `[output]`: what the release looks like",
        keys_of(policy.Output),
        '```toml\n[output]\nformat = "parquet"\nsuppressed = "keep"\n```',
        "## `[ledger]`: what was published before",
        "With this section every release is [written down](../how-to/keep-a-ledger.md), and the next one "
        "is checked against all of them.",
        keys_of(policy.Bookkeeping),
        "## `[risk]`: the people around the table",
        "Promises about a population (`k-map`, `delta-presence`) count the people of a table that you "
        "name.",
        keys_of(policy.Risk),
        *further(policy.Risk),
        '```toml\n[risk]\npopulation = { file = "register.csv" }\nk_range = [2, 20]\n```',
    ]
    return "\n\n".join(parts) + "\n"


def own_kinds(known: Mapping[str, type[Kind]]) -> dict[str, type[Kind]]:
    """Those of this package, without those that something else has defined."""
    return {name: kind for name, kind in known.items() if kind.__module__.startswith("indistinct.")}


def model(name: str, kind: type[Promise]) -> str:
    """A privacy model: what it asks, its parameters, and what it needs."""
    own = {item.name: item.default for item in dataclasses.fields(kind) if item.name not in SHARED}
    some_values = own.keys() >= _OF_VALUES
    rows = ["| parameter | default |", "| --- | --- |"]
    for parameter, default in own.items():
        if some_values and parameter in _OF_VALUES:
            continue
        missing = default is dataclasses.MISSING
        shown = "required" if missing else "none" if default in (None, ()) else f"`{default}`"
        rows.append(f"| `{parameter}` | {shown} |")
    said = []
    if kind.needs_sensitive:
        values = ", or to some of its values" if some_values else ""
        said.append(f"It applies to a sensitive attribute{values}.")
    if kind.compares:
        said.append("It compares with a `reference`.")
    if kind.needs_population:
        said.append("It needs `[risk] population`.")
    able = ", ".join(
        f"`{name}`" for name, one in methods().items() if one.keeps(kind) and not one.works_towards
    )
    together = f"All classes keep it together, and still do where some merge; methods: {able}."
    said.append(
        together
        if kind.subject == "together"
        else {
            "superset": "A class that keeps it still keeps it with more records.",
            "union": "Two classes that keep it also keep it when they are merged.",
            "none": "More records in a class, or merging classes, may break it.",
        }[kind.closure]
    )
    about = prose(without_closure(inspect.cleandoc(kind.__doc__ or "")))
    return f"### `{name}`\n\n{about}\n\n" + "\n".join(rows) + "\n\n" + " ".join(said)


_OF_VALUES = {"values", "not_values", "not_applicable"}


# -------- command-line.md --------


def command_line_page() -> str:
    """Every verb with its arguments and options."""
    from indistinct.cli import app
    from indistinct_reproductions.verb import paper

    verbs = [inspect.unwrap(command.callback or main) for command in app.registered_commands]
    parts = [
        "# The command line",
        MADE.strip(),
        "Results go to standard output: text or, with `--json`, exactly one JSON document (see [JSON "
        "documents](json.md)). Notes, warnings, errors and progress go to standard error. Exit codes: "
        "[exit codes and errors](exit-codes-and-errors.md). `indistinct --version` prints the version.",
        "Plugins can add verbs: [write a plugin](../how-to/write-a-plugin.md). `paper` is one of these: "
        "`pip install indistinct-reproductions`.",
        "## Options of many verbs",
        "\n".join(
            [
                "| option | meaning |",
                "| --- | --- |",
                "| `--help` | Explain the verb (every verb). |",
                "| `--max-memory SIZE` | Refuse a table that needs more memory, such as `2GB` (every verb). The "
                "default is what is free. |",
                "| `--quiet`, `-q` | No progress, no notes, and no summary of files that are written (every verb). "
                "Warnings, errors and answers are printed. |",
                *(f"| `{option}` | {one_line(said)} |" for option, said in _SHARED_OPTIONS.items()),
            ]
        ),
    ]
    for function in (*verbs, paper):
        name = function.__name__
        arguments, options = _parameters(function)
        words = "".join(f" {word}" for word, _ in arguments)
        rows = ["| argument or option | meaning |", "| --- | --- |"]
        own = [item for item in options if item[0] not in _SHARED_OPTIONS]
        rows += [f"| `{word}` | {one_line(said)} |" for word, said in (*arguments, *own)]
        also = ", ".join(f"`{word.split()[0]}`" for word, _ in options if word in _SHARED_OPTIONS)
        parts += [
            f"## `indistinct {name}{words}`",
            prose(sections(function.__doc__ or "")[0]),
            "\n".join(rows),
            *(
                [f"Also {also}: see [options of many verbs](#options-of-many-verbs)."]
                if also
                else []
            ),
            f"```console\n{_EXAMPLES[name]}\n```",
        ]
    return "\n\n".join(parts) + "\n"


def _parameters(
    function: Callable[..., Any],
) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """The arguments and the options of a verb: how each is written, and what it means."""
    from typer.models import ArgumentInfo

    arguments, options = [], []
    for name, item in inspect.signature(function, eval_str=True).parameters.items():
        kind, told = get_args(item.annotation)[:2]
        choice = [part for part in (kind, *get_args(kind)) if part is not type(None)]
        said = told.help or ""
        if isinstance(told, ArgumentInfo):
            arguments.append((told.metavar or name.upper(), said))
            continue
        declared = [word for word in (told.default, *(told.param_decls or ())) if _is_option(word)]
        option = declared[0] if declared else f"--{name.replace('_', '-')}"
        words = [get_args(part) for part in choice if get_origin(part) is Literal]
        if told.metavar:
            option += f" {told.metavar}"
        elif words:
            option += " " + "\\|".join(words[0])
        elif bool not in choice:
            option += " NUMBER"
        if item.default is inspect.Parameter.empty:
            said += " Required."
        elif item.default is True:
            said += f" Default: `{option.split('/')[0]}`."
        elif item.default not in (None, False):
            said += f" Default: `{item.default}`."
        options.append((option, said))
    return arguments, options


_SHARED_OPTIONS = {
    "--separator CHARACTER": "Separator of a CSV file (default: detected).",
    "--encoding NAME": "Encoding of a CSV file (default: detected).",
    "--sheet NAME": "Sheet of an Excel file (default: the first).",
    "--force": "Replace files that exist already.",
    "--json": "Print one JSON document on standard output.",
}


def _is_option(word: object) -> bool:
    return isinstance(word, str) and word.startswith("--")


_EXAMPLES = {
    "quasi": (
        "indistinct quasi patients.csv --policy release.toml\n"
        "indistinct quasi patients.csv --policy release.toml --threshold 0.3 --plot graph.svg"
    ),
    "attack": (
        "indistinct attack patients.csv release --policy release.toml\n"
        "indistinct attack patients.csv release --policy release.toml --only membership,skewness"
    ),
    "compare": (
        "indistinct compare patients.csv first second --policy release.toml\n"
        "indistinct compare patients.csv first second --policy release.toml --attack --seed 1"
    ),
    "explore": (
        "indistinct explore patients.csv --policy release.toml --k 2..20 --suppression 0,0.02,0.05\n"
        "indistinct explore patients.csv --policy release.toml --algorithm optimal,mondrian --write 2"
    ),
    "report": (
        "indistinct report release --public\n"
        "indistinct report release --data patients.csv --policy release.toml --template ema-hc"
    ),
    "risk": (
        "indistinct risk patients.csv --quasi age,sex,postcode --population 250000\n"
        "indistinct risk patients.csv --policy release.toml --curve 2-20 --plot risk.svg\n"
        "indistinct risk release --standard 0.09,hipaa-safe-harbor"
    ),
    "ledger": (
        "indistinct ledger list ledger\n"
        "indistinct ledger show ledger --release 2\n"
        "indistinct ledger check ledger --json\n"
        "indistinct ledger forget ledger --release 2"
    ),
    "demo": "indistinct demo --out demo-release",
    "init": "indistinct init patients.csv --policy release.toml",
    "assess": (
        "indistinct assess patients.csv --combinations 3\n"
        "indistinct assess patients.csv --write release.toml --plot leaks.svg\n"
        "indistinct assess patients.csv --policy release.toml --release release"
    ),
    "anonymize": (
        "indistinct anonymize patients.csv --policy release.toml --out release\n"
        "indistinct anonymize patients.csv --quasi age,sex,zip --sensitive diagnosis --rest drop \\\n"
        "    --k 5 --suppression-limit 0.05 --out release"
    ),
    "apply": (
        "indistinct apply release-2023 patients-2024.csv --policy release.toml --out release-2024\n"
        "indistinct apply release-2023 patients-2024.csv --policy release.toml --out release-2024 "
        "--adapt"
    ),
    "audit": (
        "indistinct audit release\n"
        "indistinct audit release/release.csv --policy release.toml\n"
        "indistinct audit from-another-tool.csv --quasi age,sex,zip --k 5"
    ),
    "hierarchy": (
        "indistinct hierarchy patients.csv age --intervals 5 --top 90\n"
        "indistinct hierarchy patients.csv zip --mask right --out zip.csv"
    ),
    "studio": (
        "indistinct studio patients.csv\n"
        "indistinct studio --policy release.toml --port 8080 --no-browser"
    ),
    "paper": (
        "indistinct paper arca-hewett\nindistinct paper arca-hewett --data heart --out arca-hewett"
    ),
}


# -------- exit-codes-and-errors.md --------


def errors_page() -> str:
    """Exit codes, the tree of errors, and every problem there is a code for."""
    tree_of_errors = textwrap.dedent((errors.__doc__ or "").split("\n\n")[1]).rstrip()
    parts = [
        "# Exit codes and errors",
        MADE.strip(),
        "## Exit codes",
        "| code | meaning |\n| --- | --- |\n"
        "| 0 | Done. |\n"
        "| 1 | A bug in the program. The message names the place and no value of your table. "
        "`INDISTINCT_DEBUG=1` shows more, which can contain values. |\n"
        "| 2 | Something you can correct: a file, a policy, a hierarchy, an option, a folder. |\n"
        "| 3 | No release can keep the promises within the policy's limits. Or an audit found a broken "
        "promise, or files that do not match their certificate. Or a bound of `risk --strict`, "
        "`attack --max-gain` or `assess --max-leakage` was exceeded. |\n"
        "| 130 | Interrupted (Ctrl+C). Nothing is left half written. If the release stands already, "
        "the message says so. |\n"
        "| 143, 129 | Ended by SIGTERM or SIGHUP, in the same orderly way. |",
        "If a verb fails, standard output stays empty and nothing is written. With `--json` it has one document, that of the error: `error` (its class), `exit_code`, and `problems`, each with `code`, `message` and, where they apply, `file`, `attribute`, `rows` and `remedy`. The same words go to standard error. Progress goes to standard "
        "error: a bar on a terminal, otherwise a line every ten seconds (`INDISTINCT_LOG_SECONDS` sets "
        "the number, 0 for none). The time left is that of the step that is named; from publishing on, that of the run.",
        "## Messages",
        "A message says where (file, attribute, rows), what is wrong, and what to write. All problems of a "
        "file or a policy are reported together. Rows are counted from 1 without the header; at most ten "
        "are named. A message never contains a value of your table. It may show values from a policy or "
        "hierarchy file, which you wrote.",
        "## The error classes",
        "In Python every error is an `IndistinctError`. It has `problems`, a tuple of `Problem` (`code`, "
        "`message`, `file`, `attribute`, `rows`, `remedy`), the `exit_code` of the command line, and "
        "`to_dict()`.",
        f"```text\n{tree_of_errors}\n```",
        '```python\nimport indistinct as ind\n\ntry:\n    policy = ind.Policy.load("release.toml")\n'
        "except ind.IndistinctError as error:\n    for problem in error.problems:\n"
        "        print(problem.code, problem.message)\n```",
        "## Codes",
        "Use `code` in scripts: it stays the same when the words of a message change.",
        "\n".join(_codes()),
    ]
    return "\n\n".join(parts) + "\n"


def _codes() -> Iterator[str]:
    yield "| code | what it means, and what to do |"
    yield "| --- | --- |"
    for code, summary in tomllib.loads(CODES.read_text(encoding="utf-8")).items():
        yield f"| `{code}` | {one_line(summary)} |"


# -------- python.md --------


def python_page() -> str:
    """Every public name."""
    groups: tuple[tuple[str, str, tuple[str, ...]], ...] = (
        (
            "The verbs",
            "Arguments of many verbs:\n\n"
            "* `data`: the private table: a frame (Polars, pandas, PyArrow, DuckDB, PySpark) or the path of a "
            "file. It is not changed.\n"
            "* `path`: the file that a frame was read from, for messages.\n"
            '* `source`: how to read a file without a policy: `{"separator": ";"}`.\n'
            "* `progress`: a function that gets the stage and the share of it that is done, or None.",
            (
                "assess",
                "risk",
                "quasi",
                "anonymize",
                "apply",
                "alternatives",
                "audit",
                "attack",
                "compare",
            ),
        ),
        (
            "What they return",
            "Each has a short `repr`, a table for notebooks, and `to_dict()` where a document "
            "belongs to it (see [JSON documents](json.md)).",
            _RETURNED,
        ),
        (
            "The policy",
            "The keys and their meaning: [the policy](policy.md). Every section takes the keys of "
            "its table by name.",
            (
                "Policy",
                "Source",
                "Attribute",
                "Categories",
                "Ranks",
                "Transform",
                "Analysis",
                "Link",
                "Method",
                "Objective",
                "Partition",
                "Output",
                "Risk",
                "Population",
            ),
        ),
        (
            "Promises",
            "What each promises: [the policy](policy.md#promises-what-is-promised). Which to choose: "
            "[promises about sensitive values](../topics/sensitive-values.md). All have the members of "
            "`Promise`.",
            ("Promise", "Requirement", *(kind.__name__ for kind in own_kinds(models()).values())),
        ),
        (
            "Hierarchies",
            "",
            (
                "Taxonomy",
                "read_hierarchy",
                "write_hierarchy",
                "rename_labels",
                "regroup_labels",
                "equalization",
            ),
        ),
        (
            "Step by step",
            "The functions of the [studio](../how-to/use-the-studio.md): a table that is read once, and "
            "policies that are checked against it while they are written.",
            ("workbench", "Workbench", "Held", "edit_policy"),
        ),
        (
            "Linked tables",
            "How to count in them: [analyse linked tables](../how-to/analyse-linked-tables.md).",
            ("expected",),
        ),
        (
            "Errors",
            "See [exit codes and errors](exit-codes-and-errors.md).",
            (
                "IndistinctError",
                "InputError",
                "DataError",
                "PolicyError",
                "HierarchyError",
                "OutputError",
                "PluginError",
                "Unsatisfiable",
                "ThetaInfeasible",
                "Problem",
            ),
        ),
        ("Version", "", ("__version__",)),
    )
    named = [name for _, _, names in groups for name in names]
    rest = tuple(name for name in indistinct.__all__ if name not in named)
    if rest:
        groups = (*groups, ("Further names", "", rest))
    parts = [
        "# Python",
        MADE.strip(),
        "`import indistinct as ind` loads quickly: each name is imported when it is first used. Names that "
        "are not on this page are not public and may change.",
    ]
    for title, about, names in groups:
        parts.append(f"## {title}")
        parts += [about] if about else []
        for name in names:
            parts += _entry(name)
    return "\n\n".join(parts) + "\n"


_RETURNED = (
    "Assessment",
    "RiskReport",
    "QuasiIdentifiers",
    "Release",
    "Certificate",
    "Run",
    "Audit",
    "AttackReport",
    "Comparison",
    "Alternatives",
    "Contingency",
    "Equalization",
)


def _entry(name: str) -> Iterator[str]:
    value = getattr(indistinct, name)
    yield f"### `{name}`"
    if isinstance(value, str):
        yield f'The version of the package, `"{value}"`.'
    elif not inspect.isclass(value):
        yield f"```text\n{_signature(name, value)}\n```"
        yield from documented(value.__doc__, known=_KNOWN)
    elif issubclass(value, Promise) and value is not Promise:
        yield f"```text\n{_signature(name, value)}\n```"
        summary = prose(inspect.cleandoc(value.__doc__ or "").splitlines()[0])
        yield f"{summary} See [`{value.model}`](policy.md#{value.model})."
    else:
        yield from _class(name, value)


_KNOWN = ("path", "progress", "source")


def _class(name: str, kind: type) -> Iterator[str]:
    returned = name in _RETURNED
    if not (returned or issubclass(kind, Section | Exception) or inspect.isabstract(kind)):
        yield f"```text\n{_signature(name, kind)}\n```"
    yield from documented(kind.__doc__)
    constructor = vars(kind).get("__init__")
    if constructor is not None and constructor.__doc__:
        yield from documented(constructor.__doc__)
    members = list(_members(kind))
    if members:
        yield "\n".join(members)


def _signature(name: str, value: Any) -> str:
    parameters = []
    star = False
    for item in inspect.signature(value).parameters.values():
        if item.kind is inspect.Parameter.KEYWORD_ONLY and not star:
            parameters.append("*")
            star = True
        default = item.default
        if default is inspect.Parameter.empty:
            parameters.append(item.name)
        elif isinstance(default, str | int | float | tuple | type(None)):
            parameters.append(f"{item.name}={default!r}")
        else:
            parameters.append(f"{item.name}=...")
    return f"{name}({', '.join(parameters)})"


def _members(kind: type) -> Iterator[str]:
    held = {}
    for one in (Stated, OfUnits, PlainData, kind):
        held |= vars(one) if issubclass(kind, one) else {}
    for name, member in held.items():
        if name.startswith(("_", "model_")) or name.endswith(("parts", "summary_rows")):
            continue
        if isinstance(member, property):
            text = sections(member.__doc__ or "")[0].split("\n\n")[0]
            yield f"* `.{name}`: {one_line(text)}"
        elif isinstance(member, classmethod) or inspect.isfunction(member):
            bound = getattr(kind, name)
            signature = _signature(name, bound)
            if inspect.isfunction(member):
                signature = re.sub(r"\(self(, )?", "(", signature)
            text = sections(inspect.getdoc(bound) or "")[0].split("\n\n")[0]
            yield f"* `.{signature}`: {one_line(text)}"


# -------- attackers.md --------


def attackers_page() -> str:
    """Every attacker: what it knows, what it asks, and where it is from."""
    kinds = {
        "identity": "Who somebody is",
        "membership": "Whether somebody is in the table",
        "attribute": "What somebody has",
    }
    parts = [
        "# Attackers",
        MADE.strip(),
        "`indistinct attack` tries these. All of them know the release. How to read what they find: "
        "[attack a release](../how-to/attack-a-release.md). Their figures: "
        "[JSON documents](json.md#the-attack-report).",
    ]
    for kind, heading in kinds.items():
        rows = ["| attacker | knows | asks | source |", "| --- | --- | --- | --- |"]
        for name, one in attackers().items():
            if kind == one.KIND and one.__name__.startswith("indistinct."):
                asked = (one.__doc__ or "").split("\n")[0].split(": ", 1)[1]
                cells = (sentence(one.KNOWLEDGE), sentence(asked), sentence(one.SOURCE))
                rows.append(f"| `{name}` | {' | '.join(cells)} |")
        parts += [f"## {heading}", "\n".join(rows)]
    return "\n\n".join(parts) + "\n"


PAGES: dict[str, Callable[[], str]] = {
    "attackers.md": attackers_page,
    "policy.md": policy_page,
    "command-line.md": command_line_page,
    "exit-codes-and-errors.md": errors_page,
    "python.md": python_page,
}


def main(arguments: Sequence[str]) -> int:
    """Write the pages, or say which are out of date."""
    stale = 0
    for name, page in PAGES.items():
        path = HERE / "reference" / name
        text = page()
        if "--check" in arguments:
            if not path.is_file() or path.read_text(encoding="utf-8") != text:
                print(f"{name} is out of date: python docs/build_reference.py")
                stale = 1
        else:
            path.write_text(text, encoding="utf-8")
    return stale


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
