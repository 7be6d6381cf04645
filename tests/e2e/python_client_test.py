#!/usr/bin/env python3
"""What programs written with the official Python client see of `berth up`.

    python_client_test.py BERTH

A cluster with workloads of every kind runs until their controllers have acted. Every object has
the fields that the API's OpenAPI document requires: Go writes them even if they are empty, and
clients in other languages insist on them. Then the client lists everything, watches and writes.
Exit code 77, skipped: the Python client (python3-kubernetes) is not installed. The fields were
checked before.
"""
import inspect
import json
import pathlib
import subprocess
import sys
import threading
import time
import urllib.request

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import debian_packages  # noqa: E402

SKIPPED = 77
OBJECTS = pathlib.Path(__file__).with_name("python_client_objects.yaml")
# Events of older recorders have no time of this kind. A real server writes null in its place, which
# the client cannot read either.
ABSENT = {"Event.eventTime"}
UNLISTABLE = {"EventsV1Api", "EventsV1beta1Api"}


class Up:
    def __init__(self, berth):
        self.process = subprocess.Popen(
            [berth, "up", "--nodes", "3", "--gpus", "2", "--port", "0", "-f", str(OBJECTS)],
            stdout=subprocess.PIPE, text=True)  # fmt: skip
        self.url = ""
        while not self.url:
            line = self.process.stdout.readline()
            if not line:
                sys.exit(f"berth up ended with {self.process.wait()}")
            if line.startswith("listening on "):
                self.url = line.split()[-1]
        threading.Thread(target=self.process.stdout.read, daemon=True).start()

    def get(self, path):
        with urllib.request.urlopen(self.url + path, timeout=30) as response:
            return json.load(response)

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=60)


def wait_for(what, condition):
    for _ in range(300):
        if condition():
            return
        time.sleep(0.2)
    sys.exit(f"waited in vain for {what}")


def wait_until_settled(up):
    """Waits until each controller has written what it writes."""

    def status(path):
        return up.get(path).get("status", {})

    apps = "/apis/apps/v1/namespaces/default"
    wait_for("a rollout", lambda: status(f"{apps}/deployments/web").get("readyReplicas") == 3)
    wait_for("a stateful set", lambda: status(f"{apps}/statefulsets/db").get("readyReplicas") == 2)
    wait_for("a daemon set", lambda: status(f"{apps}/daemonsets/agent").get("numberReady") == 3)
    wait_for("a job", lambda: status("/apis/batch/v1/namespaces/default/jobs/job").get("succeeded"))
    budget = "/apis/policy/v1/namespaces/default/poddisruptionbudgets/web"
    wait_for("a disruption budget", lambda: status(budget).get("conditions"))
    quota = "/api/v1/namespaces/default/resourcequotas/quota"
    wait_for("a quota", lambda: status(quota).get("used"))
    wait_for("a pod with a device", lambda: status(
        "/api/v1/namespaces/default/pods/gpu").get("phase") == "Running")  # fmt: skip
    wait_for("a pending pod", lambda: status(
        "/api/v1/namespaces/default/pods/huge").get("conditions"))  # fmt: skip


class Schemas:
    """The OpenAPI documents of a server."""

    def __init__(self, up):
        self.schemas, self.kinds = {}, {}
        for path in up.get("/openapi/v3")["paths"].values():
            self.schemas.update(
                up.get(path["serverRelativeURL"]).get("components", {}).get("schemas", {}))
        for name, schema in self.schemas.items():
            for kind in schema.get("x-kubernetes-group-version-kind", []):
                self.kinds[kind["group"], kind["version"], kind["kind"]] = name

    def missing(self, value, schema, where):
        """Yields the required fields that the value lacks."""
        while "$ref" in schema or len(schema.get("allOf", [])) == 1:
            schema = schema["allOf"][0] if "allOf" in schema else self.schemas[
                schema["$ref"].rsplit("/", 1)[1]]  # fmt: skip
        if isinstance(value, dict):
            for name in schema.get("required", []):
                if name not in value:
                    yield f"{where}.{name}"
            for name, member in value.items():
                part = schema.get("properties", {}).get(name, schema.get("additionalProperties"))
                if isinstance(part, dict):
                    yield from self.missing(member, part, f"{where}.{name}")
        if isinstance(value, list):
            for item in value:
                yield from self.missing(item, schema.get("items", {}), f"{where}[]")


