#!/bin/sh
# Checks the types, the style and the unit tests of the dashboard (web/). Skipped, with exit code
# 77, if npm or its packages are not installed.
cd "$(dirname "$0")/../../web" || exit 1
if ! command -v npm >/dev/null || [ ! -d node_modules/typescript ]; then
  echo "skipped: npm, or the packages of web/, are not installed"
  exit 77
fi
exec npm run check
