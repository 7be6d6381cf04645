"""Programs that the suite starts: the scheduler under test and `berth apiserver`."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time

from .kubeconfig import Kubeconfig


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


_started = []


def end_all():
    """Ends every program that still runs, at the end of the suite."""
    for program in _started:
        program.kill()


def interrupted(*_):
    """Handles a signal that ends the suite. Schedulers end at once, so that no test waits for one;
    the server runs until the objects of the suite are deleted."""
    for program in _started:
        if isinstance(program, Scheduler):
            program.kill()
    raise KeyboardInterrupt


class Program:
    """A child process whose output goes to a file."""

    def __init__(self, arguments, log):
        self.arguments = arguments
        self.log_path = log
        with open(log, "ab") as output:
            self._begin = output.tell()  # An earlier run may have written to the same file.
            self.process = subprocess.Popen(
                arguments, stdin=subprocess.DEVNULL, stdout=output, stderr=output
            )
        _started.append(self)

    def log(self):
        """Returns the output of this run so far."""
        with open(self.log_path, "rb") as file:
            file.seek(self._begin)
            return file.read().decode("utf-8", errors="replace")

    def tail(self, lines=25):
        return "\n".join(line[:400] for line in self.log().splitlines()[-lines:])

    def says(self, pattern, timeout, after=0):
        """Whether the log contains the regular expression `pattern`, in upper or lower case, in
        time. `after` skips that many characters of the log."""
        deadline = time.monotonic() + timeout
        while True:
            if re.search(pattern, self.log()[after:], re.IGNORECASE):
                return True
            if time.monotonic() > deadline or not self.alive():
                return bool(re.search(pattern, self.log()[after:], re.IGNORECASE))
            time.sleep(0.05)

    def alive(self):
        return self.process.poll() is None

    def kill(self):
        """Ends it like a crash."""
        if self.alive():
            self.process.kill()
        return self.process.wait()

    def terminate(self, timeout=15):
        """Sends SIGTERM; returns the exit code, or None if it had to be killed."""
        if self.alive():
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.kill()
            return None

    def cpu_seconds(self):
        """Returns the processor time used so far (Linux only)."""
        try:
            with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:
                fields = file.read().rsplit(")", 1)[1].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Scheduler(Program):
    """The program under test, with a configuration of its own."""

    def __init__(
        self, program, folder, name, kubeconfig, *, label="scheduler", leader_election=None,
        flags=(), verbosity=2, qps=2000, content_type=None, **configuration,
    ):  # fmt: skip
        """`leader_election` and `configuration` are fields of KubeSchedulerConfiguration."""
        self.name = name
        path = os.path.join(folder, label)
        client = {
            "kubeconfig": kubeconfig.write(path + ".kubeconfig"),
            "qps": qps,
            "burst": qps,
        }
        if content_type:
            client["contentType"] = content_type
        config = {
            "apiVersion": "kubescheduler.config.k8s.io/v1",
            "kind": "KubeSchedulerConfiguration",
            "clientConnection": client,
            "leaderElection": leader_election or {"leaderElect": False},
            "podInitialBackoffSeconds": 1,
            "podMaxBackoffSeconds": 2,
            "profiles": [{"schedulerName": name}],
        } | configuration
        with open(path + ".config", "w", encoding="utf-8") as file:
            json.dump(config, file, indent=2)
        if not any(flag.startswith("--secure-port") for flag in flags):
            flags = ("--secure-port=0", *flags)
        super().__init__(
            [program, "--config", path + ".config", f"-v={verbosity}", *flags], path + ".log"
        )


class OwnServer(Program):
    """`berth apiserver`, or `berth up`, over TLS on a free loopback port, with a token for an
    administrator. Where openssl is installed, the certificate is generated here, so that it
    survives a restart."""

    TOKEN = "e2e-administrator-token"

    def __init__(self, berth, folder, *, label="apiserver", port=0, options=(),
                 command="apiserver"):  # fmt: skip
        self._again = (berth, folder, label, options, command)
        self.kubeconfig_path = os.path.join(folder, label + ".kubeconfig")
        tokens = os.path.join(folder, label + ".tokens")
        with open(tokens, "w", encoding="utf-8") as file:
            file.write(f'{self.TOKEN},admin,1,"system:masters"\n')
        if os.path.exists(self.kubeconfig_path):
            os.unlink(self.kubeconfig_path)
        certificate = os.path.join(folder, "apiserver.crt")
        if shutil.which("openssl") and not os.path.exists(certificate):
            make_certificate(folder, "apiserver")
        tls = ["--tls"]
        if os.path.exists(certificate):
            tls = ["--tls-cert-file", certificate]
            tls += ["--tls-private-key-file", os.path.join(folder, "apiserver.key")]
        super().__init__(
            [berth, command, *tls, "--port", str(port), "--kubeconfig", self.kubeconfig_path]
            + ["--token-auth-file", tokens, *options],
            os.path.join(folder, label + ".log"),
        )
        # Printed when the server listens and the kubeconfig is complete.
        if not self.says("KUBECONFIG=", 20):
            raise RuntimeError(f"berth {command} did not start:\n" + self.tail())
        self.kubeconfig = Kubeconfig.read(self.kubeconfig_path)

    def restarted(self):
        """Starts the server again at the same address, after kill()."""
        berth, folder, label, options, command = self._again
        return OwnServer(
            berth, folder, label=label, port=self.kubeconfig.port, options=options, command=command
        )


def make_certificate(folder, name, subject="/CN=127.0.0.1", lines=("subjectAltName=IP:127.0.0.1",)):
    """Makes a self-signed certificate with openssl; returns the paths of certificate and key."""
    certificate, key = (os.path.join(folder, f"{name}.{end}") for end in ("crt", "key"))
    extensions = [word for line in lines for word in ("-addext", line)]
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
        + ["-nodes", "-days", "2", "-subj", subject, "-keyout", key, "-out", certificate]
        + extensions,
        check=True,
        capture_output=True,
    )
    return certificate, key
