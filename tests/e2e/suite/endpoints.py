"""The secure port: authorization, and every metric by name, type, labels and buckets."""

import http.client
import json
import os
import re
import shutil
import ssl
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from . import metric_table
from .processes import free_port, make_certificate
from .scenario import SETTINGS, Scenario


class Reviews:
    """An API server with two tokens, one of which may read everything. It records the reviews of
    delegated authentication and authorization, independently of what the cluster allows."""

    def __init__(self):
        reviews = self
        self.received = []

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_POST(self):
                review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                reviews.received.append((self.path, review["spec"]))
                spec = review["spec"]
                if "tokenreviews" in self.path:
                    user = {"good": "reader", "weak": "nobody"}.get(spec["token"])
                    review["status"] = {"authenticated": bool(user)}
                    if user:
                        groups = ["system:authenticated"]
                        review["status"]["user"] = {"username": user, "groups": groups}
                else:
                    review["status"] = {"allowed": spec.get("user") == "reader"}
                self.reply(201, review)

            def do_GET(self):
                status = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 404}
                self.reply(404, status | {"reason": "NotFound", "message": "not found"})

            def reply(self, code, body):
                text = json.dumps(body).encode()
                self.send_response(code)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()


class Endpoints(Scenario):
    def ask(self, path, token=None, method="GET", context=None, accept=None):
        """Returns status and text."""
        if context is None:
            context = ssl._create_unverified_context()
        connection = http.client.HTTPSConnection(
            "127.0.0.1", self.port, context=context, timeout=20
        )
        headers = {"Authorization": "Bearer " + token} if token else {}
        if accept:
            headers["Accept"] = accept
        try:
            connection.request(method, path, headers=headers)
            response = connection.getresponse()
            return response.status, response.read().decode()
        finally:
            connection.close()

    def serve(self, authority, *flags, **options):
        """Starts a scheduler that sends its reviews to `authority`, a kubeconfig."""
        self.port = free_port()
        path = authority.write(os.path.join(SETTINGS.folder, self.title + ".authority"))
        scheduler = self.start_scheduler(
            flags=(
                "--bind-address=127.0.0.1", f"--secure-port={self.port}",
                f"--authentication-kubeconfig={path}", f"--authorization-kubeconfig={path}",
                *flags,
            ),
            **options,
        )  # fmt: skip
        self.wait(lambda: self.responds("/readyz"), "it is ready", 30)
        return scheduler

    def responds(self, path):
        try:
            return self.ask(path)[0] == 200
        except (OSError, http.client.HTTPException):
            return False

    def test_endpoints(self):
        reviews = Reviews()
        self.addCleanup(reviews.close)
        authority = self.kubeconfig.anonymous().replace(
            server=reviews.url, ca=None, tls_server_name=None, insecure=False
        )
        self.serve(authority)
        cases = [  # path, token, status, text
            ("/healthz", None, 200, "^ok$"),
            ("/livez", None, 200, "^ok$"),
            ("/readyz", None, 200, "^ok$"),
            ("/livez?verbose", None, 200,
             r"^\[\+\]ping ok\n(\[\+\][a-z-]+ ok\n)*livez check passed\n$"),  # fmt: skip
            ("/readyz?verbose", None, 200, r"\[\+\]sched-handler-sync ok\n"),
            ("/readyz?verbose", None, 200, r"\[\+\]shutdown ok\n"),
            ("/readyz?verbose", None, 200, r"readyz check passed\n$"),
            ("/readyz/shutdown", None, 403, 'cannot get path \\\\"/readyz/shutdown\\\\"'),
            ("/readyz/shutdown", "good", 200, "^ok$"),
            ("/metrics", None, 403, r'User \\"system:anonymous\\" cannot get path \\"/metrics\\"'),
            ("/metrics", "invented", 401, "Unauthorized"),
            ("/metrics", "weak", 403, r'User \\"nobody\\" cannot get path \\"/metrics\\"'),
            ("/metrics", "good", 200, "scheduler_"),
            ("/metrics/resources", "good", 200, "^"),
            ("/metrics/slis", "good", 200, 'kubernetes_healthcheck{name="ping",type="livez"} 1'),
            ("/configz", "good", 200, self.space.scheduler_name),
            ("/flagz", "good", 200, "kube-scheduler flagz|scheduler flagz"),
            ("/statusz", "good", 200, "statusz"),
            ("/configz", "weak", 403, "forbidden"),
            ("/no-such-page", "good", 404, "^"),
            ("/no-such-page", None, 403, "forbidden"),
        ]
        for path, token, status, text in cases:
            with self.subTest(path=path, token=token):
                found = self.ask(path, token)
                self.assertEqual(found[0], status, found[1][:300])
                self.assertRegex(found[1], text)
        configz = json.loads(self.ask("/configz", "good")[1])["componentconfig"]
        self.assertEqual(configz["profiles"][0]["schedulerName"], self.space.scheduler_name)
        spec = [spec for path, spec in reviews.received if "subjectaccess" in path][-1]
        self.assertEqual(sorted(spec["nonResourceAttributes"]), ["path", "verb"])

    def cluster_says(self, group, kind, spec):
        return self.api.create(
            f"/apis/{group}/v1/{kind.lower()}s",
            {"apiVersion": f"{group}/v1", "kind": kind, "spec": spec},
        )["status"]

    def test_endpoints_by_cluster(self):
        """The cluster decides who is authorized; the test queries its decision first."""
        self.serve(self.kubeconfig)
        token = self.kubeconfig.token or self.space.account_token(
            "reader", [{"nonResourceURLs": ["/metrics"], "verbs": ["get"]}]
        )
        expected = {None: self.allowed("system:anonymous", ["system:unauthenticated"])}
        for shown in ("invented", token):
            if shown:
                review = self.cluster_says(
                    "authentication.k8s.io", "TokenReview", {"token": shown}
                )
                known = review.get("authenticated")
                user = review.get("user") or {}
                expected[shown] = (
                    self.allowed(user["username"], user.get("groups") or []) if known else 401
                )
        for shown, status in expected.items():
            self.assertEqual(self.ask("/metrics", shown)[0], status, shown and "with a token")
        self.say(f"/metrics: {[expected[key] for key in expected]} for anonymous, unknown, known")
        if self.api.has_authorization():
            self.assertEqual(list(expected.values()), [403, 401, 200])

    def allowed(self, user, groups):
        attributes = {"path": "/metrics", "verb": "get"}
        review = self.cluster_says(
            "authorization.k8s.io", "SubjectAccessReview",
            {"user": user, "groups": groups, "nonResourceAttributes": attributes},
        )  # fmt: skip
        return 200 if review.get("allowed") or "system:masters" in groups else 403

    def test_metrics(self):
        """After events of every kind, the metrics have counted them."""
        if not shutil.which("openssl"):
            self.skipTest("there is no openssl to make a client certificate with")
        certificate, key = make_certificate(
            SETTINGS.folder, "reader", "/O=system:masters/CN=e2e-reader",
            ["extendedKeyUsage=clientAuth"],
        )  # fmt: skip
        context = ssl._create_unverified_context()
        context.load_cert_chain(certificate, key)
        lease = {"leaderElect": True, "resourceName": "e2e-lock"}
        scheduler = self.serve(
            self.kubeconfig, f"--client-ca-file={certificate}",
            leader_election=lease | {"resourceNamespace": self.space.namespace},
        )  # fmt: skip
        self.make_history()
        # Some are sampled, and some are written once a second.
        for _ in range(15):
            status, text = self.ask("/metrics", context=context)
            self.assertEqual(status, 200, text[:300])
            families = metric_table.parse(text)
            missing = metric_table.REQUIRED.keys() - families.keys()
            if not missing:
                break
            time.sleep(1)
        self.say(f"{len(families)} families, {len(text)} bytes")
        self.assertEqual(sorted(missing), [], "metrics that are missing")
        known = metric_table.REQUIRED | metric_table.WHEN_IT_HAPPENS
        wrong = [
            fault
            for name in sorted(known.keys() & families.keys())
            for fault in metric_table.faults(name, known[name], families[name])
        ]
        self.assertEqual(wrong, [])
        self.assertIn('scheduler_schedule_attempts_total{profile="'
                      f'{self.space.scheduler_name}",result="scheduled"}} 21', text)  # fmt: skip
        self.check_resources(context)
        self.check_with_promtool(text)
        reset = self.ask("/metrics", context=context, method="DELETE")
        self.assertEqual(reset, (200, "metrics reset\n"))
        self.assertTrue(scheduler.alive())

    def make_history(self):
        """Twenty pods that fit, one that does not, one with a gate, and one preemption."""
        space = self.space
        high = space.priority_class("high", 1000)
        space.create_nodes([space.node(f"n{i}", cpu="2", pods=10) for i in range(2)])
        space.create_pods([space.pod(f"p{i}", labels={"app": "p"}) for i in range(20)])
        self.wait_bound(20)
        space.create_pods(
            [
                space.pod("too-big", cpu="1000"),
                space.pod("gated", schedulingGates=[{"name": "example.com/wait"}]),
                space.pod("high", priorityClassName=high),
            ]
        )
        self.wait(lambda: any(r.deleting for r in self.history.by_uid.values()), "a victim")
        victim = next(r for r in self.history.by_uid.values() if r.deleting)
        self.api.delete_now(f"{space.pods}/{victim.name}")
        self.wait(lambda: self.nodes_of("high"), "high is bound")

    def check_resources(self, context):
        text = self.ask("/metrics/resources", context=context)[1]
        space = self.space
        pattern = (
            rf'kube_pod_resource_request{{namespace="{space.namespace}",node="[^"]+",pod="high",'
            rf'priority="1000",resource="cpu",scheduler="{space.scheduler_name}",unit="cores"}} 0.1'
        )
        self.assertTrue(re.search(pattern, text), "kube_pod_resource_request of the pod 'high'")

    def check_with_promtool(self, text):
        promtool = os.environ.get("PROMTOOL") or shutil.which("promtool")
        if not promtool:
            self.say("no promtool on PATH or in $PROMTOOL: its check is left out")
            return
        done = subprocess.run(
            [promtool, "check", "metrics"], input=text, capture_output=True, text=True, check=False
        )
        remarks = [
            line
            for line in (done.stdout + done.stderr).splitlines()
            if line.split(" ")[0] not in metric_table.KNOWN_REMARKS
        ]
        self.assertEqual(remarks, [], "promtool's remarks")
        self.assertIn(done.returncode, (0, 3))
