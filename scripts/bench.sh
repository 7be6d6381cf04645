#!/bin/sh
# Runs `berth bench` with the worlds and workloads of docs/performance.md:
#
#   scripts/bench.sh [BERTH]
#
# The workloads are those of kube-scheduler's benchmark, below BERTH_SHARED or ../shared; without
# them only worlds are run. BENCH_LARGE=0 leaves out a million nodes, which need 5 GiB.
set -eu

berth=${1:-bin/berth}
shared=${BERTH_SHARED:-../shared}

failed=0

# One that fails does not stop the others.
world() {
  echo "== $berth bench $*"
  "$berth" bench "$@" || failed=$((failed + 1))
}

for classes in 1 10 100 1000 each; do
  world --nodes 5000 --pods 10000 --classes $classes
done
for mix in spread anti-affinity affinity preferred-affinity default-spread; do
  world --nodes 5000 --pods 5000 --mix $mix
done
for mix in preferred-affinity default-spread; do
  world --nodes 5000 --pods 10000 --classes 1000 --mix $mix
done
world --nodes 5000 --pods 10000 --classes each --mix default-spread
world --nodes 5000 --pods 10000 --classes each --mix mixed
for classes in 1 1000; do
  world --nodes 5000 --pods 5000 --classes $classes --mix preemption
done
world --nodes 5000 --pods 20000 --mix devices
for mix in volumes local-volumes unbound-volumes; do
  world --nodes 5000 --pods 5000 --zones 10 --mix $mix
done
world --nodes 50000 --pods 10000 --classes each
world --nodes 50000 --pods 10000 --classes 1000 --mix default-spread
world --nodes 100000 --pods 20000 --classes 200 --zones 100 --mix mixed
if [ "${BENCH_LARGE:-1}" != 0 ]; then
  world --nodes 1000000 --pods 1000000 --classes 200 --zones 100 --mix mixed
fi

for file in $(find "$shared/scheduler_perf" -name performance-config.yaml 2>/dev/null | sort); do
  # Some files have only tests.
  "$berth" bench --perf-config "$file" --labels performance --list >/dev/null 2>&1 || continue
  world --perf-config "$file" --labels performance
done
file=$shared/scheduler_perf/misc/performance-config.yaml
if [ -e "$file" ]; then
  for mode in store http; do
    world --perf-config "$file" --select '^SchedulingBasic/5000Nodes_10000Pods$' --mode $mode
  done
fi
if [ $failed -gt 0 ]; then
  echo "bench: $failed of the runs above failed" >&2
  exit 1
fi
