#!/usr/bin/env python3
"""Measures how the cost of a decision grows, and draws it for docs/performance.md.

    scripts/plot_costs.py measure [--berth bin/berth] [--results build/costs]
    scripts/plot_costs.py draw [--results build/costs] [--out docs/images/costs.svg]

`measure` runs `berth bench` once for each point and keeps its JSON, so that an interrupted run goes
on where it stopped; delete the folder to measure anew. `draw` needs the JSON only.
"""

import argparse
import json
import math
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

MIXES = ["plain", "selector", "spread", "default-spread", "anti-affinity", "affinity",
         "preferred-affinity", "mixed"]  # fmt: skip


@dataclass
class Panel:
    """One diagram: the cost of a decision as one number grows, with a line for each series."""

    title: str
    name: str
    option: str
    values: list
    series: dict  # Label: the other options of `berth bench`.

    def points(self):
        for label, options in self.series.items():
            for value in self.values:
                yield label, value, [*options, self.option, str(value)]


PANELS = [
    Panel("nodes", "nodes", "--nodes", [1_000, 5_000, 20_000, 100_000], {
        "one class": ["--pods", "10000"],
        "each its own": ["--pods", "10000", "--classes", "each"],
        "mixed, 200": ["--pods", "10000", "--classes", "200", "--mix", "mixed"],
        "default spread, 1,000": ["--pods", "10000", "--classes", "1000", "--mix",
                                  "default-spread"],
    }),
    Panel("pod classes (5,000 nodes)", "classes", "--classes", [10, 100, 1_000, 10_000], {
        "plain": ["--pods", "10000"],
        "mixed": ["--pods", "10000", "--mix", "mixed"],
    }),
    Panel("pods (5,000 nodes)", "pods", "--pods", [1_000, 5_000, 20_000, 100_000], {
        "plain, one class": [],
        "plain, 1,000 classes": ["--classes", "1000"],
        "spread, one class": ["--mix", "spread"],
    }),
    Panel("domains: zones of 5,000 nodes", "zones", "--zones", [3, 10, 100, 1_000], {
        "spread": ["--pods", "5000", "--mix", "spread"],
        "default spread": ["--pods", "5000", "--mix", "default-spread"],
        "mixed, 200 classes": ["--pods", "5000", "--classes", "200", "--mix", "mixed"],
    }),
    Panel("constraints (5,000 nodes, one class)", "mixes", "--mix", MIXES, {
        "": ["--pods", "5000"],
    }),
]  # fmt: skip


def results_file(results, panel, label, value):
    words = "".join(c if c.isalnum() else "-" for c in f"{panel.name} {label} {value}")
    return results / f"{words}.json"


def measure(berth, results):
    results.mkdir(parents=True, exist_ok=True)
    points = [(panel, *point) for panel in PANELS for point in panel.points()]
    for number, (panel, label, value, options) in enumerate(points, 1):
        file = results_file(results, panel, label, value)
        if file.exists():
            continue
        print(f"[{number}/{len(points)}] berth bench {' '.join(options)}", file=sys.stderr)
        unfinished = file.with_suffix(".part")
        command = [berth, "bench", *options, "--json", str(unfinished)]
        if subprocess.run(command, stdout=subprocess.DEVNULL).returncode != 0:
            sys.exit(f"plot_costs.py: failed: {' '.join(command)}")
        unfinished.rename(file)


def read_cost(file):
    """Returns the average cost of a decision in microseconds."""
    try:
        items = json.loads(file.read_text())["dataItems"]
    except FileNotFoundError:
        sys.exit(f"plot_costs.py: {file} is missing: run 'scripts/plot_costs.py measure' first")
    for item in items:
        if item["labels"]["Metric"] == "SchedulingThroughput":
            return 1e6 / item["data"]["Average"]
    sys.exit(f"plot_costs.py: {file}: no SchedulingThroughput in it")


# --- drawing ---

WIDTH, HEIGHT = 400, 240  # Of a diagram, with its texts.
LEFT, RIGHT, TOP, BOTTOM = 44, 14, 30, 52
COLUMNS = 2
# Readable on white and on black.
COLOURS = ["#2f7ed8", "#d9822b", "#2ca05a", "#a64fc0"]
STYLE = """
text { font: 11px sans-serif; fill: #808080 }
.title { font-weight: bold; font-size: 12px }
.grid { stroke: #808080; stroke-opacity: .25 }
.line { fill: none; stroke-width: 2 }
"""


