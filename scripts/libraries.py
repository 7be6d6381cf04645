#!/usr/bin/env python3
"""The libraries of src/ and what each uses, as src/CMakeLists.txt declares it.

The real includes must equal the declaration, the declaration must have no cycle and respect the
boundaries below, and ARCHITECTURE.md must show it and name files that exist. ctest runs the check
as part of `style`.

    scripts/libraries.py check [ROOT]     prints "file:line: message" for each violation
    scripts/libraries.py draw [ROOT]      rewrites the picture in ARCHITECTURE.md
    scripts/libraries.py actual [ROOT]    prints what each library includes, to compare by hand
"""

import re
import sys
from pathlib import Path

DECLARATION = "src/CMakeLists.txt"
PICTURE = "ARCHITECTURE.md"
# Documents that name files of src/, which must exist.
MAPS = (PICTURE, "docs/glossary.md")

# What must never be reached, directly or through others: {folder: {other folder: reason}}.
BOUNDARIES = {
    "net": {
        "api": "net knows no Kubernetes",
        "scheduler": "net knows no scheduler",
    },
    "client": {"scheduler": "client knows no scheduler"},
    "apiserver": {"scheduler": "the API server never sees the engine"},
    "daemon": {"apiserver": "the daemon never links the store"},
    "scheduler": {
        "net": "the engine does no I/O",
        "client": "the engine does no I/O",
        "runtime": "the runtime drives the engine, not the other way round",
        "observability": "the engine reports through its own interfaces",
    },
}

LIBRARY = re.compile(r"^berth_library\(\s*([\w/]+)([^)]*)\)", re.M)
KEYWORDS = {"USES", "LINKS", "TEST_USES", "TEST_LINKS", "SUBFOLDERS"}
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')
NAMED_FILE = re.compile(r"`([\w/]+/\w+\.(?:h|cc))`")
BEGIN, END = "<!-- libraries: begin -->", "<!-- libraries: end -->"


class Libraries:
    """The declared libraries, in order."""

    def __init__(self, root):
        self.root = Path(root)
        self.uses = {}
        self.lines = {}
        text = (self.root / DECLARATION).read_text(encoding="utf-8")
        for found in LIBRARY.finditer(text):
            section, uses = None, []
            for word in re.sub(r"#[^\n]*", "", found[2]).split():
                if word in KEYWORDS:
                    section = word
                elif section == "USES":
                    uses.append(word)
            self.uses[found[1]] = uses
            self.lines[found[1]] = text.count("\n", 0, found.start()) + 1

    def of(self, path):
        """The library of a path below src/, or None: the longest declared folder that holds it."""
        parts = path.split("/")[:-1]
        while parts:
            if "/".join(parts) in self.uses:
                return "/".join(parts)
            parts.pop()
        return None

    def reached(self, library):
        """Everything that `library` uses, through others, too: {library: the way there}."""
        ways = {}
        todo = [(library, [library])]
        while todo:
            here, way = todo.pop()
            for used in self.uses.get(here, []):
                if used not in ways:
                    ways[used] = way + [used]
                    todo.append((used, way + [used]))
        return ways

    def sources(self):
        """Production sources: tests, benchmarks and fixtures may include anything."""
        for path in sorted((self.root / "src").rglob("*")):
            if path.suffix not in {".h", ".cc"} or "testing" in path.parts:
                continue
            if re.search(r"_(test|bench)\.cc$|_testing\.(h|cc)$", path.name):
                continue
            yield path.relative_to(self.root / "src").as_posix(), path

    def includes(self):
        """{library: {included library: (file, line) of the first such include}}."""
        found = {library: {} for library in self.uses}
        for name, path in self.sources():
            library = self.of(name)
            if library is None:
                continue
            for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
                if include := INCLUDE.match(line):
                    other = self.of(include[1])
                    if other is not None and other != library:
                        found[library].setdefault(other, (f"src/{name}", number))
        return found


def inside(library, folder):
    return library == folder or library.startswith(folder + "/")


def check(root):
    libraries = Libraries(root)
    seen = set()
    for library, uses in libraries.uses.items():
        line = libraries.lines[library]
        for used in uses:
            if used not in libraries.uses:
                yield DECLARATION, line, f"{library} uses {used}, which is not declared"
            elif used not in seen:
                yield DECLARATION, line, f"{library} uses {used}, which is declared after it"
        seen.add(library)
    for library, included in libraries.includes().items():
        for other, (name, number) in included.items():
            if other not in libraries.uses[library]:
                yield name, number, f"{library} includes {other}, which it does not declare"
        for used in libraries.uses[library]:
            if used not in included:
                message = f"{library} declares {used}, not included"
                yield DECLARATION, libraries.lines[library], message
    for library in libraries.uses:
        for folder, others in BOUNDARIES.items():
            if not inside(library, folder):
                continue
            for used, way in libraries.reached(library).items():
                for other, why in others.items():
                    if inside(used, other):
                        way_text = " → ".join(way)
                        yield DECLARATION, libraries.lines[library], f"{way_text}: {why}"
    picture = Path(root, PICTURE)
    if picture.exists():
        text = picture.read_text(encoding="utf-8")
        if BEGIN in text and with_picture(text, libraries) != text:
            line = text.count("\n", 0, text.index(BEGIN)) + 1
            yield PICTURE, line, "the picture is out of date: run scripts/libraries.py draw"
    for name in MAPS:
        document = Path(root, name)
        lines = document.read_text(encoding="utf-8").split("\n") if document.exists() else []
        for number, line in enumerate(lines, 1):
            for file in NAMED_FILE.findall(line):
                if not Path(root, "src", file).exists():
                    yield name, number, f"there is no src/{file}"


def mermaid(libraries):
    """The graph of the libraries, grouped by top folder; edges that others imply are
    left out, so that the picture stays readable."""
    names = {library: re.sub(r"\W", "_", library) for library in libraries.uses}
    tops = []
    for library in libraries.uses:
        top = library.split("/")[0]
        if top not in tops:
            tops.append(top)
    lines = ["```mermaid", "flowchart BT"]
    for top in tops:
        inner = [library for library in libraries.uses if inside(library, top)]
        if inner == [top]:
            lines.append(f"  {names[top]}[{top}]")
            continue
        lines.append(f"  subgraph {top}_folder [{top}]")  # A node and its subgraph need two ids.
        lines += [f"    {names[library]}[{library}]" for library in inner]
        lines.append("  end")
    for library, uses in libraries.uses.items():
        implied = set()
        for used in uses:
            implied.update(libraries.reached(used))
        lines += [f"  {names[library]} --> {names[used]}" for used in uses if used not in implied]
    lines.append("```")
    return "\n".join(lines)


def with_picture(text, libraries):
    before, rest = text.split(BEGIN, 1)
    return before + BEGIN + "\n" + mermaid(libraries) + "\n" + END + rest.split(END, 1)[1]


def draw(root):
    path = Path(root, PICTURE)
    text = with_picture(path.read_text(encoding="utf-8"), Libraries(root))
    path.write_text(text, encoding="utf-8")


def main(arguments):
    root = arguments[1] if len(arguments) > 1 else Path(__file__).resolve().parent.parent
    command = arguments[0] if arguments else "check"
    if command == "draw":
        draw(root)
    elif command == "actual":
        for library, included in Libraries(root).includes().items():
            print(f"{library}: {' '.join(included)}")
    elif command == "check":
        violations = list(check(root))
        for name, line, message in violations:
            print(f"{name}:{line}: {message}")
        return 1 if violations else 0
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
