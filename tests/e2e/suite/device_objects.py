"""The devices of a scenario: slices, a class, claims and their templates."""

import time

from .api import ApiError
from .objects import RUN_LABEL

VERSION = "resource.k8s.io/v1"
_GROUP = f"/apis/{VERSION}"
SLICES = f"{_GROUP}/resourceslices"
CLASSES = f"{_GROUP}/deviceclasses"
CLAIMS = _GROUP + "/namespaces/{}/resourceclaims"
TEMPLATES = _GROUP + "/namespaces/{}/resourceclaimtemplates"
FINALIZER = "resource.kubernetes.io/delete-protection"


def device(name, *, attributes=None, capacity=None, **fields):
    """`attributes` has strings, numbers and booleans; `capacity` has amounts or whole objects."""
    kinds = {bool: "bool", int: "int", str: "string"}
    result = {"name": name} | fields
    if attributes:
        result["attributes"] = {key: {kinds[type(v)]: v} for key, v in attributes.items()}
    if capacity:
        result["capacity"] = {
            key: value if isinstance(value, dict) else {"value": value}
            for key, value in capacity.items()
        }
    return result


class Devices:
    """A driver and a class of that name, which no other scenario or user uses."""

    def __init__(self, space):
        self.space, self.api = space, space.api
        self.driver = f"{space.run}.example.com"
        self.claims_path = CLAIMS.format(space.namespace)
        self.device_class(self.driver)

    def device_class(self, name, **spec):
        selector = {"cel": {"expression": f'device.driver == "{self.driver}"'}}
        spec = {"selectors": [selector]} | spec
        self.space.create_wide(CLASSES, VERSION, "DeviceClass", name, spec=spec)

    def slice(self, pool, devices, *, node=None, count=1, part="", **fields):
        """Publishes a slice of a pool, on a node or, without one, on all of this run. `count` is
        the number of slices of the pool."""
        where = {"nodeName": node} if node else {"nodeSelector": self._own_nodes()}
        spec = {
            "driver": self.driver,
            "pool": {"name": pool, "generation": 1, "resourceSliceCount": count},
        }
        spec |= where | fields | ({"devices": devices} if devices else {})
        name = f"{self.space.run}-{pool}{part}"[-60:].strip("-")
        self.space.create_wide(SLICES, VERSION, "ResourceSlice", name, spec=spec)

    def _own_nodes(self):
        own = {"key": RUN_LABEL, "operator": "In", "values": [self.space.run]}
        return {"nodeSelectorTerms": [{"matchExpressions": [own]}]}

    def request(self, name="gpu", model=None, **exactly):
        """A request for devices of the class, of a model if one is given."""
        body = {"deviceClassName": self.driver} | exactly
        if model:
            body.setdefault("selectors", []).append(self.selector(f'model == "{model}"'))
        return {"name": name, "exactly": body}

    def selector(self, rest):
        """A selector by an attribute of the driver: `rest` begins with its name."""
        return {"cel": {"expression": f'device.attributes["{self.driver}"].{rest}'}}

    def template(self, name, *requests, **devices):
        spec = {"spec": {"devices": {"requests": list(requests)} | devices}}
        body = self._body("ResourceClaimTemplate", name, spec)
        self.api.create(TEMPLATES.format(self.space.namespace), body)

    def claim(self, name, *requests, **devices):
        spec = {"devices": {"requests": list(requests)} | devices}
        return self.api.create(self.claims_path, self._body("ResourceClaim", name, spec))

    def _body(self, kind, name, spec):
        return {"apiVersion": VERSION, "kind": kind, "metadata": {"name": name}, "spec": spec}

    def pod(self, name, *, template=None, claim=None, **fields):
        """A pod with one claim: of its own, from a template, or a given one."""
        kind = "resourceClaimTemplateName" if template else "resourceClaimName"
        source = {"name": "devices", kind: template or claim}
        pod = self.space.pod(name, resourceClaims=[source], **fields)
        pod["spec"]["containers"][0]["resources"]["claims"] = [{"name": "devices"}]
        return pod

    def claims(self):
        return self.api.items(self.claims_path)

    def get(self, name):
        """Returns None if there is no claim of that name."""
        try:
            return self.api.get(f"{self.claims_path}/{name}")
        except ApiError as error:
            if error.status != 404:
                raise
        return None

    def claim_of(self, pod):
        """Returns the claim that was made for a pod, or None."""
        for claim in self.claims():
            owners = claim["metadata"].get("ownerReferences", ())
            if any(owner["uid"] == pod.uid for owner in owners):
                return claim
        return None

    def has_controller(self, timeout=10):
        """Whether somebody makes claims from templates."""
        self.template("probe", self.request())
        pod = self.pod("probe", template="probe", schedulingGates=[{"name": "berth.dev/probe"}])
        self.space.create_pods([pod])
        path = f"{self.space.pods}/probe"
        deadline = time.monotonic() + timeout
        found = False
        while not found and time.monotonic() < deadline:
            time.sleep(0.2)
            found = bool(self.api.get(path)["status"].get("resourceClaimStatuses"))
        self.api.delete_now(path)
        return found


def results(claim):
    """Returns what is allocated to a claim: (request, pool, device) in the scheduler's order."""
    allocation = claim.get("status", {}).get("allocation", {})
    return [
        (one["request"], one["pool"], one["device"])
        for one in allocation.get("devices", {}).get("results", ())
    ]
