#!/usr/bin/env bash
# Runs the demo: a local cluster with 1,000 nodes and 10,000 pods in one process. In a terminal it
# keeps running, for kubectl, until Ctrl-C. `make run` builds first.
set -euo pipefail
cd "$(dirname "$0")/.."

berth=${BERTH:-bin/berth}
if [[ ! -x $berth ]]; then
  echo "$berth does not exist: run 'make' first" >&2
  exit 1
fi
exec "$berth" up --demo "$@"
