"""Leader election: a second scheduler takes over when the leader dies."""

import socket
import threading
import time

from .api import LEASES, ApiError
from .checker import Checker
from .scenario import Scenario


class LeaderElection(Scenario):
    def start(self, label):
        """Starts a scheduler with a short lease, so that a change of leaders takes seconds."""
        return self.start_scheduler(
            label=label,
            leader_election={
                "leaderElect": True, "resourceLock": "leases",
                "resourceName": "e2e-lock", "resourceNamespace": self.space.namespace,
                "leaseDuration": "8s", "renewDeadline": "6s", "retryPeriod": "1s",
            },
        )  # fmt: skip

    def lease(self):
        try:
            return self.api.get(LEASES.format(self.space.namespace) + "/e2e-lock")["spec"]
        except ApiError as error:
            if error.status == 404:
                return {}
            raise

    def test_leader_election(self):
        space, history = self.space, self.history
        space.create_nodes([space.node(f"n{i}", cpu="10") for i in range(50)])
        first = self.start("first")
        self.wait(lambda: self.lease().get("holderIdentity"), "there is a leader")
        lease = self.lease()
        host = socket.gethostname().lower()
        self.assertRegex(lease["holderIdentity"].lower(), rf"^{host}_[0-9a-f-]{{36}}$")
        self.assertEqual(lease["leaseDurationSeconds"], 8)
        self.assertEqual(lease.get("leaseTransitions", 0), 0)
        self.assertTrue(first.says("successfully acquired lease", 5))
        second = self.start("second")
        self.assertTrue(second.says("attempting to acquire leader lease", 20))

        # 500 pods of one processor for exactly that many: a pod counted wrongly stands out.
        pods = [space.pod(f"p{i:03}", cpu="1") for i in range(500)]
        creation = threading.Thread(target=space.create_pods, args=(pods,))
        creation.start()
        self.wait(lambda: history.bound() >= 150, "150 pods are bound")
        first.kill()
        killed = time.monotonic()
        self.say(f"the leader is killed, {history.bound()} of {len(history.by_uid)} pods bound")
        self.assertNotRegex(second.log().lower(), "successfully acquired lease")
        creation.join()
        self.wait_bound(500, timeout=60)
        self.say(f"all bound {time.monotonic() - killed:.1f} s after that")

        self.assertTrue(second.alive())
        self.assertNotEqual(self.lease()["holderIdentity"], lease["holderIdentity"])
        self.assertEqual(self.lease()["leaseTransitions"], 1)
        self.assert_bound_once()
        self.assertEqual(history.gaps, 0)
        checker = Checker(self.api.items("/api/v1/nodes"), self.api.items(space.pods))
        self.assertEqual(checker.violations()[:5], [])
        scheduled = [event["regarding"]["name"] for event in space.events("Scheduled")]
        self.assertEqual(len(scheduled), len(set(scheduled)), "never two events for one pod")

        self.check_release(second)

    def check_release(self, leader):
        """On SIGTERM the leader releases the lock and exits with 0."""
        self.assertEqual(leader.terminate(), 0)
        lease = self.lease()
        self.assertEqual(lease.get("holderIdentity") or "", "")
        self.assertEqual(lease["leaseDurationSeconds"], 1)
        third = self.start("third")
        self.assertTrue(third.says("successfully acquired lease", 15), "the lock is free at once")
        self.assertEqual(third.terminate(), 0)

    def test_leader_loses(self):
        """A leader that finds another holder in the lock exits with 1."""
        leader = self.start("leader")
        self.assertTrue(leader.says("successfully acquired lease", 20))
        self.api.patch(
            LEASES.format(self.space.namespace) + "/e2e-lock",
            {"spec": {"holderIdentity": "someone-else", "leaseDurationSeconds": 3600}},
        )
        self.wait(lambda: not leader.alive(), "it ends", timeout=20)
        self.assertEqual(leader.process.returncode, 1)
        self.assertRegex(leader.log().lower(), "leaderelection lost")
