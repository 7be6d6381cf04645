"""What runs as the first process of the namespaces: the cluster and the scenarios."""

import importlib
import os
import signal
import sys
import time
import traceback
import unittest

from suite.processes import end_all

from . import cluster_scenario

MODULES = ["rollout", "handover", "failover", "answers", "pod_life", "devices", "operations"]


def _flatten(suite):
    for item in suite:
        if isinstance(item, unittest.TestSuite):
            yield from _flatten(item)
        else:
            yield item


def scenarios(names):
    """Returns the scenarios with these names or in these files; all without names."""
    chosen, known = [], set()
    for module in MODULES:
        loaded = importlib.import_module("cluster." + module)
        for test in _flatten(unittest.defaultTestLoader.loadTestsFromModule(loaded)):
            known |= {module, test.title}
            if not names or module in names or test.title in names:
                chosen.append(test)
    unknown = set(names) - known
    if unknown:
        sys.exit(f"run: there is no scenario {', '.join(sorted(unknown))}; see --list")
    return chosen


def _interrupted(*_):
    raise KeyboardInterrupt


def _run_one(test):
    begin = time.monotonic()
    cluster_scenario.say(f"{test.title} begins")
    result = unittest.TestResult()
    test.run(result)
    outcome = "FAILED" if not result.wasSuccessful() else "skipped" if result.skipped else "done"
    cluster_scenario.say(f"{test.title}: {outcome} in {time.monotonic() - begin:.1f} s")
    for _, reason in result.skipped:
        print(f"{test.title} is skipped: {reason}")
    for _, trace in result.failures + result.errors:
        print(f"\nFAILED {test.title}\n{trace}", file=sys.stderr)
    return result.wasSuccessful()


def main(arguments, chosen, folder):
    from .real_cluster import RealCluster

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupted)
    os.umask(0o022)
    begin = time.monotonic()
    try:
        cluster = cluster_scenario.CLUSTER = RealCluster(arguments, folder)
        nodes = time.monotonic() - begin
        cluster_scenario.say(f"{cluster.plane.kubernetes}: two nodes are ready in {nodes:.1f} s")
        cluster_scenario.say(f"the image of Berth is {cluster.berth_image}")
        passed = [_run_one(test) for test in chosen]
        cluster_scenario.show_figures()
        print(
            f"{sum(passed)} of {len(passed)} scenarios passed in {time.monotonic() - begin:.0f} s"
        )
        return 0 if all(passed) else 1
    except KeyboardInterrupt:
        return 1
    except (OSError, RuntimeError, AssertionError):
        traceback.print_exc()
        return 2
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        end_all()
