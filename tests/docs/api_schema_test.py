#!/usr/bin/env python3
"""Checks that the API /berth/v1 of a live `berth up` is what docs/schema/api.schema.json describes.

    api_schema_test.py BERTH

Every path is requested, by a program with the kubeconfig and by one with the session that the
printed link opens; strangers are refused; the events of all topics arrive.
"""
import http.client
import json
import re
import subprocess
import sys
import threading
import time
import urllib.parse

import json_schema

API = json_schema.Schema("api.schema.json")
WHY = json_schema.Schema("why.schema.json")
MARKUP = "<img src=x onerror=alert(1)>"


def pod(name, cpu="100m", **spec):
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "annotations": {"markup": MARKUP}},
            "spec": {"containers": [{"name": "main", "image": "app:1",
                                     "resources": {"requests": {"cpu": cpu}}}],
                     **spec}}  # fmt: skip


class Client:
    """Sends requests to a server, each on a connection of its own."""

    def __init__(self, url, headers=None):
        self.address = urllib.parse.urlsplit(url).netloc
        self.headers = headers or {}

    def send(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection(self.address, timeout=30)
        try:
            connection.request(method, path, None if body is None else json.dumps(body),
                               {"Content-Type": "application/json", **self.headers,
                                **(headers or {})})  # fmt: skip
            response = connection.getresponse()
            return response.status, response.headers, response.read()
        finally:
            connection.close()

    def get(self, path):
        """Returns the document of /berth/v1, whatever it is."""
        return json.loads(self.send("GET", f"/berth/v1/{path}")[2])


def open_link(url):
    """Returns a client with the session that the link opens."""
    target = "/?" + urllib.parse.urlsplit(url).query
    headers = Client(url).send("GET", target)[1]
    return Client(url, {"Cookie": headers["Set-Cookie"].split(";")[0]})


class Up:
    def __init__(self, berth):
        self.process = subprocess.Popen([berth, "up", "--nodes", "30", "--port", "0"],
                                        stdout=subprocess.PIPE, text=True)  # fmt: skip
        self.url = self.dashboard = ""
        while not self.dashboard:
            line = self.process.stdout.readline()
            if not line:
                sys.exit(f"berth up ended with {self.process.wait()}")
            if found := re.match(r"listening on (\S+)", line):
                self.url = found[1]
            if found := re.match(r"dashboard: (\S+)", line):
                self.dashboard = found[1]
        threading.Thread(target=self.process.stdout.read, daemon=True).start()

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=60)


def fill(api):
    for thing in [*(pod(f"web-{i}") for i in range(20)), pod("huge", "90"),
                  pod("gated", schedulingGates=[{"name": MARKUP[1:4] + ".io/gate"}]),
                  pod("picky", nodeSelector={"disk": "none"}),
                  pod("other", schedulerName="another")]:  # fmt: skip
        status, _, body = api.send("POST", "/api/v1/namespaces/default/pods", thing)
        if status != 201:
            sys.exit(f"cannot create a pod: {body}")
    for _ in range(300):
        if {row["queue"] for row in api.get("pods")["items"] if "queue" in row} == {
                "unschedulable", "gated"}:  # fmt: skip
            return
        time.sleep(0.1)
    sys.exit("the pods are not scheduled")


