#!/bin/bash
# man_pages_test.sh BERTH: every command has a manual page that groff and mandoc read without a
# warning. Each checker is used where it is installed; skipped (77) without any.
set -u
berth=$(realpath "$1")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
fail() {
  echo "FAILED: $*" >&2
  failed=1
}

"$berth" man "$dir/man" || exit 1
"$berth" man "$dir/again" || exit 1
diff -r "$dir/man" "$dir/again" > /dev/null || fail "two runs give different pages"

cd "$dir/man" || exit 1
for page in berth.1 kubectl-berth.1 berth-scheduler.8 berth-config-validate.1; do
  [ -s "$page" ] || fail "$page is missing"
done
for command in $("$berth" __complete '' | cut -sf1); do
  [ -s "berth-$command.1" ] || fail "berth-$command.1 is missing"
done
# Each page that another one refers to is there.
for page in $(sed -n 's/^\.BR \(berth[^ ]*\) (\([18]\)).*/\1.\2/p' ./* | tr -d '\\' | sort -u); do
  [ -s "$page" ] || fail "$page is referred to, but missing"
done

checked=
if command -v groff > /dev/null; then
  checked=groff
  for page in *; do
    said=$(groff -man -ww -z -Tutf8 "$page" 2>&1)
    [ -z "$said" ] || fail "groff: $page: $said"
  done
fi
if command -v mandoc > /dev/null; then
  checked+=" mandoc"
  # A build without git knows no date.
  said=$(mandoc -Tlint -Wwarning ./* | grep -v "missing date")
  [ -z "$said" ] || fail "mandoc: $said"
fi
[ "$failed" = 0 ] || exit 1
[ -n "$checked" ] || { echo "skipped: neither groff nor mandoc is installed" >&2; exit 77; }
