#!/usr/bin/env python3
"""Checks what `berth why` answers about the troubles of troubles.yaml: for the pod or its workload,
and with --all-pending.

    troubles_test.py BERTH [--print]

With --print it writes what berth answers, to extend the table with.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import yaml

HERE = pathlib.Path(__file__).resolve().parent
LISTS = {"author": "author", "administrator": "administrator"}


def why(berth, file, *arguments):
    command = [berth, "why", *arguments, "-f", file]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: exit code {done.returncode}: {done.stderr}")
    return done.stdout


def first_fix(document, explanation, wanted):
    # What lets pods be created comes before what lets others run.
    created = document["fixes"] if "groups" in document and "fixes" in document else []
    for fix in created + explanation.get("fixes", {}).get("list", []):
        if fix.get("by") == wanted:
            return ", and ".join(change["text"] for change in fix["changes"])
    return None


def stuck_of(document):
    """The explanation of the pod, or of the first group of pods that fit nowhere."""
    if "groups" not in document:
        return document
    explanations = [group["explanation"] for group in document["groups"]]
    if not explanations:  # No pod of the workload was created.
        return {"sentence": document["sentence"], "state": "NotCreated", "terminating": False}
    stuck = [
        one for one in explanations if one.get("decision", {}).get("outcome") == "Unschedulable"
    ]
    return (stuck or explanations)[0]


def answers(berth, trouble, file):
    """Returns what is in the table, and the problems of the other forms of the answer."""
    subject = trouble.get("workload", "subject")
    document = json.loads(why(berth, file, subject, "-o", "json"))
    explanation = stuck_of(document)
    sentence = document.get("sentence", explanation["sentence"])
    found = {"sentence": sentence, "state": explanation["state"]}
    for key in LISTS:
        found[key] = first_fix(document, explanation, key)
    problems = []
    text = why(berth, file, subject)
    if explanation["sentence"] not in (text if "groups" in document else text.splitlines()[0]):
        problems.append(f"the text begins with {text.splitlines()[:3]}")
    if explanation["state"] in ("Running", "Failed") or explanation["terminating"]:
        return found, problems
    pending = json.loads(why(berth, file, "--all-pending", "-o", "json"))
    refused = [one["sentence"] for one in pending.get("notCreated", [])]
    if "groups" in document and "sentence" in document:
        if document["sentence"] not in refused:
            problems.append(f"--all-pending says of what was not created: {refused}")
        return found, problems
    sentences = [group["explanation"]["sentence"] for group in pending["groups"]]
    if explanation["sentence"] not in sentences:
        problems.append(f"--all-pending says {sentences}")
    # Text is found in another way: without the account of every node.
    text = why(berth, file, "--all-pending", "--fixes=false")
    if explanation["sentence"] not in text:
        problems.append(f"the text of --all-pending says {text}")
    return found, problems


def main():
    berth = str(pathlib.Path(sys.argv[1]).resolve())
    cluster = (HERE / "cluster.yaml").read_text()
    troubles = yaml.safe_load((HERE / "troubles.yaml").read_text())
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for trouble in troubles:
            file = pathlib.Path(folder, trouble["name"] + ".yaml")
            file.write_text(f"{cluster}---\n{trouble['objects']}")
            found, problems = answers(berth, trouble, str(file))
            if "--print" in sys.argv:
                shown = {"name": trouble["name"], **found}
                print(yaml.safe_dump(shown, sort_keys=False, width=1000))
            for key, value in found.items():
                if trouble.get(key) != value:
                    problems.append(f"{key}: {value!r}, wanted {trouble.get(key)!r}")
            for problem in problems:
                print(f"{trouble['name']}: {problem}")
            failures += bool(problems)
    print(f"{len(troubles)} troubles, {failures} wrong")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
