"""Connections that break and a server that crashes while pods are created and deleted."""

import os
import random
import shutil
import threading
import unittest

from .checker import Checker
from .processes import OwnServer
from .proxy import TcpProxy
from .scenario import SETTINGS, Scenario


class Traffic(Scenario):
    """Creates and deletes pods on a thread while the test breaks something.

    The test decides how many it may create, so that there are some left for each fault."""

    BATCH = 10

    def begin_traffic(self, count, patience=0.0):
        """Starts to create `count` pods and to delete every fifth of them, as allow() lets it."""
        space = self.space
        self._allowed = threading.Semaphore(0)
        self._left = count
        self._stopped = False

        def work():
            for begin in range(0, count, self.BATCH):
                self._allowed.acquire()
                if self._stopped:
                    return
                pods = [space.pod(f"p{i:03}") for i in range(begin, begin + 10)]
                space.create_pods(pods, threads=4, patience=patience)
                for i in range(begin, begin + 10, 5):
                    self.api.raw(
                        "DELETE", f"{space.pods}/p{i:03}", b'{"gracePeriodSeconds":0}',
                        {"Content-Type": "application/json"}, patience,
                    )  # fmt: skip

        self._thread = threading.Thread(target=work)
        self._thread.start()
        self.addCleanup(self._stop)

    def allow(self, count):
        """Lets the traffic create `count` more pods."""
        self._left -= count
        self._allowed.release(count // self.BATCH)

    def finish_traffic(self):
        self.allow(self._left)
        self._thread.join()

    def _stop(self):
        """Ends the traffic of a test that failed."""
        self._stopped = True
        self._allowed.release()
        self._thread.join()

    def check_all_bound(self, scheduler, count):
        self.wait_bound(count * 4 // 5, timeout=60)
        pods = self.api.items(self.space.pods)
        self.assertEqual(len(pods), count * 4 // 5)
        self.assertEqual([p for p in pods if not p["spec"].get("nodeName")], [])
        self.assert_bound_once()
        self.assertEqual(Checker(self.api.items("/api/v1/nodes"), pods).violations()[:5], [])
        self.assertTrue(scheduler.alive())


class BrokenWatches(Traffic):
    def test_broken_watches(self):
        space = self.space
        proxy = TcpProxy((self.kubeconfig.host, self.kubeconfig.port)).up()
        self.addCleanup(proxy.close)
        space.create_nodes([space.node(f"n{i}", cpu="16") for i in range(20)])
        scheduler = self.start_scheduler(self.kubeconfig.at("127.0.0.1", proxy.port))
        self.begin_traffic(300)
        self.allow(20)
        self.wait(lambda: self.history.bound() >= 10, "the first pods are bound")
        rng = random.Random(5)
        # Each cut doubles the scheduler's backoff before it watches again: three take few seconds.
        for _ in range(3):
            # At least 24 of the 30 get a node, and the cut comes before the last of them.
            enough = self.history.ever_bound() + rng.randint(1, 20)
            self.allow(30)
            self.wait(lambda: self.history.ever_bound() >= enough, "pods are bound")  # noqa: B023
            cut = proxy.cut()
            self.say(f"{cut} connections cut")
            self.assertGreater(cut, 0)
        proxy.down()
        before = len(self.history.by_uid)
        logged = len(scheduler.log())
        self.allow(100)
        self.wait(lambda: len(self.history.by_uid) >= before + 100, "pods are created")
        refused = scheduler.says(rf"127\.0\.0\.1:{proxy.port}.*refused", 30, after=logged)
        self.assertTrue(refused, "the scheduler does not log that it cannot connect")
        proxy.up()
        self.say("100 pods created without a connection")
        self.finish_traffic()
        self.check_all_bound(scheduler, 300)

        # Objects that are created without a connection must be known afterwards.
        proxy.down()
        (name,) = space.create_nodes([space.node("late", cpu="2", labels={"late": "yes"})])
        space.create_pods([space.pod("on-late", selector={"late": "yes"})])
        proxy.up()
        self.wait(lambda: self.nodes_of("on-late"), "the missed objects are listed", timeout=60)
        self.assertEqual(self.history.pod("on-late").nodes, [name])


@unittest.skipUnless(shutil.which("openssl"), "there is no openssl to make a certificate with")
class ServerRestart(Traffic):
    """With a server of our own, which stores its objects in a directory."""

    def setUp(self):
        if not SETTINGS.berth:
            self.skipTest("the server of a given cluster is not restarted")
        folder = os.path.join(SETTINGS.folder, "data")
        self.server = OwnServer(
            SETTINGS.berth, SETTINGS.folder, label="restarted", options=["--data-dir", folder]
        )
        self.addCleanup(lambda: self.server.kill())
        self.use(self.server.kubeconfig)

    def test_server_restart(self):
        space = self.space
        space.create_nodes([space.node(f"n{i}", cpu="16") for i in range(20)])
        scheduler = self.start_scheduler()
        self.begin_traffic(300, patience=30)
        for round_ in range(2):
            enough = 20 + 80 * round_
            self.allow(120)
            self.wait(lambda: self.history.bound() >= enough, "pods are bound")  # noqa: B023
            logged = len(scheduler.log())
            self.server.kill()
            self.say(f"server killed, {self.history.bound()} bound")
            refused = scheduler.says(rf":{self.kubeconfig.port}.*refused", 30, after=logged)
            self.assertTrue(refused, "the scheduler does not log that it cannot connect")
            self.server = self.server.restarted()
        self.finish_traffic()
        self.check_all_bound(scheduler, 300)
