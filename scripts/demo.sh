#!/usr/bin/env bash
# Runs a demo: a cluster of 1,000 nodes in one process, and 10,000 pods to schedule. In a terminal
# it runs until Ctrl-C, so that kubectl can use it. `make run` builds first.
set -euo pipefail
cd "$(dirname "$0")/.."

berth=${BERTH:-bin/berth}
if [[ ! -x $berth ]]; then
  echo "$berth not found: run 'make' first" >&2
  exit 1
fi
exec "$berth" up --demo "$@"
