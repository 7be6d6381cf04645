#!/usr/bin/env python3
"""Applies the manifests of tests/manifests to `berth up` with kubectl, as users do.

    tests/e2e/manifests_test.py BERTH [KUBECTL]

Each document has comments that say what it becomes on a cluster:

    # becomes: status.readyReplicas = 3
    # becomes: spec.clusterIP exists
    # becomes: stringData absent

and what controllers make of it, in the list that `kubectl get` prints:

    # makes: jobs -l app=hello: items[0].status.succeeded = 1

This command of kubectl is run when all files are applied:

    # run: create job --from=cronjob/backup backup-by-hand

A path has names, [INDEX] and [?KEY=VALUE]; a dot in a name is escaped by a backslash. The value is
JSON. Exits 1 if a document is refused or does not become that, 77 if there is no kubectl.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

MANIFESTS = pathlib.Path(__file__).resolve().parent.parent / "manifests"
# In this order: later ones use objects of earlier ones.
FILES = ["storage", "access_and_policy", "services", "scheduling", "workloads", "operators",
         "operator_resources"]
NODES = 3
# A CronJob that is due every minute is so every six seconds. Without leases, since a busy machine
# may be too slow to renew them at that speed.
SPEED = ["--speed", "10", "--no-leases"]
# Far more than a busy machine needs.
DEADLINE_SECONDS = 120

STEP = re.compile(r"\[(\d+)\]|\[\?(\w+)=([^\]]+)\]|\.?((?:[^.\[\\]|\\.)+)")
CONDITION = re.compile(r"# (?:becomes|makes: ([^:]+)): (\S+) (?:= (.+)|(exists|absent))$")


def find(value, path):
    """Returns the value at a path, or None."""
    for index, key, wanted, name in STEP.findall(path):
        if index:
            listed = isinstance(value, list) and int(index) < len(value)
            value = value[int(index)] if listed else None
        elif key:
            value = next((e for e in value or [] if e.get(key) == wanted), None)
        else:
            value = value.get(name.replace("\\", "")) if isinstance(value, dict) else None
    return value


def unmet(conditions, live, query):
    """Returns what is wrong with a live object, and with what was made of it."""
    wrong = []
    for made, path, wanted, presence in conditions:
        found = find(query(made) if made else live, path)
        place = f"{made}: {path}" if made else path
        if presence:
            if (found is None) != (presence == "absent"):
                wrong.append(f"{place} is {json.dumps(found)}, expected: {presence}")
        elif found != json.loads(wanted):
            wrong.append(f"{place} is {json.dumps(found)}, expected {wanted}")
    return wrong


def conditions_of(text):
    """Returns the conditions of each document of a file."""
    documents = [d for d in re.split(r"(?m)^---$", text) if re.search(r"(?m)^apiVersion:", d)]
    lines = ([l for l in d.splitlines() if re.match("# (becomes|makes):", l)] for d in documents)
    return [[CONDITION.match(line).groups() for line in of_one] for of_one in lines]


class Cluster:
    """A `berth up` that ends with the test."""

    def __init__(self, berth, kubectl, directory):
        kubeconfig = str(directory / "kubeconfig")
        cache = str(directory / "cache")
        self.command = [kubectl, "--kubeconfig", kubeconfig, "--cache-dir", cache]
        self.process = subprocess.Popen(
            [berth, "up", "--nodes", str(NODES), "--port", "0", "--kubeconfig", kubeconfig,
             *SPEED],
            stdout=subprocess.PIPE, text=True)
        for line in self.process.stdout:
            if line.startswith("export KUBECONFIG="):
                return
        sys.exit("berth up did not start")

    def kubectl(self, *arguments):
        command = [*self.command, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def live(self, path):
        """Returns the objects of a file in the order of its documents."""
        got = self.kubectl("get", "-f", path, "-o", "json")
        if got.returncode != 0:
            return None
        objects = json.loads(got.stdout)
        return objects["items"] if objects["kind"] == "List" else [objects]

    def query(self, arguments):
        """Returns what `kubectl get` prints, or None."""
        got = self.kubectl("get", *arguments.split(), "-o", "json")
        return json.loads(got.stdout) if got.returncode == 0 else None

    def stop(self):
        self.process.terminate()
        return self.process.wait(30)


def name_of(live):
    return f"{live['kind']} {live['metadata']['name']}"


def check(cluster, path, conditions):
    """Waits until the objects of a file have become what they should; returns what is wrong."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    while True:
        objects = cluster.live(path)
        if objects is None or len(objects) != len(conditions):
            wrong = [f"{path.name}: not all objects are there"]
        else:
            wrong = [f"{path.name}: {name_of(live)}: {text}"
                     for live, wanted in zip(objects, conditions)
                     for text in unmet(wanted, live, cluster.query)]
        if not wrong or time.monotonic() > deadline:
            return wrong
        time.sleep(0.5)


def main():
    berth = sys.argv[1]
    kubectl = sys.argv[2] if len(sys.argv) > 2 else "kubectl"
    if shutil.which(kubectl) is None:
        print(f"there is no {kubectl}")
        sys.exit(77)
    problems, documents = [], 0
    with tempfile.TemporaryDirectory() as directory:
        cluster = Cluster(berth, kubectl, pathlib.Path(directory))
        paths = [MANIFESTS / f"{name}.yaml" for name in FILES]
        for path in paths:
            applied = cluster.kubectl("apply", "-f", path)
            if applied.returncode != 0:
                problems.append(f"{path.name}: {applied.stderr}")
        for path in paths:
            for command in re.findall(r"(?m)^# run: (.+)$", path.read_text()):
                ran = cluster.kubectl(*command.split())
                if ran.returncode != 0:
                    problems.append(f"{path.name}: {command}: {ran.stderr}")
        for path in paths:
            conditions = conditions_of(path.read_text())
            problems += [f"{path.name}: document {i} has no \"becomes\""
                         for i, of_one in enumerate(conditions) if not of_one]
            documents += len(conditions)
            problems += check(cluster, path, conditions)
        if cluster.stop() != 0:
            problems.append("berth up did not end with 0")
    print("\n".join(problems + [f"{documents} documents, {len(problems)} problems"]))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
