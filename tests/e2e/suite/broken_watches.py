"""Connections that break and a server that crashes while pods come and go."""

import os
import random
import shutil
import threading
import time
import unittest

from .checker import Checker
from .processes import OwnServer
from .proxy import TcpProxy
from .scenario import SETTINGS, Scenario


class Traffic(Scenario):
    """Pods come and go while something breaks."""

    def begin_traffic(self, count, patience=0.0):
        """Creates `count` pods and takes every fifth away again, on a thread."""
        space = self.space

        def work():
            for begin in range(0, count, 10):
                pods = [space.pod(f"p{i:03}") for i in range(begin, begin + 10)]
                space.create_pods(pods, threads=4, patience=patience)
                for i in range(begin, begin + 10, 5):
                    self.api.raw(
                        "DELETE", f"{space.pods}/p{i:03}", b'{"gracePeriodSeconds":0}',
                        {"Content-Type": "application/json"}, patience,
                    )  # fmt: skip
                time.sleep(0.1)

        thread = threading.Thread(target=work)
        thread.start()
        return thread

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
        traffic = self.begin_traffic(400)
        self.wait(lambda: self.history.bound() >= 10, "the first pods are bound")
        rng = random.Random(5)
        cut = 0
        for _ in range(8):
            time.sleep(rng.uniform(0.1, 0.6))
            cut += proxy.cut()
        proxy.down()
        before = len(self.history.by_uid)
        time.sleep(3)
        proxy.up()
        traffic.join()
        unseen = len(self.history.by_uid) - before
        self.say(f"{cut} connections cut; {unseen} pods came in the dark")
        self.assertGreater(cut, 0)
        self.check_all_bound(scheduler, 400)

        # A node that comes and goes unseen must be known afterwards.
        proxy.down()
        (name,) = space.create_nodes([space.node("late", cpu="2", labels={"late": "yes"})])
        space.create_pods([space.pod("on-late", selector={"late": "yes"})])
        proxy.up()
        self.wait(lambda: self.nodes_of("on-late"), "what was missed is learnt")
        self.assertEqual(self.history.pod("on-late").nodes, [name])


@unittest.skipUnless(shutil.which("openssl"), "there is no openssl to make a certificate with")
class ServerRestart(Traffic):
    """With a server of our own, which keeps its state in a folder."""

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
        traffic = self.begin_traffic(300, patience=30)
        for round_ in range(2):
            enough = 20 + 80 * round_
            self.wait(lambda: self.history.bound() >= enough, "pods are bound")  # noqa: B023
            self.server.kill()
            self.say(f"server killed, {self.history.bound()} bound")
            time.sleep(1.0)
            self.server = self.server.restarted()
        traffic.join()
        self.check_all_bound(scheduler, 300)
