"""What stands between scheduler and cluster is said, waited for, and forgotten when it is gone."""

import os
import time

from .proxy import TcpProxy
from .scenario import SETTINGS, Scenario

# An authority that signed nothing: the certificate of a name under .invalid.
OTHER_CA = b"""-----BEGIN CERTIFICATE-----
MIIBiDCCAS2gAwIBAgIUMVsFz96lgL+3oMFCCkDJNeXZzFAwCgYIKoZIzj0EAwIw
GDEWMBQGA1UEAwwNb3RoZXIuaW52YWxpZDAgFw0yNjExMTUxNDIwMDlaGA8yMTI2
MTAyMjE0MjAwOVowGDEWMBQGA1UEAwwNb3RoZXIuaW52YWxpZDBZMBMGByqGSM49
AgEGCCqGSM49AwEHA0IABCcsn9lKT+emnpIEoZcst6YX8D7NxKbYuyAa/GqD1sPk
vQ2iea370aJ22Jnuien8LEGj5N+LqPrl+SrWaGc1Pf2jUzBRMB0GA1UdDgQWBBQi
/wn2j2k0OR5K2E3dW+FtpbVWsDAfBgNVHSMEGDAWgBQi/wn2j2k0OR5K2E3dW+Ft
pbVWsDAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0kAMEYCIQDtT1ms/iDZ
1BHsAaDmDr/dR91iD85DwIJt4atH6uwoqAIhAJsuSA/smFkkSESjz2ChNSne9LHr
BgPWgTjkbvzK9bB1
-----END CERTIFICATE-----
"""

# More than any sensible retry of some twenty watches, much less than a loop without a pause.
CALM = 60

# Everything that the scheduler's roles in kube-system allow, as one rule.
ALL_RIGHTS = [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]


class Refusals(Scenario):
    alone = False

    def setUp(self):
        super().setUp()
        self.space.create_nodes([self.space.node("n0")])
        self.space.create_pods([self.space.pod("p0")])
        self.wait(lambda: self.history.pod("p0"), "the pod is seen")

    def expect(self, scheduler, *patterns, timeout=20):
        """It says why nothing happens, and goes on trying without haste."""
        for pattern in patterns:
            said = scheduler.says(pattern, timeout)
            self.assertTrue(said, f"nothing about {pattern!r} in its log")
        busy = scheduler.cpu_seconds()
        time.sleep(3)
        self.assertTrue(scheduler.alive(), "it must go on trying")
        self.assertEqual(self.history.bound(), 0)
        # A Go program's start takes a while; a loop without a pause takes all of the three seconds.
        self.assertLess(scheduler.cpu_seconds() - busy, 2.0, "it spins")

    def expect_recovery(self, scheduler, timeout=45):
        self.wait_bound(1, timeout)
        self.assertTrue(scheduler.alive())
        self.assert_bound_once()

    def busiest(self, times):
        return max((sum(1 for t in times if at <= t < at + 1) for at in times), default=0)

    def test_unreachable(self):
        proxy = TcpProxy((self.kubeconfig.host, self.kubeconfig.port))
        self.addCleanup(proxy.close)
        scheduler = self.start_scheduler(self.kubeconfig.at("127.0.0.1", proxy.port))
        self.expect(scheduler, rf"127\.0\.0\.1:{proxy.port}.*refused")
        proxy.up()
        self.expect_recovery(scheduler)

    def test_wrong_authority(self):
        if self.kubeconfig.url.scheme != "https":
            self.skipTest("the server does not speak TLS")
        proxy = TcpProxy((self.kubeconfig.host, self.kubeconfig.port)).up()
        self.addCleanup(proxy.close)
        config = self.kubeconfig.at("127.0.0.1", proxy.port).replace(ca=OTHER_CA, insecure=False)
        scheduler = self.start_scheduler(config)
        self.expect(scheduler, "certificate", rf"127\.0\.0\.1:{proxy.port}")
        self.assertLess(self.busiest(proxy.connections), CALM)

    def test_bad_token(self):
        """A token that is not known, in a file; the file is then given one that is."""
        path = os.path.join(SETTINGS.folder, "token")
        with open(path, "w", encoding="ascii") as file:
            file.write("expired-or-invented")
        good = self.kubeconfig.token or self.space.account_token("scheduler", ALL_RIGHTS)
        scheduler = self.start_scheduler(self.kubeconfig.anonymous().replace(token_file=path))
        if not scheduler.says("unauthorized", 15) and self.history.bound():
            self.skipTest("the server lets everybody in")
        self.expect(scheduler, "unauthorized")
        if good:
            with open(path, "w", encoding="ascii") as file:
                file.write(good)
            self.expect_recovery(scheduler, timeout=150)

    def test_no_permission(self):
        """A user without rights, who is then given them."""
        if not self.api.has_authorization():
            self.skipTest("the server does not ask for permissions")
        token = self.space.account_token("scheduler")
        scheduler = self.start_scheduler(self.kubeconfig.anonymous().replace(token=token))
        self.expect(scheduler, "forbidden", "pods", "nodes")
        self.space.grant("scheduler", ALL_RIGHTS)
        self.expect_recovery(scheduler)

    def test_all_forbidden(self):
        """The same with a server of the suite, which counts the requests."""
        gate, config = self.gate(lambda method, path: 403)
        scheduler = self.start_scheduler(config)
        self.expect(scheduler, "forbidden")
        self.assertGreater(len(gate.requests), 10)
        self.assertLess(gate.busiest_second(), CALM)
        gate.refuses = lambda method, path: None
        self.expect_recovery(scheduler)

    def test_all_unauthorized(self):
        gate, config = self.gate(lambda method, path: 401)
        scheduler = self.start_scheduler(config)
        self.expect(scheduler, "unauthorized")
        self.assertLess(gate.busiest_second(), CALM)
        gate.refuses = lambda method, path: None
        self.expect_recovery(scheduler)

    def test_bind_forbidden(self):
        """Everything may be read, nothing bound: the pod waits, and says why."""
        gate, config = self.gate(lambda method, path: 403 if path.endswith("/binding") else None)
        scheduler = self.start_scheduler(config)
        pod = self.history.pod("p0")
        self.wait(lambda: pod.condition("PodScheduled").get("reason"), "it is told of")
        condition = pod.condition("PodScheduled")
        self.assertEqual(condition["reason"], "SchedulerError")
        self.assertIn("forbidden", condition["message"])
        self.expect(scheduler, "forbidden")
        binds = [request for request in gate.requests if request.path.endswith("/binding")]
        self.assertLess(len(binds), 10, "between tries it waits")
        gate.refuses = lambda method, path: None
        self.expect_recovery(scheduler)

    def test_exit_codes(self):
        """What no waiting cures ends the program at once, with 1 and a reason."""
        missing = os.path.join(SETTINGS.folder, "there-is-no-such-file")
        cases = {
            "no-config": ([f"--config={missing}"], "no such file"),
            "unknown-flag": (["--no-such-flag"], "no-such-flag"),
            "argument": (["extra"], "does not take any arguments|extra"),
        }
        for name, (flags, pattern) in cases.items():
            with self.subTest(name):
                program = self.start_scheduler(label=name, flags=flags)
                self.wait(lambda: not program.alive(), f"{name} ends", 20)  # noqa: B023
                self.assertEqual(program.process.returncode, 1)
                self.assertTrue(program.says(pattern, 1), program.tail(5))
