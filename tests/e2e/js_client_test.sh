#!/bin/sh
# Runs js_client_test.mjs with `berth apiserver`.
#
#   tests/e2e/js_client_test.sh BERTH
#
# Exits 77 if there is no node or the client is not installed.
set -eu

berth=${1:?usage: js_client_test.sh BERTH}
here=$(dirname "$0")
if ! command -v node >/dev/null || [ ! -d "$here/node_modules" ]; then
  echo "skipped: with node and npm installed, \`npm ci --prefix tests/e2e\` makes this test run"
  exit 77
fi
exec node "$here/js_client_test.mjs" "$berth"
