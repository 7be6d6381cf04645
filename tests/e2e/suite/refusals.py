"""A scheduler that cannot use the API server logs the reason, retries slowly and recovers."""

import os
import time

from .proxy import TcpProxy
from .scenario import SETTINGS, Scenario

# How long processor time is measured. The one wait here that is not for an event: it observes that
# nothing happens.
OBSERVE_SECONDS = 3

# A CA certificate that signed nothing.
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
        """The log has the reason, and the scheduler retries without using much processor time."""
        for pattern in patterns:
            said = scheduler.says(pattern, timeout)
            self.assertTrue(said, f"{pattern!r} is not in the log")
        busy = scheduler.cpu_seconds()
        time.sleep(OBSERVE_SECONDS)
        self.assertTrue(scheduler.alive(), "the scheduler must retry, not exit")
        self.assertEqual(self.history.bound(), 0)
        # A loop without a pause would use all of the time; the start of a Go program takes some.
        self.assertLess(scheduler.cpu_seconds() - busy, OBSERVE_SECONDS * 2 / 3, "it spins")

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
        """An unknown token in a file, which is then replaced by a valid one."""
        path = os.path.join(SETTINGS.folder, "token")
        with open(path, "w", encoding="ascii") as file:
            file.write("expired-or-invented")
        good = self.kubeconfig.token or self.space.account_token("scheduler", ALL_RIGHTS)
        scheduler = self.start_scheduler(self.kubeconfig.anonymous().replace(token_file=path))
        if not scheduler.says("unauthorized", 15) and self.history.bound():
            self.skipTest("the server accepts every token")
        self.expect(scheduler, "unauthorized")
        if good:
            with open(path, "w", encoding="ascii") as file:
                file.write(good)
            self.expect_recovery(scheduler, timeout=150)

    def test_no_permission(self):
        """A user without permissions, which are then granted."""
        if not self.api.has_authorization():
            self.skipTest("the server has no authorization")
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
        """Binds are forbidden: the pod stays pending, and its condition has the reason."""
        gate, config = self.gate(lambda method, path: 403 if path.endswith("/binding") else None)
        scheduler = self.start_scheduler(config)
        pod = self.history.pod("p0")
        self.wait(lambda: pod.condition("PodScheduled").get("reason"), "the condition is set")
        condition = pod.condition("PodScheduled")
        self.assertEqual(condition["reason"], "SchedulerError")
        self.assertIn("forbidden", condition["message"])
        self.expect(scheduler, "forbidden")
        binds = [request for request in gate.requests if request.path.endswith("/binding")]
        self.assertLess(len(binds), 10, "it must wait between retries")
        gate.refuses = lambda method, path: None
        self.expect_recovery(scheduler)

    def test_exit_codes(self):
        """Errors that a retry cannot solve end the program with exit code 1 and a reason."""
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
