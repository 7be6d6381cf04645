# What tests that go through kubectl have in common; to be sourced.
#
# The test sets `berth` and `kubectl` to the programs, and calls:
#   need_kubectl        ends the test with 77 if there is no kubectl
#   start up --nodes 3  starts berth with these arguments and waits until it serves
#   stop                ends it, which must take few seconds and give exit code 0
#   expect, since       run kubectl and check what it says
#   report              prints the counts; the test's exit code
# `dir` is a folder of the test's own. Whatever happens, it goes at the end, and so does berth.

need_kubectl() {
  if ! command -v "$kubectl" >/dev/null; then
    echo "there is no $kubectl; install Debian's kubernetes-client, or any other kubectl"
    exit 77
  fi
  minor=$("$kubectl" version --client -o json | sed -n 's/.*"minor": "\([0-9]*\).*/\1/p' | head -1)
}

dir=$(mktemp -d)
server=
passed=0
failed=0
finish() {
  if [ -n "$server" ]; then
    kill -KILL "$server" 2>/dev/null
    wait "$server" 2>/dev/null
  fi
  rm -rf "$dir"
}
trap finish EXIT
export KUBECONFIG=$dir/kubeconfig
export HOME=$dir

fail() {
  failed=$((failed + 1))
  echo "FAILED: $*"
}

start() {
  rm -f "$dir/log"
  "$berth" "$@" --port 0 --kubeconfig "$KUBECONFIG" >"$dir/log" 2>&1 &
  server=$!
  for _ in $(seq 300); do
    if grep -qs '^export KUBECONFIG=' "$dir/log"; then return; fi
    if ! kill -0 "$server" 2>/dev/null; then break; fi
    sleep 0.1
  done
  echo "berth $* did not start:"
  cat "$dir/log"
  exit 1
}

stop() {
  local status since=$SECONDS
  kill -TERM "$server"
  wait "$server"
  status=$?
  server=
  if [ "$status" != 0 ]; then
    fail "berth ended with $status after SIGTERM"
    cat "$dir/log"
  fi
  if [ $((SECONDS - since)) -gt 20 ]; then fail "berth took long to end"; fi
}

# expect CODE TEXT ARGUMENTS...: kubectl with ARGUMENTS must end with CODE and print TEXT.
expect() {
  local code=$1 text=$2 out status
  shift 2
  out=$(timeout 120 "$kubectl" --cache-dir "$dir/cache" "$@" 2>&1 </dev/null)
  status=$?
  if [ "$status" = "$code" ] && [[ "$out" == *"$text"* ]]; then
    passed=$((passed + 1))
    return
  fi
  fail "kubectl $*"
  printf '  exit code %s, expected %s\n  expected text: %s\n%s\n' \
    "$status" "$code" "$text" "$(sed 's/^/  | /' <<<"$out" | head -40)"
}
# since MINOR ...: the same, for kubectl 1.MINOR and later.
since() {
  if [ "${minor:-0}" -ge "$1" ]; then expect "${@:2}"; fi
}

report() {
  echo "$passed passed, $failed failed (kubectl 1.$minor)"
  [ "$failed" = 0 ]
}
