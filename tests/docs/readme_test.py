#!/usr/bin/env python3
"""Runs the commands of README.md: each must exit with 0, and print what README.md shows.

    readme_test.py BIN_DIRECTORY

Programs that serve (`berth up`, `berth-scheduler`) run beside the commands after them and must end
with 0 when they are stopped. `make` commands build, test or measure everything: they are only
checked to exist. kubectl is skipped where it is not installed. tests/package/release_test.py
installs the files of a release.
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SERVERS = ("bin/berth up", "bin/berth-scheduler")
# Other tests, and clusters of the user, may have the default ports.
FREE_PORT = {"bin/berth up": " --port 0", "bin/berth-scheduler": " --secure-port 0"}
START_SECONDS = 30


def commands():
    """Returns the command lines of the sh blocks, without comments."""
    text = (ROOT / "README.md").read_text()
    lines = "\n".join(re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S)).splitlines()
    return [line.split("  #")[0].strip() for line in lines if line.strip()]


def sessions():
    """Returns the commands of the console blocks, each with what it prints."""
    text = (ROOT / "README.md").read_text()
    for block in re.findall(r"^```console\n(.*?)^```", text, re.M | re.S):
        for command, printed in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.M):
            if "VERSION" not in command and "--all-pending" not in command:
                yield command, printed


def check_sessions(directory):
    """Returns what is wrong with the console blocks."""
    wrong = []
    for command, printed in sessions():
        print(f"running: {command}", flush=True)
        ended = subprocess.run(["bash", "-c", command], cwd=directory, stdout=subprocess.PIPE,
                               text=True, check=False,
                               env={**os.environ, "PATH": f"{directory}/bin:{os.environ['PATH']}"})
        if ended.returncode != 0 or ended.stdout != printed:
            wrong.append(f"{command}: exit code {ended.returncode}, prints\n{ended.stdout}")
    return wrong if list(sessions()) else ["README.md has no console block that can be run"]


def wait_for(path, process):
    end = time.monotonic() + START_SECONDS
    while not path.exists():
        if process.poll() is not None or time.monotonic() > end:
            raise SystemExit(f"{path.name} was not written; exit code {process.poll()}")
        time.sleep(0.05)


def check_make(command):
    target = command.split()[1]
    makefile = (ROOT / "Makefile").read_text()
    if not re.search(rf"^{target}:", makefile, re.M):
        raise SystemExit(f"{command}: no such target in Makefile")


def main():
    binaries = pathlib.Path(sys.argv[1]).resolve()
    directory = pathlib.Path(tempfile.mkdtemp(prefix="berth-readme-"))
    for name in ("examples", "tests"):
        (directory / name).symlink_to(ROOT / name)
    (directory / "bin").symlink_to(binaries)
    servers = []
    failed = check_sessions(directory)
    try:
        for command in commands():
            server = next((name for name in SERVERS if command.startswith(name)), None)
            if command.startswith("make "):
                check_make(command)
            elif "kubectl" in command and not shutil.which("kubectl"):
                print(f"skipped (no kubectl): {command}")
            elif server:
                process = subprocess.Popen(
                    ["bash", "-c", f"exec {command}{FREE_PORT[server]}"], cwd=directory,
                    stdout=subprocess.DEVNULL)
                servers.append((command, process))
                wait_for(directory / "kubeconfig", process)
            else:
                print(f"running: {command}", flush=True)
                ended = subprocess.run(["bash", "-c", command], cwd=directory,
                                       stdout=subprocess.DEVNULL)
                if ended.returncode != 0:
                    failed.append(f"{command}: exit code {ended.returncode}")
        for command, process in reversed(servers):
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
            if process.wait(START_SECONDS) != 0:
                failed.append(f"{command}: exit code {process.returncode}")
    finally:
        for _, process in servers:
            process.kill()
        shutil.rmtree(directory)
    print("\n".join(failed))
    return 1 if failed else 0


if __name__ == "__main__":
    os.environ.pop("KUBECONFIG", None)
    sys.exit(main())
