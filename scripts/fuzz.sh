#!/bin/sh
# Runs each fuzz target of build/fuzz for a number of seconds, JOBS (1) targets at a time.
#
#   scripts/fuzz.sh SECONDS [JOBS]
#
# Prints one line for each target, and the end of the log of those that failed; exits 1 if any did.
# Seeds are in tests/fuzz/corpus/NAME. Inputs that reach new code are added to
# build/fuzz/corpus/NAME, an input that crashes to build/fuzz/crashes, and the output is in
# build/fuzz/logs/NAME.log.
set -eu
cd "$(dirname "$0")/.."

usage="usage: scripts/fuzz.sh SECONDS [JOBS]"

run_target() {
  seconds=$1 target=$2
  name=$(basename "$target" _fuzz)
  log=build/fuzz/logs/$name.log
  new_inputs=build/fuzz/corpus/$name
  mkdir -p "$new_inputs"
  set -- "$new_inputs"
  if [ -d "tests/fuzz/corpus/$name" ]; then set -- "$@" "tests/fuzz/corpus/$name"; fi
  # The message is one write, since targets run side by side.
  if "$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="build/fuzz/crashes/$name-" "$@" >"$log" 2>&1; then
    inputs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    echo "== $name: passed, ${inputs:-0} inputs in $seconds seconds"
  else
    printf '%s\n' "== $name: FAILED, see $log
$(tail -n 40 "$log")"
    return 1
  fi
}

if [ "${1:-}" = --target ]; then
  run_target "$2" "$3"
  exit
fi

seconds=${1:?"$usage"}
jobs=${2:-1}
mkdir -p build/fuzz/crashes build/fuzz/logs
# Crash reports then name functions and lines; an older symbolizer cannot read clang 19's symbols.
export ASAN_SYMBOLIZER_PATH="${ASAN_SYMBOLIZER_PATH:-/usr/bin/llvm-symbolizer-19}"

targets=$(find build/fuzz/tests/fuzz -maxdepth 1 -name '*_fuzz' -type f -perm -u+x | sort)
if [ -z "$targets" ]; then
  echo "scripts/fuzz.sh: no targets in build/fuzz/tests/fuzz: run 'make fuzz'" >&2
  exit 1
fi
# xargs starts the next target after a failure, and exits 123 in the end.
printf '%s\n' "$targets" | xargs -P "$jobs" -n 1 scripts/fuzz.sh --target "$seconds" || exit 1
