#!/usr/bin/env bash
# Shows Berth at work: a cluster of a thousand nodes in one process, and ten thousand pods to place.
# In a terminal it stays up for kubectl until Ctrl-C. `make run` builds first.
set -euo pipefail
cd "$(dirname "$0")/.."

berth=${BERTH:-bin/berth}
if [[ ! -x $berth ]]; then
  echo "$berth is not there yet: run 'make' first" >&2
  exit 1
fi
exec "$berth" up --demo "$@"
