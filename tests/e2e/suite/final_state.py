"""The final state of a namespace, in a form that can be compared between schedulers."""

import collections
import re
import time

from .objects import RUN_LABEL, ZONE


def _kind_of_event(event):
    """Returns the fields and the note of an event without what differs from pod to pod."""
    note = re.sub(r"(Successfully assigned) \S+ to \S+", r"\1 POD to NODE", event.get("note") or "")
    note = re.sub(r"Preempted by pod \S+ on node \S+", "Preempted by pod UID on node NODE", note)
    fields = sorted(set(event) - {"metadata"} - {k for k in event if k.startswith("deprecated")})
    return (
        f"{event.get('type')} {event.get('reason')} {event.get('action')} "
        f"[{' '.join(fields)}]: {note}"
    )


def _kinds_of_conditions(pod):
    for condition in pod.get("status", {}).get("conditions") or []:
        words = [condition.get(key, "") for key in ("type", "status", "reason", "message")]
        yield " ".join(words).strip()


def describe(space):
    """Returns counts by kind, in sections."""
    pods = space.api.items(space.pods)
    events = space.events()
    nodes = space.api.items("/api/v1/nodes", labelSelector=f"{RUN_LABEL}={space.run}")
    zones = {n["metadata"]["name"]: n["metadata"]["labels"].get(ZONE, "") for n in nodes}
    per_node = collections.Counter(pod["spec"].get("nodeName") for pod in pods)
    waiting = per_node.pop(None, 0)
    spread = collections.Counter(per_node.get(name, 0) for name in zones)
    per_zone = collections.Counter(zones.get(p["spec"].get("nodeName"), "none") for p in pods)
    per_pod = collections.Counter((e["regarding"]["name"], e.get("reason")) for e in events)
    return {
        "events": collections.Counter(_kind_of_event(event) for event in events),
        "events per pod": collections.Counter(
            f"{count} x {reason}" for (_, reason), count in per_pod.items()
        ),
        "conditions": collections.Counter(k for pod in pods for k in _kinds_of_conditions(pod)),
        "nominated": collections.Counter(
            str("nominatedNodeName" in pod.get("status", {})) for pod in pods
        ),
        "pods": collections.Counter({"waiting": waiting, "bound": len(pods) - waiting}),
        "pods per node": collections.Counter({f"{k:3} pods": v for k, v in spread.items()}),
        "pods per zone": per_zone,
    }


def settled(space, pods, patience):
    """Returns the description once each pod has an event, or when it stops changing."""
    deadline = time.monotonic() + patience
    state = describe(space)
    while sum(state["events per pod"].values()) < pods and time.monotonic() < deadline:
        time.sleep(2)
        before, state = state, describe(space)
        if before == state and time.monotonic() > deadline - patience / 2:
            break
    return state


def compare(states):
    """Prints the sections, each line with the count of every scheduler; differences are marked."""
    titles = [title for title, _ in states]
    print("\n" + "  ".join(f"{title[:14]:>14}" for title in titles))
    for section in states[0][1]:
        print(section)
        lines = sorted({line for _, state in states for line in state[section]})
        for line in lines:
            counts = [state[section][line] for _, state in states]
            mark = " " if len(set(counts)) == 1 else "*"
            print("  ".join(f"{count:14}" for count in counts) + f" {mark} {line[:400]}")
