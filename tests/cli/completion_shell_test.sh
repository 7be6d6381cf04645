#!/bin/bash
# completion_shell_test.sh BERTH BERTH_SCHEDULER: completes command lines in bash, and in zsh and
# fish where they are installed, as a user who presses tab: from a live cluster, and from files.
set -u
berth=$(realpath "$1") scheduler=$(realpath "$2")
dir=$(mktemp -d)
up=
trap '[ -z "$up" ] || kill "$up"; wait; rm -rf "$dir"' EXIT
failed=0

mkdir "$dir/bin"
ln -s "$berth" "$dir/bin/berth"
ln -s "$berth" "$dir/bin/kubectl-berth"
ln -s "$berth" "$dir/bin/kubectl_complete-berth"
ln -s "$scheduler" "$dir/bin/berth-scheduler"
export PATH=$dir/bin:$PATH HOME=$dir KUBECONFIG=$dir/kubeconfig
cd "$dir" || exit 1

cat > objects.yaml << 'END'
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: v1
kind: Pod
metadata: {name: web-1, namespace: shop}
spec: {containers: [{name: c, image: i}]}
---
apiVersion: v1
kind: Pod
metadata: {name: batch-1, namespace: default}
spec: {containers: [{name: c, image: i}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: cart, namespace: shop}
spec:
  selector: {matchLabels: {app: cart}}
  template:
    metadata: {labels: {app: cart}}
    spec: {containers: [{name: c, image: i}]}
END
cp objects.yaml hostile.yaml
cat >> hostile.yaml << 'END'
---
apiVersion: v1
kind: Pod
metadata: {name: "x$(touch hostile)`touch hostile`;touch hostile", namespace: default}
END
touch 'a file.yaml'
mkdir folder

berth up --port 0 --nodes 2 -f objects.yaml --scheduler none --no-controllers --no-kubelets \
  --kubeconfig "$dir/kubeconfig" > up.log 2>&1 &
up=$!
for _ in $(seq 300); do
  [ -s "$dir/kubeconfig" ] && [ "$(berth __complete why b | head -1)" = batch-1 ] && break
  sleep 0.1
done

# expect SHELL LINE WANTED: compares what the shell offers, its words joined by spaces.
expect() {
  local said
  said=$("complete_in_$1" "$2" | paste -sd ' ')
  [ "$said" = "$3" ] && return
  echo "FAILED: $1: $2<tab>: \"$said\", expected \"$3\"" >&2
  failed=1
}

# What readline does before it calls the function: breaks the line at COMP_WORDBREAKS.
complete_in_bash() {
  bash --norc -c '
    source <("$2" completion bash)
    COMP_LINE=$1 COMP_POINT=${#1} COMPREPLY=()
    compopt() { :; }
    current=${1##*[[:space:]=:]}
    "$(complete -p "$2" | sed "s/.*-F \([^ ]*\) .*/\1/")" "$2" "$current" ""
    for word in "${COMPREPLY[@]}"; do printf "%s\n" "$word"; done
  ' bash "$1" "${1%% *}"
}

complete_in_zsh() {
  zsh -f -c '
    compdef() { completer=$1 }
    compadd() { local -i at=${argv[(I)-a]}; print -l -- "${(@P)argv[at+1]}" }
    _files() { print -l files }
    compset() { PREFIX=${PREFIX#*=} }
    source <($2 completion zsh)
    words=("${(@z)1}")
    [[ $1 == *" " ]] && words+=("")
    CURRENT=${#words} PREFIX=${words[-1]}
    $completer
  ' zsh "$1" "${1%% *}"
}

complete_in_fish() {
  fish --no-config -c 'source ($argv[2] completion fish | psub); complete -C $argv[1]' \
    "$1" "${1%% *}" | cut -f1
}

shells=bash
for shell in zsh fish; do
  if command -v "$shell" > /dev/null; then
    shells+=" $shell"
  else
    echo "$shell is not installed: not tried" >&2
  fi
done
for shell in $shells; do
  expect "$shell" 'berth wh' why
  expect "$shell" 'berth config ' 'validate show'
  expect "$shell" 'berth why --all-p' --all-pending
  expect "$shell" 'berth why -o js' json
  expect "$shell" 'berth-scheduler --logging-format ' 'text json'
  expect "$shell" 'berth why b' batch-1
  expect "$shell" 'berth why -n shop w' web-1
  expect "$shell" 'berth why -n shop deployment/' deployment/cart
  expect "$shell" 'berth why -n sh' shop
  expect "$shell" 'berth why web-1 --on ' 'node-0001 node-0002'
  expect "$shell" 'berth why -f objects.yaml ba' batch-1
  expect "$shell" 'berth why -f hostile.yaml x' ''
  expect "$shell" 'berth why "$(touch hostile)" --on=n$(touch hostile)' ''
  expect "$shell" 'kubectl-berth why b' batch-1
done
expect bash 'berth why --output=js' json
case $shells in *fish*) expect fish 'berth why --output=js' --output=json ;; esac
expect bash 'berth check --feature-gates=GangSch' 'GangScheduling=true GangScheduling=false'
expect bash 'berth config show a' 'a file.yaml'
expect bash 'berth apiserver --data-dir f' folder
expect bash "berth why 'b" batch-1

# kubectl's protocol for plugins: the words after "kubectl berth", and the directive at the end.
said=$(kubectl_complete-berth why -n shop w)
[ "$said" = $'web-1\n:4' ] || { echo "FAILED: kubectl_complete-berth: $said" >&2; failed=1; }

# A server that does not respond costs two seconds, and offers nothing.
python3 -c '
import socket, time
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
time.sleep(60)' > port &
silent=$!
until [ -s port ]; do sleep 0.05; done
sed "s|server: .*|server: http://127.0.0.1:$(cat port)|" kubeconfig > silent.conf
begin=$(date +%s)
said=$(berth __complete why --kubeconfig silent.conf web)
[ "$said" = ':4' ] || { echo "FAILED: a silent server: $said" >&2; failed=1; }
[ $(($(date +%s) - begin)) -le 5 ] || { echo "FAILED: it takes too long" >&2; failed=1; }
kill "$silent"

[ ! -e hostile ] || { echo "FAILED: a name was executed" >&2; failed=1; }
exit "$failed"
