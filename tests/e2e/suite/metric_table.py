"""The metrics of kube-scheduler v1.36: names, types, labels and buckets."""

import re


def exp(start, factor, count):
    return [start * factor**i for i in range(count)]


_SECOND, _FINE, _HINT = exp(0.001, 2, 15), exp(0.0001, 2, 12), exp(0.00001, 1.5, 20)
_NODE_HINT, _WORK = exp(0.00001, 2, 12), exp(1e-8, 10, 10)


def counter(*labels):
    return "counter", set(labels), None


def gauge(*labels):
    return "gauge", set(labels), None


def histogram(buckets, *labels):
    return "histogram", set(labels), buckets


# Those that show something as soon as pods were bound, refused and preempted.
REQUIRED = {
    "scheduler_schedule_attempts_total": counter("result", "profile"),
    "scheduler_scheduling_attempt_duration_seconds": histogram(_SECOND, "result", "profile"),
    "scheduler_scheduling_algorithm_duration_seconds": histogram(_SECOND),
    "scheduler_pod_scheduling_attempts": histogram(exp(1, 2, 5)),
    "scheduler_pod_scheduling_sli_duration_seconds": histogram(exp(0.01, 2, 20), "attempts"),
    "scheduler_pending_pods": gauge("queue"),
    "scheduler_queue_incoming_pods_total": counter("queue", "event"),
    "scheduler_framework_extension_point_duration_seconds": histogram(
        _FINE, "extension_point", "status", "profile"
    ),
    "scheduler_plugin_execution_duration_seconds": histogram(
        _HINT, "plugin", "extension_point", "status"
    ),
    "scheduler_plugin_evaluation_total": counter("plugin", "extension_point", "profile"),
    "scheduler_preemption_victims": histogram(exp(1, 2, 7)),
    "scheduler_preemption_attempts_total": counter(),
    "scheduler_preemption_goroutines_duration_seconds": histogram(exp(0.01, 2, 20), "result"),
    "scheduler_preemption_goroutines_execution_total": counter("result"),
    "scheduler_unschedulable_pods": gauge("plugin", "profile"),
    "scheduler_goroutines": gauge("operation"),
    "scheduler_cache_size": gauge("type"),
    "scheduler_event_handling_duration_seconds": histogram(_FINE, "event"),
    "scheduler_queueing_hint_execution_duration_seconds": histogram(
        _HINT, "plugin", "event", "hint"
    ),
    "scheduler_inflight_events": gauge("event"),
    "scheduler_pod_scheduled_after_flush_total": counter(),
    "scheduler_batch_attempts_total": counter("profile", "result"),
    "scheduler_batch_cache_flushed_total": counter("profile", "reason"),
    "scheduler_get_node_hint_duration_seconds": histogram(_NODE_HINT, "hinted", "profile"),
    "scheduler_store_schedule_results_duration_seconds": histogram(_NODE_HINT, "profile"),
    "rest_client_requests_total": counter("code", "method", "host"),
    "rest_client_request_duration_seconds": histogram(None, "verb", "host"),
    "rest_client_rate_limiter_duration_seconds": histogram(None, "verb", "host"),
    "rest_client_request_size_bytes": histogram(None, "verb", "host"),
    "rest_client_response_size_bytes": histogram(None, "verb", "host"),
    "leader_election_master_status": gauge("name"),
    "kubernetes_build_info": gauge(
        "major", "minor", "git_version", "git_commit", "git_tree_state", "build_date",
        "go_version", "compiler", "platform",
    ),  # fmt: skip
    "kubernetes_feature_enabled": gauge("name", "stage"),
    "authenticated_user_requests": counter("username"),
    "authentication_attempts": counter("result"),
    "authentication_duration_seconds": histogram(_SECOND, "result"),
    "authorization_attempts_total": counter("result"),
    "authorization_duration_seconds": histogram(_SECOND, "result"),
    "workqueue_adds_total": counter("name"),
    "workqueue_depth": gauge("name"),
    "workqueue_longest_running_processor_seconds": gauge("name"),
    "workqueue_queue_duration_seconds": histogram(_WORK, "name"),
    "workqueue_retries_total": counter("name"),
    "workqueue_unfinished_work_seconds": gauge("name"),
    "workqueue_work_duration_seconds": histogram(_WORK, "name"),
    "process_cpu_seconds_total": counter(),
    "process_resident_memory_bytes": gauge(),
    "process_start_time_seconds": gauge(),
    "process_open_fds": gauge(),
    "process_max_fds": gauge(),
    "process_virtual_memory_bytes": gauge(),
}

