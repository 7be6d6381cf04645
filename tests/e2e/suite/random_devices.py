"""Random devices and claims for them.

All functions take a `random.Random` and return parts of objects that an API server accepts, most of
the time. DRIVER stands for the name of the driver and of its class."""

from .random_cluster import at_least_one, chance, some

DRIVER = "DRIVER"
SLOW = {"key": "example.com/slow", "effect": "NoSchedule"}
MODELS = ("small", "large", "old")
POLICIES = (
    None,
    {"default": "2", "validValues": ["1", "2", "5"]},
    {"default": "1", "validRange": {"min": "1", "max": "6", "step": "1"}},
    {"default": "2", "validRange": {"min": "2"}},
)


def device(rng, name, index):
    """A device that is used alone, or one that is shared by capacity."""
    attributes = {"index": {"int": index}}
    if chance(rng, 90):
        attributes["model"] = {"string": rng.choice(MODELS)}
    if chance(rng, 70):
        attributes["socket"] = {"int": rng.randrange(2)}
    if chance(rng, 30):
        attributes["firmware"] = {"version": rng.choice(("1.2.0", "1.10.0", "2.0.0"))}
    result = {"name": name, "attributes": attributes}
    if chance(rng, 80):
        result["capacity"] = {"memory": {"value": rng.choice(("16Gi", "40Gi", "80Gi"))}}
    if chance(rng, 20):
        policy = rng.choice(POLICIES)
        bandwidth = {"value": "10"} | ({"requestPolicy": policy} if policy else {})
        result["allowMultipleAllocations"] = True
        result.setdefault("capacity", {})["bandwidth"] = bandwidth
    if chance(rng, 10):
        result["taints"] = [SLOW]
    return result


def pool(rng, name, first, **where):
    """Returns the specs of the slices of a pool. Rarely one is missing."""
    devices = [device(rng, f"d{i}", first + i) for i in range(rng.randint(1, 6))]
    if chance(rng, 70):
        parts = [devices]
    else:
        cut = rng.randint(0, len(devices))
        parts = [devices[:cut], devices[cut:]]
    return _slices(name, parts, missing=chance(rng, 5), **where)


def divided_pool(rng, name, first, **where):
    """A pool of devices that are parts of others, with the counters that they share."""
    counters = {"name": "whole", "counters": {"memory": {"value": "80Gi"}, "slots": {"value": "4"}}}
    devices = []
    for i, (size, slots) in enumerate((("80Gi", 4), ("40Gi", 2), ("40Gi", 2), ("20Gi", 1))):
        part = device(rng, f"part{i}", first + i)
        taken = {"memory": {"value": size}, "slots": {"value": str(slots)}}
        part["consumesCounters"] = [{"counterSet": "whole", "counters": taken}]
        devices.append(part)
    slices = _slices(name, [[], devices], **where)
    slices[0].pop("devices", None)
    slices[0]["sharedCounters"] = [counters]
    return slices


def _slices(name, parts, missing=False, **where):
    count = len(parts) + missing
    about = {"name": name, "generation": 1, "resourceSliceCount": count}
    return [{"driver": DRIVER, "pool": about, "devices": part} | where for part in parts]


def selector(rng):
    attribute = f'device.attributes["{DRIVER}"].'
    capacity = f'device.capacity["{DRIVER}"].'
    expression = rng.choice(
        (
            f'{attribute}model == "{rng.choice(MODELS)}"',
            f'{attribute}model in ["small", "large"]',
            f"{attribute}index % 2 == {rng.randrange(2)}",
            f"{attribute}index >= {rng.randrange(6)}",
            f'"socket" in device.attributes["{DRIVER}"] && {attribute}socket == {rng.randrange(2)}',
            f'"memory" in device.capacity["{DRIVER}"] && '
            f'{capacity}memory.compareTo(quantity("{rng.choice(("20Gi", "40Gi"))}")) >= 0',
            f'{attribute}?firmware.orValue(semver("0.0.1")).isGreaterThan(semver("1.5.0"))',
            "device.allowMultipleAllocations",
            "true",
        )
    )
    # One that fails for some devices: the whole attempt of the pod does.
    if chance(rng, 2):
        expression = f'{attribute}firmware.isLessThan(semver("2.0.0"))'
    return {"cel": {"expression": expression}}


def demand(rng):
    """What is requested of a class."""
    result = {"deviceClassName": DRIVER}
    if chance(rng, 50):
        result["selectors"] = [selector(rng)]
        if chance(rng, 30):
            result["selectors"].append(selector(rng))
    if chance(rng, 6):
        result["allocationMode"] = "All"
    else:
        result["count"] = rng.choice((1, 1, 1, 1, 2, 3))
    if chance(rng, 30):
        result["tolerations"] = [{"key": SLOW["key"], "operator": "Exists"}]
    if chance(rng, 15):
        result["capacity"] = {"requests": {"bandwidth": rng.choice(("1", "3", "5", "11"))}}
    return result


def request(rng, name):
    if chance(rng, 25):
        alternatives = [demand(rng) | {"name": f"s{i}"} for i in range(rng.randint(1, 3))]
        return {"name": name, "firstAvailable": alternatives}
    exactly = demand(rng)
    if chance(rng, 5):
        exactly["adminAccess"] = True
    return {"name": name, "exactly": exactly}


def claim_spec(rng):
    names = [f"r{i}" for i in range(rng.choice((1, 1, 2, 3)))]
    devices = {"requests": [request(rng, name) for name in names]}
    constraints = []
    while chance(rng, 18):
        kind = rng.choice(("matchAttribute", "matchAttribute", "distinctAttribute"))
        key = f"{DRIVER}/{rng.choice(('model', 'socket', 'index'))}"
        about = {"requests": at_least_one(rng, names)} if chance(rng, 60) else {}
        constraints.append({kind: key} | about)
    if constraints:
        devices["constraints"] = constraints
    if chance(rng, 15):
        opaque = {"driver": DRIVER, "parameters": {"kind": "Test"}}
        chosen = some(rng, names)
        devices["config"] = [{"opaque": opaque} | ({"requests": chosen} if chosen else {})]
    return {"devices": devices}
