"""Build the documentation as a site, by Zensical: ``python docs/site.py OUT``.

The pages stay where they are, so that a repository's own view of them works too: what Git knows is
laid out again below a folder for the time of the build, and the order of ``docs/README.md`` becomes
the navigation. A broken link or anchor ends the build. Search, fonts and
pictures come with the site, which asks no other host for anything.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
SHOWN = ("*.md", "*.svg", "*.png", "*.ipynb", "examples")
NAME = "indistinct"

CONFIG = """\
[project]
site_name = "indistinct"
site_description = "Publish data about people without exposing anyone, and prove it."
docs_dir = "pages"
site_dir = "site"
use_directory_urls = false
nav = [
{nav}
]

[project.theme]
font = false
language = "en"
features = ["content.code.copy", "navigation.indexes", "navigation.sections", "navigation.top",
  "navigation.footer", "search.highlight", "toc.follow"]

[[project.theme.palette]]
media = "(prefers-color-scheme: light)"
scheme = "default"
toggle.icon = "lucide/sun"
toggle.name = "Dark"

[[project.theme.palette]]
media = "(prefers-color-scheme: dark)"
scheme = "slate"
toggle.icon = "lucide/moon"
toggle.name = "Light"

[project.markdown_extensions]
admonition = {{}}
attr_list = {{}}
def_list = {{}}
md_in_html = {{}}
tables = {{}}
toc.permalink = true
toc.slugify = {{ object = "pymdownx.slugs.slugify", kwds = {{ case = "lower" }} }}
pymdownx.highlight.pygments_lang_class = true
pymdownx.superfences = {{}}
"""


def of_pages(text: str) -> str:
    """A text whose links to notebooks go to their pages.

    >>> of_pages("[one](notebooks/one.ipynb)")
    '[one](notebooks/one.md)'
    """
    return re.sub(r"(\]\([^)]+)\.ipynb\)", r"\1.md)", text)


def sections(index: str) -> dict[str, list[tuple[str, str]]]:
    r"""The links of the documentation's index, [title, page], by its headings.

    >>> sections("# All\n\n## Topics\n\n* [Roles](topics/roles.md), in short\n")
    {'Topics': [('Roles', 'docs/topics/roles.md')]}
    """
    found: dict[str, list[tuple[str, str]]] = {}
    for part in re.split(r"^## ", index, flags=re.M)[1:]:
        heading, _, text = part.partition("\n")
        links = re.findall(r"\[([^]]+)\]\(([^)#]+\.md)\)", text.replace("\n", " "))
        found[heading] = [
            (title, (Path("docs") / page).as_posix().replace("docs/../", ""))
            for title, page in links
        ]
    return found


def page(notebook: Any) -> str:
    """A notebook as a page of Markdown, for the site."""
    parts = []
    for cell in notebook["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(text)
            continue
        parts.append(f"```python\n{text}\n```")
        for output in cell["outputs"]:
            data = output.get("data", {})
            if "text/html" in data:
                # A line that is empty would end the HTML of a page.
                text = "".join(data["text/html"])
                # The site draws tables that have no class of their own.
                text = text.replace('<table border="1" class="dataframe">', "<table>")
                lines = text.splitlines()
                parts.append("\n".join(line for line in lines if line.strip()))
            else:
                shown = "".join(output.get("text") or data["text/plain"])
                parts.append(f"```text\n{shown.rstrip()}\n```")
    return "\n\n".join(parts) + "\n"


def navigation(index: str) -> str:
    """The navigation as it is written into Zensical's settings."""
    lines = [f'  {{ "{NAME}" = "README.md" }},', '  { "All pages" = "docs/README.md" },']
    for heading, links in sections(index).items():
        own = ",\n    ".join(f'{{ "{title}" = "{page}" }}' for title, page in links)
        lines.append(f'  {{ "{heading}" = [\n    {own},\n  ] }},')
    return "\n".join(lines)


def lay_out(pages: Path) -> None:
    """Copy what the pages consist of and link to.

    What follows the language of a block is for the tests of the pages, not for their readers.
    """
    told = subprocess.run(
        [
            shutil.which("git") or "git",
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
            *SHOWN,
        ],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    for name in filter(None, told.stdout.split("\0")):
        place = pages / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if place.suffix in {".md", ".ipynb"}:
            text = (ROOT / name).read_text(encoding="utf-8")
            text = page(json.loads(text)) if place.suffix == ".ipynb" else text
            text = re.sub(r"^(```\w+) .*$", r"\1", of_pages(text), flags=re.M)
            place.with_suffix(".md").write_text(text, encoding="utf-8")
        else:
            shutil.copyfile(ROOT / name, place)


def main(out: Path) -> int:
    """Build into a folder; the exit code of Zensical."""
    with tempfile.TemporaryDirectory() as folder:
        build = Path(folder)
        lay_out(build / "pages")
        index = of_pages((ROOT / "docs" / "README.md").read_text(encoding="utf-8"))
        config = CONFIG.format(nav=navigation(index))
        (build / "zensical.toml").write_text(config, encoding="utf-8")
        code = subprocess.run(
            [Path(sys.executable).with_name("zensical"), "build", "--strict"],
            cwd=build,
            check=False,
        ).returncode
        if code == 0:
            shutil.rmtree(out, ignore_errors=True)
            shutil.copytree(build / "site", out)
    return code


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else "site")))