# Those that are there only once their event has happened, or with a gate that is off.
WHEN_IT_HAPPENS = {
    "scheduler_permit_wait_duration_seconds": histogram(_SECOND, "result"),
    "scheduler_resourceclaim_creates_total": counter("status"),
    "scheduler_dra_bindingconditions_allocations_total": counter("profile", "driver", "status"),
    "scheduler_dra_bindingconditions_wait_duration_seconds": histogram(
        exp(0.1, 2, 14), "profile", "driver", "status"
    ),
    "scheduler_volume_binder_cache_requests_total": counter("operation"),
    "scheduler_volume_scheduling_stage_error_total": counter("operation"),
    "scheduler_async_api_call_execution_total": counter("call_type", "result"),
    "scheduler_async_api_call_execution_duration_seconds": histogram(
        _SECOND, "call_type", "result"
    ),
    "scheduler_pending_async_api_calls": gauge("call_type"),
    "scheduler_podgroup_schedule_attempts_total": counter("result", "profile"),
    "scheduler_podgroup_scheduling_attempt_duration_seconds": histogram(
        _SECOND, "result", "profile"
    ),
    "scheduler_podgroup_scheduling_algorithm_duration_seconds": histogram(_SECOND),
    "rest_client_request_retries_total": counter("code", "verb", "host"),
    "leader_election_slowpath_total": counter("name"),
}

# Names that promtool does not like and that are the same in kube-scheduler.
KNOWN_REMARKS = {"authenticated_user_requests", "authentication_attempts"}


class Family:
    def __init__(self, kind):
        self.kind = kind
        self.has_help = False
        self.labels = []  # One set per sample, without le.
        self.buckets = set()


_SAMPLE = re.compile(r"(\w+)(?:\{(.*)\})? (\S+)$")
_LABEL = re.compile(r'(\w+)="((?:\\.|[^"\\])*)"')


def parse(text):
    """Returns the families of a text exposition by name, with and without samples."""
    families, helped = {}, set()
    for line in text.splitlines():
        if line.startswith("# HELP "):
            helped.add(line.split(" ", 3)[2])
        elif line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            families[name] = Family(kind)
            families[name].has_help = name in helped
        elif line:
            name, labels, _ = _SAMPLE.match(line).groups()
            family = families.get(name)
            if family is None:
                family = families[re.sub("_(bucket|sum|count)$", "", name)]
            pairs = dict(_LABEL.findall(labels or ""))
            if "le" in pairs:
                family.buckets.add(pairs.pop("le"))
            family.labels.append(set(pairs))
    return families


def faults(name, expected, family):
    """Returns the differences from the table."""
    kind, labels, buckets = expected
    if family.kind != kind:
        yield f"{name} is a {family.kind}, not a {kind}"
    if not family.has_help:
        yield f"{name} has no HELP"
    for found in family.labels:
        if found != labels:
            yield f"{name} has the labels {sorted(found)}, not {sorted(labels)}"
            break
    if buckets is not None and family.labels:
        found = sorted(float(bound) for bound in family.buckets if bound != "+Inf")
        same = len(found) == len(buckets) and all(
            abs(a - b) <= 1e-9 * b for a, b in zip(found, buckets)
        )
        if not same or "+Inf" not in family.buckets:
            yield f"{name} has the buckets {found}"