def short(value):
    if isinstance(value, str):
        return value
    return f"{value // 1000}k" if value >= 1000 else str(value)


class Axes:
    """The scales of a diagram: both logarithmic; values that are words are evenly spaced."""

    def __init__(self, panel, most):
        self.panel = panel
        self.decades = max(1, math.ceil(math.log10(most)))

    def x(self, index):
        values = self.panel.values
        share = index / (len(values) - 1)
        if not isinstance(values[0], str):
            share = math.log(values[index] / values[0]) / math.log(values[-1] / values[0])
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def y(self, cost):
        share = max(0.0, math.log10(cost)) / self.decades
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def text(x, y, words, attributes=""):
    return f'<text x="{x:.0f}" y="{y:.0f}" {attributes}>{words}</text>'


def draw_grid(axes):
    for decade in range(axes.decades + 1):
        y = axes.y(10**decade)
        yield f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield text(LEFT - 6, y + 4, f"{10**decade} µs", 'text-anchor="end"')


def draw_bars(axes, costs):
    step = (WIDTH - LEFT - RIGHT) / len(costs)
    for index, (value, cost) in enumerate(zip(axes.panel.values, costs)):
        x, y = LEFT + index * step, axes.y(cost)
        height = HEIGHT - BOTTOM - y
        yield (f'<rect x="{x + 4:.1f}" y="{y:.1f}" width="{step - 8:.1f}" height="{height:.1f}" '
               f'fill="{COLOURS[0]}"/>')  # fmt: skip
        yield text(x + step / 2, y - 4, f"{cost:.0f}", 'text-anchor="middle"')
        at = f"{x + step / 2:.0f} {HEIGHT - BOTTOM + 12}"
        yield text(x + step / 2, HEIGHT - BOTTOM + 12, value,
                   f'text-anchor="end" transform="rotate(-25 {at})"')  # fmt: skip


def draw_lines(axes, costs_by_series):
    for index, value in enumerate(axes.panel.values):
        yield text(axes.x(index), HEIGHT - BOTTOM + 14, short(value), 'text-anchor="middle"')
    x = LEFT
    for colour, (label, costs) in zip(COLOURS, costs_by_series.items()):
        points = [(axes.x(index), axes.y(cost)) for index, cost in enumerate(costs)]
        path = " ".join(f"{px:.1f},{py:.1f}" for px, py in points)
        yield f'<polyline class="line" stroke="{colour}" points="{path}"/>'
        for px, py in points:
            yield f'<circle cx="{px:.1f}" cy="{py:.1f}" r="3" fill="{colour}"/>'
        yield f'<rect x="{x}" y="{HEIGHT - 20}" width="10" height="10" fill="{colour}"/>'
        yield text(x + 14, HEIGHT - 11, label)
        x += 24 + 6 * len(label)


def draw_panel(panel, results):
    costs = {
        label: [read_cost(results_file(results, panel, label, value)) for value in panel.values]
        for label in panel.series
    }
    axes = Axes(panel, max(max(line) for line in costs.values()))
    yield text(LEFT, 16, panel.title, 'class="title"')
    yield from draw_grid(axes)
    if isinstance(panel.values[0], str):
        yield from draw_bars(axes, costs[""])
    else:
        yield from draw_lines(axes, costs)


def draw(results, out):
    rows = math.ceil(len(PANELS) / COLUMNS)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {COLUMNS * WIDTH} {rows * HEIGHT}">',
        f"<title>The cost of one decision</title><style>{STYLE}</style>",
    ]
    for number, panel in enumerate(PANELS):
        row, column = divmod(number, COLUMNS)
        parts.append(f'<g transform="translate({column * WIDTH} {row * HEIGHT})">')
        parts += draw_panel(panel, results)
        parts.append("</g>")
    parts.append("</svg>")
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text("\n".join(parts) + "\n")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("action", choices=["measure", "draw"])
    parser.add_argument("--berth", default="bin/berth", help="the program to measure")
    parser.add_argument("--results", type=Path, default=Path("build/costs"))
    parser.add_argument("--out", type=Path, default=Path("docs/images/costs.svg"))
    options = parser.parse_args()
    if options.action == "measure":
        measure(options.berth, options.results)
    else:
        draw(options.results, options.out)


if __name__ == "__main__":
    main()
