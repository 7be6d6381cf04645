"""Judgements: what a shadow's log says about the decisions of the scheduler beside it."""

import collections
import json
import re

_LINE = re.compile(
    r'"Shadow (agrees|differs|does not judge|explains a difference by sampling)" (.*)$'
)
_FIELD = re.compile(r'(\w+)=("(?:[^"\\]|\\.)*"|\S+)')


_COUNTED = ("compared", "agreed", "ties", "judged in bursts", "in other words")


class Judgement(dict):
    """The fields of a line of the log."""

    @property
    def agrees(self):
        return self["verdict"] == "agrees"

    @property
    def is_tie(self):
        """Whether the shadow would have chosen another node that is as good."""
        return self.agrees and self.get("ownChoice") not in ("", None, self.get("node"))

    @property
    def in_burst(self):
        """Whether it agrees only if the other scheduler had seen other decisions than itself."""
        return self.get("inFlight") == "true"

    @property
    def has_other_words(self):
        """Whether the shadow agrees that the pod fits nowhere, with another message."""
        return self.get("sameMessage") == "false"


def parse(line):
    """Returns None if the line is about something else."""
    match = _LINE.search(line)
    if not match:
        return None
    fields = {
        key: json.loads(value) if value.startswith('"') else value
        for key, value in _FIELD.findall(match[2])
    }
    return Judgement(fields, verdict=match[1])


class JudgementLog:
    """Reads a log while it is written."""

    def __init__(self, path):
        self._file = open(path, encoding="utf-8", errors="replace")  # noqa: SIM115
        self._rest = ""

    def read(self):
        """Returns the judgements since the last call."""
        *lines, self._rest = (self._rest + self._file.read()).split("\n")
        return [judgement for judgement in map(parse, lines) if judgement]

    def close(self):
        self._file.close()


class Tally:
    """Counts judgements."""

    def __init__(self):
        self.counts = collections.Counter()
        self.kinds = collections.Counter()
        self.different = []

    def add(self, judgements):
        for one in judgements:
            self.counts["compared"] += 1
            self.counts["agreed"] += one.agrees
            self.counts["ties"] += one.is_tie
            self.counts["judged in bursts"] += one.in_burst
            self.counts["in other words"] += one.has_other_words
            self.kinds[one.get("decision", "?")] += 1
            if not one.agrees:
                self.different.append(one)

    def merge(self, other):
        self.counts += other.counts
        self.kinds += other.kinds
        self.different += other.different

    def __str__(self):
        numbers = [f"{self.counts[key]} {key}" for key in _COUNTED]
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(self.kinds.items()))
        return f"{', '.join(numbers)}, {len(self.different)} different ({kinds})"
