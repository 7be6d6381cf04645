#!/bin/sh
# Runs each fuzz target of build/fuzz for a number of seconds, and stops at the first crash.
#
#   scripts/fuzz.sh SECONDS
#
# Seeds come from tests/fuzz/corpus/NAME; what a run learns is kept in build/fuzz/corpus/NAME, and
# an input that crashes is written to build/fuzz/crashes.
set -eu
cd "$(dirname "$0")/.."

seconds=${1:?"usage: scripts/fuzz.sh SECONDS"}
mkdir -p build/fuzz/crashes
# Crash reports then name functions and lines; an older symbolizer cannot read clang 19's symbols.
export ASAN_SYMBOLIZER_PATH="${ASAN_SYMBOLIZER_PATH:-/usr/bin/llvm-symbolizer-19}"

found=no
for target in build/fuzz/tests/fuzz/*_fuzz; do
  if [ ! -x "$target" ]; then continue; fi
  found=yes
  name=$(basename "$target" _fuzz)
  learned=build/fuzz/corpus/$name
  mkdir -p "$learned"
  set -- "$learned"
  if [ -d "tests/fuzz/corpus/$name" ]; then set -- "$@" "tests/fuzz/corpus/$name"; fi
  echo "== $name: $seconds seconds"
  "$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="build/fuzz/crashes/$name-" "$@"
done
if [ "$found" = no ]; then echo "No fuzz targets: tests/fuzz holds no *_fuzz.cc."; fi
