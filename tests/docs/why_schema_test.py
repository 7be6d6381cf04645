#!/usr/bin/env python3
"""Checks that what `berth why -o json` prints is what docs/schema/why.schema.json describes.

    why_schema_test.py BERTH

Every pod of the examples is explained, alone, with its workload and with all that are pending, and
every fix is printed.
"""
import copy
import json
import pathlib
import subprocess
import sys

import json_schema

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = json_schema.Schema("why.schema.json")
CLUSTERS = (["examples/harbour.yaml", "examples/pods.yaml"], ["examples/decisions"])
# Pods of each kind that the examples lack.
ODD_PODS = {
    "apiVersion": "v1",
    "kind": "List",
    "items": [
        {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"},
         "status": {"allocatable": {"cpu": "2", "memory": "4Gi", "pods": "10"}}},
        {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n2"},
         "spec": {"unschedulable": True},
         "status": {"allocatable": {"cpu": "4", "memory": "4Gi", "pods": "10"}}},
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "runs"},
         "spec": {"nodeName": "n1", "containers": [
             {"name": "c", "resources": {"requests": {"cpu": "1500m"}}}]}},
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "gated"},
         "spec": {"schedulingGates": [{"name": "x.io/gate"}], "containers": [{"name": "c"}]}},
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "other"},
         "spec": {"schedulerName": "another", "containers": [{"name": "c"}]}},
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "big"},
         "spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "3"}}}]}},
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "claims"},
         "spec": {"containers": [{"name": "c"}], "volumes": [
             {"name": "v", "persistentVolumeClaim": {"claimName": "missing"}}]}},
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "urgent"},
         "spec": {"priority": 10, "nodeSelector": {"kubernetes.io/hostname": "n1"}, "containers": [
             {"name": "c", "resources": {"requests": {"cpu": "1"}}}]}},
        {"apiVersion": "scheduling.k8s.io/v1alpha2", "kind": "PodGroup",
         "metadata": {"name": "job"}, "spec": {"schedulingPolicy": {"gang": {"minCount": 1}}}},
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "member"},
         "spec": {"schedulingGroup": {"podGroupName": "job"}, "containers": [
             {"name": "c", "resources": {"requests": {"cpu": "3"}}}]}},
    ],
}  # fmt: skip
GATES = ("--feature-gates", "GenericWorkload=true,GangScheduling=true")


def why(berth, files, *arguments):
    command = [berth, "why", "-o", "json", *GATES, *arguments]
    for file in files:
        command += ["-f", str(ROOT / file) if isinstance(file, str) else str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: exit code {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def pods_of(berth, files):
    command = [berth, "schedule", "-o", "json", *GATES]
    for file in files:
        command += ["-f", str(ROOT / file) if isinstance(file, str) else str(file)]
    report = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return [(pod["namespace"], pod["name"]) for pod in report["pods"]]


def main():
    berth = sys.argv[1]
    odd = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else "why_schema_test.json").resolve()
    odd.write_text(json.dumps(ODD_PODS))
    problems = []
    states, kinds, documents = set(), set(), 0

    def look(document):
        nonlocal documents
        documents += 1
        SCHEMA.check(document, problems)
        states.add(document.get("state"))
        for fix in document.get("fixes", {}).get("list", []):
            kinds.update(change["kind"] for change in fix["changes"])

    for files in (*CLUSTERS, [odd]):
        pods = pods_of(berth, files)
        if files == [odd]:
            pods.append(("default", "runs"))
        for namespace, name in pods:
            document = why(berth, files, name, "-n", namespace)
            look(document)
            for number in range(len(document.get("fixes", {}).get("list", []))):
                look(why(berth, files, name, "-n", namespace, "--fix", str(number + 1)))
        look(why(berth, files, "--all-pending"))
    look(why(berth, [odd], "podgroup/job"))
    odd.unlink()
    # The examples show what there is to check.
    for wanted, seen in (({"Pending", "Gated", "Running"}, states), ({"LowerRequest"}, kinds)):
        if not wanted <= seen:
            problems.append(f"no {wanted - seen} among the examples")
    # The check itself finds what is wrong.
    broken = copy.deepcopy(why(berth, CLUSTERS[0], "--all-pending"))
    broken["groups"][0]["explanation"]["state"] = "Unknown"
    broken["surprise"] = 1
    found = []
    SCHEMA.check(broken, found)
    if len(found) != 2:
        problems.append(f"a broken document has {len(found)} problems: {found}")
    for problem in problems[:20]:
        print(problem)
    print(f"{documents} documents, {len(problems)} problems")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