def check_required_fields(up):
    """Returns how many objects were checked, and what they lack."""
    schemas, count, problems = Schemas(up), 0, set()
    groups = [version["groupVersion"]
              for group in up.get("/apis")["groups"] for version in group["versions"]]  # fmt: skip
    for folder in ["/api/v1", *(f"/apis/{group}" for group in groups)]:
        for resource in up.get(folder)["resources"]:
            if "/" in resource["name"] or "list" not in resource["verbs"]:
                continue
            group, _, version = folder.removeprefix("/apis/").rpartition("/")
            kind = schemas.kinds.get((group.removeprefix("/api"), version, resource["kind"]))
            for item in up.get(f"{folder}/{resource['name']}")["items"]:
                if kind:
                    problems.update(schemas.missing(item, schemas.schemas[kind], resource["kind"]))
                    count += 1
    return count, problems - ABSENT


def list_everything(client, api_client):
    """Calls each list of the client that needs no argument; returns how many had objects."""
    filled = 0
    for name, api in inspect.getmembers(client, inspect.isclass):
        if not name.endswith("Api") or name in UNLISTABLE:
            continue
        for method_name, method in inspect.getmembers(api(api_client), inspect.ismethod):
            needs = [part for part in inspect.signature(method).parameters.values()
                     if part.kind == part.POSITIONAL_OR_KEYWORD]  # fmt: skip
            if not method_name.startswith("list_") or method_name.endswith("_http_info") or needs:
                continue
            try:
                filled += bool(method().items)
            except client.exceptions.ApiException as error:
                # Versions of its time that are gone, such as batch/v1beta1.
                if error.status != 404:
                    raise
    return filled


def watch_and_write(client, watch, api_client):
    core = client.CoreV1Api(api_client)
    seen = []

    def follow():
        for event in watch.Watch().stream(core.list_namespaced_pod, "default", timeout_seconds=60,
                                          label_selector="app=guest"):  # fmt: skip
            seen.append((event["type"], event["object"].status.phase))
            if event["type"] == "DELETED":
                return

    follower = threading.Thread(target=follow, daemon=True)
    follower.start()
    pod = client.V1Pod(
        metadata=client.V1ObjectMeta(name="guest", labels={"app": "guest"}),
        spec=client.V1PodSpec(containers=[client.V1Container(name="main", image="app:1")]))
    assert core.create_namespaced_pod("default", pod).status.phase == "Pending"
    wait_for("the pod to run", lambda: core.read_namespaced_pod(
        "guest", "default").status.phase == "Running")  # fmt: skip
    patch = {"metadata": {"annotations": {"note": "seen"}}}
    assert core.patch_namespaced_pod("guest", "default", patch).metadata.annotations == {
        "note": "seen"}  # fmt: skip
    core.delete_namespaced_pod("guest", "default", grace_period_seconds=0)
    follower.join(timeout=60)
    assert seen[0] == ("ADDED", "Pending") and seen[-1][0] == "DELETED", seen
    assert ("MODIFIED", "Running") in seen, seen


def main():
    up = Up(sys.argv[1])
    try:
        wait_until_settled(up)
        count, problems = check_required_fields(up)
        for problem in sorted(problems):
            print(f"lacks {problem}")
        print(f"{count} objects, {len(problems)} missing fields")
        if problems or count < 100:
            sys.exit(1)
        try:
            client = debian_packages.load("kubernetes.client")
        except ImportError as error:
            print(f"skipped: the Python client, Debian's python3-kubernetes: {error}")
            sys.exit(SKIPPED)
        watch = debian_packages.load("kubernetes.watch")
        api_client = client.ApiClient(client.Configuration(host=up.url))
        names = [node.metadata.name for node in client.CoreV1Api(api_client).list_node().items]
        assert len(names) == 3, names
        filled = list_everything(client, api_client)
        print(f"{filled} lists with objects")
        assert filled >= 25, filled
        watch_and_write(client, watch, api_client)
    finally:
        up.stop()


if __name__ == "__main__":
    main()
