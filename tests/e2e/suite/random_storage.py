"""Random storage objects: classes, drivers, their limits and capacities, volumes and claims."""

from .objects import HOSTNAME, ZONE
from .random_cluster import NAMESPACES, at_least_one, chance, labelled

DRIVER = "csi.side.example"
CSI, LOCAL, ZONAL, IMMEDIATE = "side-csi", "side-local", "side-zonal", "side-immediate"
CLASSES = (CSI, LOCAL, ZONAL, IMMEDIATE)
PROVISIONED = (CSI, ZONAL)  # A provisioner creates volumes for claims of these on a selected node.
STORAGE = "storage.k8s.io/v1"
BOUND = {"pv.kubernetes.io/bind-completed": "yes", "pv.kubernetes.io/bound-by-controller": "yes"}


def storage_class(rng, world, name):
    fields = {"provisioner": DRIVER, "volumeBindingMode": "WaitForFirstConsumer"}
    if name == LOCAL:
        fields["provisioner"] = "kubernetes.io/no-provisioner"
    if name == IMMEDIATE:
        fields["volumeBindingMode"] = "Immediate"
    if name == ZONAL:
        zones = {"key": ZONE, "values": at_least_one(rng, "abc")}
        fields["allowedTopologies"] = [{"matchLabelExpressions": [zones]}]
    return labelled(world, STORAGE, "StorageClass", name, **fields)


def driver(rng, world):
    return labelled(
        world, STORAGE, "CSIDriver", DRIVER,
        spec={"storageCapacity": chance(rng, 50), "attachRequired": True},
    )  # fmt: skip


def csi_node(rng, world, node):
    entry = {"name": DRIVER, "nodeID": node, "topologyKeys": []}
    if chance(rng, 70):
        entry["allocatable"] = {"count": rng.choice((0, 1, 2, 4))}
    drivers = [entry] if chance(rng, 80) else []
    return labelled(world, STORAGE, "CSINode", node, spec={"drivers": drivers})


def capacity(rng, world, name):
    fields = {"storageClassName": rng.choice((CSI, ZONAL))}
    if chance(rng, 90):
        fields["capacity"] = rng.choice(("2Gi", "5Gi", "50Gi"))
    if chance(rng, 20):
        fields["maximumVolumeSize"] = "4Gi"
    if chance(rng, 90):
        fields["nodeTopology"] = {"matchLabels": {ZONE: rng.choice("abc")}}
    return labelled(world, STORAGE, "CSIStorageCapacity", name, NAMESPACES[0], **fields)


def access_mode(rng):
    return "ReadWriteOnce" if chance(rng, 75) else "ReadWriteOncePod"


def claim_spec(rng):
    return {
        "storageClassName": rng.choice((CSI, CSI, LOCAL, LOCAL, ZONAL, IMMEDIATE)),
        "accessModes": [access_mode(rng)],
        "resources": {"requests": {"storage": rng.choice(("1Gi", "3Gi", "10Gi"))}},
    }


def claim(rng, world, namespace, name):
    return labelled(
        world, "v1", "PersistentVolumeClaim", name, namespace, spec=claim_spec(rng)
    )


def ephemeral_claims(world, pod):
    """Returns the claims of the pod's ephemeral volumes."""
    meta, result = pod["metadata"], []
    for volume in pod["spec"].get("volumes", ()):
        if "ephemeral" in volume:
            spec = volume["ephemeral"]["volumeClaimTemplate"]["spec"]
            name = f"{meta['name']}-{volume['name']}"
            body = labelled(
                world, "v1", "PersistentVolumeClaim", name, meta["namespace"], spec=spec
            )
            body["metadata"]["ownerReferences"] = [
                {"apiVersion": "v1", "kind": "Pod", "name": meta["name"], "uid": meta["uid"],
                 "controller": True}
            ]  # fmt: skip
            result.append(body)
    return result


def attachment(world, name, volume, node):
    source = {"persistentVolumeName": volume}
    spec = {"attacher": DRIVER, "nodeName": node, "source": source}
    return labelled(world, STORAGE, "VolumeAttachment", name, spec=spec)


def reach(key, *values):
    """Returns the nodeAffinity of a volume."""
    term = {"matchExpressions": [{"key": key, "operator": "In", "values": list(values)}]}
    return {"required": {"nodeSelectorTerms": [term]}}


def volume(rng, world, name, number, nodes, kind):
    """`number` makes the capacity unique: either of two equal volumes might be chosen."""
    gibibytes = rng.choice((1, 5, 20))
    spec = {
        "capacity": {"storage": str((gibibytes << 30) + (number << 10))},
        "accessModes": [access_mode(rng)],
        "persistentVolumeReclaimPolicy": "Retain",
        "storageClassName": kind,
    }
    result = labelled(world, "v1", "PersistentVolume", name, spec=spec)
    if kind != LOCAL:
        spec["csi"] = {"driver": DRIVER, "volumeHandle": name}
    else:
        spec["nfs"] = {"server": "10.0.0.9", "path": f"/{name}"}
    if chance(rng, 40):
        spec["nodeAffinity"] = reach(ZONE, *at_least_one(rng, "abc"))
    elif chance(rng, 50):
        spec["nodeAffinity"] = reach(HOSTNAME, rng.choice(nodes))
    elif kind != LOCAL and chance(rng, 20):
        # Not on volumes that the scheduler binds: it considers the label once they are bound.
        result["metadata"]["labels"][ZONE] = rng.choice(("a", "b", "a__c", "c"))
    return result
