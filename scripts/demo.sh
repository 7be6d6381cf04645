#!/usr/bin/env bash
# Shows Berth at work on the cluster in examples/; `make run` builds first.
set -euo pipefail
cd "$(dirname "$0")/.."

berth=${BERTH:-bin/berth}
if [[ ! -x $berth ]]; then
  echo "$berth is not there yet: run 'make' first" >&2
  exit 1
fi

show() {
  printf '\n$ %s\n' "berth $*"
  "$berth" "$@"
}

echo "Nine nodes in three zones, and pods that wait for one. Where do they go?"
show schedule -f examples/harbour.yaml -f examples/pods.yaml
echo
echo "Why did these two end as they did?"
show schedule -f examples/harbour.yaml -f examples/pods.yaml --explain --pod web-1 --pod notebook
echo
echo "In a cluster that is nearly full: why these victims, and why not in the other zone?"
show schedule -f examples/decisions --explain --pod payments --pod web-4
cat <<'END'

Next:
  bin/berth schedule -f examples --explain      explain every pod
  bin/berth schedule -f examples -o json        the same for programs
  bin/berth schedule --help                     all options; docs/cli.md is the guide
  kubectl get nodes,pods -A -o yaml | bin/berth schedule -f -
                                                try it on your own cluster
END
