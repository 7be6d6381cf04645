#!/bin/sh
# Installs the Debian packages that Berth is built with. Prints nothing if all are installed.
#
#   scripts/install-deps.sh         for `make build` and `make run`
#   scripts/install-deps.sh --test  also for `make test` and `make bench`
#   scripts/install-deps.sh --dev   also for `make format`, `make tidy`, `make fuzz`, `make verify`
#   scripts/install-deps.sh --package   also for `make package` and `make verify STEPS=package`
#
# With BERTH_SKIP_DEPS=1 it does nothing: for other systems, where you install the same manually.
set -eu

# Debian 12's default Boost is too old, and later releases have no 1.81.
boost=libboost-dev
if grep -qs '^VERSION_ID="12"' /etc/os-release; then boost=libboost1.81-dev; fi

packages="
  g++ cmake ninja-build make ccache mold python3
  libfmt-dev libsimdjson-dev libyaml-dev libre2-dev zlib1g-dev libmimalloc-dev
  $boost libssl-dev libnghttp2-dev libsqlite3-dev
"
test_packages="
  openssl libgtest-dev libgmock-dev librapidcheck-dev libbenchmark-dev zsh fish
  python3-yaml python3-jsonschema python3-kubernetes
"
dev_packages="
  clang-19 clang-format-19 clang-tidy-19 libclang-rt-19-dev llvm-19 valgrind prometheus
"

# The cross compiler's version is that of g++: see cmake/Arm64.cmake.
package_packages="
  g++-12-aarch64-linux-gnu dpkg-dev git python3-yaml
  lintian minisign mmdebstrap qemu-user-static
"

fail() {
  printf '%s: %s\n' "$0" "$1" >&2
  exit 1
}

# Any version of these works, wherever it came from: npm builds the dashboard, Chromium tests it,
# kubectl is for the end-to-end tests.
command -v npm >/dev/null || packages="$packages nodejs npm"
command -v chromium >/dev/null || test_packages="$test_packages chromium"
command -v kubectl >/dev/null || test_packages="$test_packages kubernetes-client"

case "${1:-}" in
  "") ;;
  --test) packages="$packages $test_packages" ;;
  --dev) packages="$packages $test_packages $dev_packages" ;;
  --package) packages="$packages $package_packages" ;;
  *) fail "unknown argument '$1': use --test, --dev or --package" ;;
esac

if [ "${BERTH_SKIP_DEPS:-}" = 1 ]; then exit 0; fi

# Word splitting makes one line of the list.
all=$(echo $packages)

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  fail "apt-get not found: this is not a Debian-like system.
Install the software in these Debian packages, then run make with BERTH_SKIP_DEPS=1:
  $all"
fi

missing=""
installed=$(dpkg-query -W -f='${db:Status-Status}:${Package} ' $all 2>/dev/null || true)
for package in $all; do
  case " $installed" in
    *" installed:$package "*) ;;
    *) missing="$missing $package" ;;
  esac
done
if [ -z "$missing" ]; then exit 0; fi

if [ "$(id -u)" = 0 ]; then
  as_root=""
elif command -v sudo >/dev/null; then
  as_root="sudo"
else
  fail "packages are missing, and installing them requires root or sudo. As root, run:
  apt-get update && apt-get install$missing"
fi

echo "Installing with apt-get:$missing"
apt="$as_root env DEBIAN_FRONTEND=noninteractive apt-get -q \
  -o Acquire::Retries=3 -o DPkg::Lock::Timeout=120"
$apt update ||
  fail "apt-get update failed (see above). Check the network and /etc/apt, then try again."
$apt install -y --no-install-recommends $missing ||
  fail "apt-get install failed (see above). Berth is built on Debian 12 and 13; on another
release some packages may have other names. Install the same software manually, then run make
with BERTH_SKIP_DEPS=1."