def check_documents(api, problems):
    """Requests every path; returns how many."""
    node = api.get("nodes?limit=1")["names"][0]
    fixes = api.get("pods/default/huge/fixes")
    tries = f"pods/default/huge/fixes/1/try?revision={fixes['revision']}"
    paths = ["cluster", "nodes", "nodes?limit=7", f"nodes/{node}", "pods", "pods?name=web-1",
             "queue", "pods/default/huge/fixes", "pods/default/web-1/fixes",
             "pods/default/huge/matrix", "pods/default/web-1/matrix?limit=3", "attempts",
             "attempts?pod=default/huge", "activity", "activity?window=60&step=10",
             "search?q=web", "nowhere", "nodes/x%2Fy", "pods?limit=x", "pods?continue=x",
             "pods/default/nobody", "nodes/%ff"]  # fmt: skip
    for path in paths:
        document = api.get(path)
        found = []
        API.check(document, found)
        problems += [f"{path}: {problem}" for problem in found]
    explanations = [f"pods/default/{name}" for name in ("huge", "gated", "picky", "other", "web-1")]
    for path in [*explanations, tries]:
        found = []
        WHY.check(api.get(path), found)
        problems += [f"{path}: {problem}" for problem in found]
    if api.get(tries).get("decision", {}).get("outcome") not in ("Fits", "Preempts"):
        problems.append("the fix of the pod does not let it fit")
    pages, token = [], ""
    while token is not None:
        page = api.get(f"nodes?limit=7&continue={token}")
        pages += page["names"]
        token = page.get("continue")
    if len(pages) != 30 or len(set(pages)) != 30:
        problems.append(f"the pages have {len(pages)} nodes")
    return len(paths) + len(explanations) + 1


def check_events(api, features, problems):
    """Reads events until each topic had one."""
    definitions = {"queue": "QueueEvent", "nodes": "NodesEvent"}
    if features["ledger"]:
        definitions.update({"activity": "ActivityEvent", "attempt": "AttemptEvent"})
    connection = http.client.HTTPConnection(api.address, timeout=30)
    connection.request("GET", "/berth/v1/events", headers=api.headers)
    response = connection.getresponse()
    missing, event = set(definitions), ""
    end = time.monotonic() + 30
    created = 0
    while missing and time.monotonic() < end:
        line = response.readline().decode().rstrip("\n")
        if line.startswith("event: "):
            event = line[7:]
            created += 1
            api.send("POST", "/api/v1/namespaces/default/pods", pod(f"event-{created}"))
        elif line.startswith("data: "):
            found = []
            API.check_as(definitions[event], json.loads(line[6:]), found)
            problems += [f"event {event}: {problem}" for problem in found]
            missing.discard(event)
    connection.close()
    if missing:
        problems.append(f"no events of {missing}")


def check_access(url, problems):
    """The dashboard's own port refuses strangers, and gives one browser a session."""

    def expect(what, got, *wanted):
        if got not in wanted:
            problems.append(f"{what}: {got} is not {wanted}")

    stranger = Client(url)
    expect("no session", stranger.send("GET", "/berth/v1/cluster")[0], 401)
    expect("no session", stranger.send("GET", "/")[0], 401)
    rebound = {"Host": "evil.example"}
    expect("another host", stranger.send("GET", "/", headers=rebound)[0], 403)
    query = urllib.parse.urlsplit(url).query
    expect("the link", stranger.send("GET", f"/?{query}")[0], 200)
    expect("the link again", stranger.send("GET", f"/?{query}")[0], 200)
    expect("another link", stranger.send("GET", f"/?{query}0")[0], 401)
    bearer = {"Authorization": "Bearer " + query.removeprefix("token=")}
    expect("the token of the link", stranger.send("GET", "/", headers=bearer)[0], 401)
    browser = open_link(url)
    expect("the session", browser.send("GET", "/berth/v1/cluster")[0], 200)
    expect("writing", browser.send("POST", "/berth/v1/cluster", {})[0], 405)
    status, headers, _ = browser.send("GET", "/")
    expect("the page", status, 200)
    if "default-src 'none'" not in headers["Content-Security-Policy"]:
        problems.append("the page has no content security policy")
    if any(name.lower().startswith("access-control-") for name in headers):
        problems.append("the page has CORS headers")


def main():
    up = Up(sys.argv[1])
    problems = []
    try:
        api = Client(up.url)
        fill(api)
        documents = check_documents(api, problems)
        program = open_link(up.dashboard)
        API.check(program.get("cluster"), problems)
        check_events(api, program.get("cluster")["features"], problems)
        check_access(up.dashboard, problems)
    finally:
        up.stop()
    for problem in problems[:20]:
        print(problem)
    print(f"{documents} documents, {len(problems)} problems")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
