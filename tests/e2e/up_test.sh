#!/bin/bash
# Goes through what kubectl can do with the cluster that `berth up` runs: pods that are scheduled
# and run, rollouts, drains and budgets, deletion, and a restart that forgets nothing.
#
#   tests/e2e/up_test.sh BERTH [KUBECTL]
#
# Exits 1 if anything differs from what is expected, 77 if there is no kubectl.
set -u

berth=${1:?usage: up_test.sh BERTH [KUBECTL]}
kubectl=${2:-kubectl}
# shellcheck source=tests/e2e/kubectl.sh
source "$(dirname "$0")/kubectl.sh"
need_kubectl

cat >"$dir/web.yaml" <<'YAML'
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 50
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 1
      topologySpreadConstraints:
      - maxSkew: 1
        topologyKey: topology.kubernetes.io/zone
        whenUnsatisfiable: DoNotSchedule
        labelSelector: {matchLabels: {app: web}}
      containers:
      - {name: c, image: "web:1", resources: {requests: {cpu: 500m, memory: 64Mi}}}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web}
spec:
  minAvailable: 90%
  selector: {matchLabels: {app: web}}
YAML
cat >"$dir/giant.yaml" <<'YAML'
apiVersion: v1
kind: Pod
metadata: {name: giant}
spec:
  containers:
  - {name: c, image: "giant:1", resources: {requests: {cpu: "100"}}}
YAML
cat >"$dir/job.yaml" <<'YAML'
apiVersion: batch/v1
kind: Job
metadata: {name: once}
spec:
  completions: 3
  parallelism: 3
  template:
    spec:
      restartPolicy: Never
      containers:
      - {name: c, image: "once:1"}
YAML

start up --nodes 20 --data-dir "$dir/data" -f "$dir/web.yaml"

# The Deployment of the file runs, in three zones.
expect 0 'successfully rolled out' rollout status deployment/web --timeout=60s
expect 0 '50' get deployment web -o 'jsonpath={.status.readyReplicas}'
expect 0 'node-0020' get nodes
expect 0 'zone-b' get nodes -L topology.kubernetes.io/zone
expect 0 'Running' get pods -o wide
expect 0 'No resources found' get pods --field-selector=spec.nodeName=
pod=$("$kubectl" get pods -l app=web -o 'jsonpath={.items[0].metadata.name}')
expect 0 'condition met' wait --for=condition=Ready "pod/$pod" --timeout=30s
expect 0 'Scheduled' describe pod "$pod"
expect 0 "Successfully assigned default/$pod to node-" get events --field-selector=reason=Scheduled

# A pod that fits nowhere says why.
expect 0 'pod/giant created' create -f "$dir/giant.yaml"
expect 0 'condition met' wait --for=condition=PodScheduled=False pod/giant --timeout=30s
expect 0 '0/20 nodes are available: 20 Insufficient cpu' describe pod giant
expect 0 'FailedScheduling' get events --field-selector=involvedObject.name=giant

# berth as a plugin of kubectl says why, and its first fix lets the pod run.
mkdir "$dir/bin"
ln -s "$(realpath "$berth")" "$dir/bin/kubectl-berth"
why() { PATH="$dir/bin:$PATH" timeout 60 "$kubectl" berth why "$@" 2>&1; }
said=$(why giant)
if [[ "$said" == *': 20 Insufficient cpu'*'1. lower the cpu request'* ]]; then
  passed=$((passed + 1))
else
  fail "kubectl berth why giant: $said"
fi
why giant --fix 1 -o yaml >"$dir/fix.yaml"
"$kubectl" get pod giant -o yaml |
  "$kubectl" patch -f - --local --type=json -p "$(cat "$dir/fix.yaml")" -o yaml >"$dir/small.yaml"
expect 0 'pod/giant replaced' replace --force -f "$dir/small.yaml"
expect 0 'condition met' wait --for=condition=PodScheduled pod/giant --timeout=30s
expect 0 'pod "giant" deleted' delete pod giant --wait --timeout=30s

# Scaling, updates and jobs.
expect 0 'deployment.apps/web scaled' scale deployment web --replicas=60
expect 0 'successfully rolled out' rollout status deployment/web --timeout=60s
expect 0 'image updated' set image deployment/web c=web:2
expect 0 'successfully rolled out' rollout status deployment/web --timeout=90s
expect 0 'web:2' get pods -l app=web -o 'jsonpath={.items[0].spec.containers[0].image}'
expect 0 'job.batch/once created' create -f "$dir/job.yaml"
expect 0 'condition met' wait --for=condition=Complete job/once --timeout=60s

# A drain respects the budget: six may be away at a time, and there are more on three nodes.
expect 0 'evicted' drain node-0001 --ignore-daemonsets --timeout=90s
expect 0 'evicted' drain node-0002 --ignore-daemonsets --force --timeout=90s
expect 0 'SchedulingDisabled' get node node-0001
expect 0 'No resources found' get pods -A --field-selector=spec.nodeName=node-0001
expect 0 'node/node-0001 uncordoned' uncordon node-0001
expect 0 'successfully rolled out' rollout status deployment/web --timeout=60s

# After a restart everything is there, and goes on.
uid=$("$kubectl" get deployment web -o 'jsonpath={.metadata.uid}')
stop
start up --nodes 20 --data-dir "$dir/data"
expect 0 "$uid" get deployment web -o 'jsonpath={.metadata.uid}'
expect 0 '60' get deployment web -o 'jsonpath={.status.readyReplicas}'
expect 0 'SchedulingDisabled' get node node-0002
expect 0 'deployment.apps/web scaled' scale deployment web --replicas=70
expect 0 'successfully rolled out' rollout status deployment/web --timeout=60s

# Deleting takes everything with it.
expect 0 'deployment.apps "web" deleted' delete deployment web --wait --timeout=60s
since 21 0 '' wait --for=delete pod -l app=web --timeout=60s
expect 0 'namespace/gone created' create namespace gone
expect 0 'pod/inside created' run inside --image=x -n gone
expect 0 'namespace "gone" deleted' delete namespace gone --timeout=60s
stop

# Errors name the file, the document and the field; the other objects are there.
sed 's/replicas: 50/replicaz: 50/' "$dir/web.yaml" >"$dir/typo.yaml"
start up --nodes 1 -f "$dir/typo.yaml"
if ! grep -q 'typo.yaml: document 1: .*spec.replicaz' "$dir/log"; then
  fail "a wrong file: $(cat "$dir/log")"
fi
expect 0 'node-0001' get nodes
stop
out=$(timeout 60 "$berth" up --port 0 --scheduler=somebody 2>&1)
status=$?
if [ "$status" != 2 ] || [[ "$out" != *"embedded"* ]]; then
  fail "a wrong scheduler: exit code $status, $out"
fi
report
