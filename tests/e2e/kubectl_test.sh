#!/bin/bash
# Goes through what kubectl can do with `berth apiserver` alone: no controllers, no kubelets.
#
#   tests/e2e/kubectl_test.sh BERTH [KUBECTL]
#
# Each line of the table is a command, the exit code it must end with and a text that must be in its
# output. Exits 1 if any differs, 77 if there is no kubectl.
set -u

berth=${1:?usage: kubectl_test.sh BERTH [KUBECTL]}
kubectl=${2:-kubectl}
# shellcheck source=tests/e2e/kubectl.sh
source "$(dirname "$0")/kubectl.sh"
need_kubectl

cat >"$dir/nodes.yaml" <<'YAML'
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {zone: a, kubernetes.io/hostname: n1}}
status:
  capacity: {cpu: "4", memory: 8Gi, pods: "110"}
  conditions: [{type: Ready, status: "True", reason: KubeletReady}]
  nodeInfo:
    {kubeletVersion: v1.36.0, kubeProxyVersion: "", architecture: amd64, operatingSystem: linux,
     osImage: Linux, kernelVersion: "6", containerRuntimeVersion: fake, bootID: "", machineID: "",
     systemUUID: ""}
---
apiVersion: v1
kind: Node
metadata: {name: n2, labels: {zone: b}}
status:
  capacity: {cpu: "2", memory: 4Gi, pods: "110"}
  conditions: [{type: Ready, status: "False"}]
YAML
cat >"$dir/pods.yaml" <<'YAML'
apiVersion: v1
kind: Pod
metadata: {name: web-1, labels: {app: web, tier: front}}
spec:
  containers:
  - {name: c, image: "nginx:1", resources: {requests: {cpu: 500m, memory: 64Mi}}}
---
apiVersion: v1
kind: Pod
metadata: {name: db-1, labels: {app: db}}
spec:
  nodeName: n1
  terminationGracePeriodSeconds: 0
  containers:
  - {name: c, image: "postgres:1"}
YAML
cat >"$dir/map.yaml" <<'YAML'
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {colour: red}
YAML
sed 's/red/blue/' "$dir/map.yaml" >"$dir/map2.yaml"
sed 's/red/green/' "$dir/map.yaml" >"$dir/map3.yaml"
cat >"$dir/deployment.yaml" <<'YAML'
apiVersion: apps/v1
kind: Deployment
metadata: {name: shop}
spec:
  replicas: 2
  selector: {matchLabels: {app: shop}}
  template:
    metadata: {labels: {app: shop}}
    spec: {containers: [{name: c, image: "shop:1"}]}
YAML
sed 's/image: "nginx:1"/imag: "nginx:1"/' "$dir/pods.yaml" >"$dir/typo.yaml"
sed '/^metadata/s/web-1/web-3/; /^---/,$d' "$dir/pods.yaml" >"$dir/web3.yaml"

start apiserver

# Who is there.
expect 0 'v1.36' version
expect 0 'deployments' api-resources
expect 0 'pods' api-resources --namespaced=true -o name
expect 0 'apps/v1' api-versions
expect 0 'kube-system' get namespaces
expect 0 'ok' get --raw /readyz
expect 0 '"gitVersion"' get --raw /version
expect 0 '"items":[' get --raw /api/v1/nodes
expect 1 'NotFound' get --raw /api/v1/boats
expect 0 'yes' auth can-i create pods
expect 0 'yes' auth can-i '*' '*' -A
since 28 0 'system:admin' auth whoami

# Creating.
expect 0 'node/n2 created' create -f "$dir/nodes.yaml"
expect 0 'pod/db-1 created' create -f "$dir/pods.yaml"
expect 1 'AlreadyExists' create -f "$dir/pods.yaml"
since 25 1 'unknown field' create -f "$dir/typo.yaml"
expect 0 'namespace/other created' create namespace other
expect 0 'configmap/made created' create configmap made --from-literal=a=b -n other
expect 0 'secret/pass created' create secret generic pass --from-literal=a=b
expect 0 'deployment.apps/made created' create deployment made --image=nginx
expect 0 'priorityclass.scheduling.k8s.io/high created' create priorityclass high --value=1000
since 22 0 'poddisruptionbudget.policy/web created' \
  create poddisruptionbudget web --selector=app=web --min-available=1
expect 0 'job.batch/once created' create job once --image=busybox
expect 0 'serviceaccount/robot created' create serviceaccount robot
expect 0 'service/web created' create service clusterip web --tcp=80:80
expect 0 'pod/run-1 created' run run-1 --image=nginx --labels=app=run
expect 1 'namespaces "none" not found' run x --image=nginx -n none
expect 0 'pod/dry created' run dry --image=nginx --dry-run=server
expect 1 'NotFound' get pod dry

# Looking.
expect 0 'NAME    READY   STATUS    RESTARTS   AGE' get pods
expect 0 'NOMINATED NODE' get pods -o wide
expect 0 'db-1    0/1     Pending   0' get pods
expect 0 'NotReady' get nodes
expect 0 'v1.36.0' get nodes -o wide
expect 0 'kind: Pod' get pod web-1 -o yaml
expect 0 '"kind": "Pod"' get pod web-1 -o json
expect 0 '"kind": "List"' get pods -o json
expect 0 'pod/web-1' get pods -o name
expect 0 'Pending' get pod web-1 -o 'jsonpath={.status.phase}'
expect 0 'nginx:1' get pod web-1 -o 'custom-columns=IMAGE:.spec.containers[0].image'
expect 0 'app=web,tier=front' get pods --show-labels
expect 0 'web-1' get pods -l app=web
expect 0 'db-1' get pods -l 'app in (db),!tier'
expect 0 'No resources found' get pods -l app=none
expect 0 'db-1' get pods --field-selector=spec.nodeName=n1
expect 0 'web-1' get pods --field-selector=spec.nodeName=,status.phase!=Running
expect 1 'field label not supported' get pods --field-selector=spec.boat=1
expect 1 'BadRequest' get --raw '/api/v1/pods?labelSelector=a%20b'
expect 0 'other' get configmaps -A
expect 0 'web-1' get pods --sort-by=.metadata.name
expect 0 'deployment.apps/made' get all
expect 0 'web-1' get pods --chunk-size=1
expect 0 'web-1' get pods,nodes
expect 1 'pods "none" not found' get pod none
expect 0 '' get pod none --ignore-not-found
expect 1 "the server doesn't have a resource type \"boats\"" get boats
expect 0 'web-1' get pods -w --request-timeout=2s
expect 0 'Allocated resources' describe node n1
expect 0 'QoS Class:' describe pod web-1
expect 0 'Replicas:' describe deployment made
expect 0 'VALUE' get priorityclasses
since 22 0 'MIN AVAILABLE' get pdb

# Changing.
expect 0 'pod/web-1 labeled' label pod web-1 colour=red
expect 1 'already has a value' label pod web-1 colour=blue
expect 0 'pod/web-1 labeled' label pod web-1 colour=blue --overwrite
expect 0 'labeled' label pods --all seen=yes
expect 0 'pod/web-1' label pod web-1 colour-
expect 0 'pod/web-1 annotate' annotate pod web-1 note='a b "c"'
expect 0 'a b "c"' get pod web-1 -o 'jsonpath={.metadata.annotations.note}'
expect 0 'node/n1 tainted' taint node n1 gpu=yes:NoSchedule
expect 0 'gpu=yes:NoSchedule' describe node n1
expect 0 'node/n1 untainted' taint node n1 gpu-
expect 0 'node/n1 cordoned' cordon n1
expect 0 'SchedulingDisabled' get node n1
expect 0 'n1' get nodes --field-selector=spec.unschedulable=true
expect 0 'node/n1 uncordoned' uncordon n1
image='{"spec":{"template":{"spec":{"containers":[{"name":"nginx","image":"nginx:2"}]}}}}'
expect 0 'deployment.apps/made patched' patch deployment made -p "$image"
expect 0 'deployment.apps/made patched' \
  patch deployment made --type=merge -p '{"spec":{"replicas":3}}'
expect 0 'deployment.apps/made patched' \
  patch deployment made --type=json -p '[{"op":"replace","path":"/spec/replicas","value":4}]'
expect 0 '4 nginx:2' get deployment made \
  -o 'jsonpath={.spec.replicas} {.spec.template.spec.containers[0].image}'
expect 1 'is invalid' patch pod web-1 -p '{"spec":{"nodeName":"n2"}}'
expect 0 'deployment.apps/made scaled' scale deployment made --replicas=2
expect 0 'image updated' set image deployment/made nginx=nginx:3
since 24 0 'node/n2 patched' patch node n2 --subresource=status --type=merge \
  -p '{"status":{"conditions":[{"type":"Ready","status":"True"}]}}'

# Applying.
expect 0 'configmap/settings created' apply -f "$dir/map.yaml"
expect 0 'configmap/settings unchanged' apply -f "$dir/map.yaml"
expect 1 '+  colour: blue' diff -f "$dir/map2.yaml"
expect 0 'configmap/settings configured' apply -f "$dir/map2.yaml"
expect 0 '' diff -f "$dir/map2.yaml"
expect 0 'blue' get configmap settings -o 'jsonpath={.data.colour}'
expect 0 'deployment.apps/shop created' apply -f "$dir/deployment.yaml"
expect 0 'deployment.apps/shop unchanged' apply -f "$dir/deployment.yaml"
expect 0 'pod/web-3 serverside-applied' apply --server-side -f "$dir/web3.yaml"
expect 0 'pod/web-3 serverside-applied' apply --server-side -f "$dir/web3.yaml"
expect 1 'conflict' apply --server-side --field-manager=other -f "$dir/map3.yaml"
expect 0 'serverside-applied' \
  apply --server-side --field-manager=other --force-conflicts -f "$dir/map3.yaml"
expect 0 'green' get configmap settings -o 'jsonpath={.data.colour}'
expect 0 'configmap/settings replaced' replace -f "$dir/map.yaml"
expect 0 'red' get configmap settings -o 'jsonpath={.data.colour}'
KUBE_EDITOR='sed -i s/red/black/' expect 0 'configmap/settings edited' edit configmap settings
expect 0 'black' get configmap settings -o 'jsonpath={.data.colour}'

# Explaining, waiting, events.
expect 0 'containers' explain pod.spec
expect 0 'requests' explain deployment.spec.template.spec.containers.resources
expect 1 'boat' explain pod.spec.boat
expect 0 'condition met' wait --for=condition=Ready node/n1 --timeout=5s
expect 1 'timed out' wait --for=condition=Ready pod/web-1 --timeout=1s
since 23 0 'condition met' wait --for=jsonpath='{.status.phase}'=Pending pod/web-1 --timeout=5s
expect 0 '' get events
since 24 0 '' events

# Deleting.
expect 0 'pod "web-1" deleted' delete pod web-1
expect 1 'NotFound' delete pod web-1
expect 0 '' delete pod web-1 --ignore-not-found
expect 0 'pod "db-1" force deleted' delete pod db-1 --force --grace-period=0
expect 0 'deleted' delete -f "$dir/map.yaml"
expect 0 'deleted' delete pods -l app=run
expect 0 'deleted' delete pods --all
expect 0 'deployment.apps "made" deleted' delete deployment made
expect 0 'node "n2" deleted' delete node n2
expect 1 'Forbidden' delete namespace default
expect 0 'No resources found' get pods

stop

# With TLS and tokens, and all that was written still there after a restart.
echo 'secret,alice,u1,"ops,dev"' >"$dir/tokens"
start apiserver --tls --token-auth-file "$dir/tokens" --data-dir "$dir/data"
expect 0 'node/n1 created' create -f "$dir/nodes.yaml"
expect 0 'pod/web-1 created' create -f "$dir/pods.yaml"
version=$("$kubectl" get pod web-1 -o 'jsonpath={.metadata.resourceVersion}')
stop
start apiserver --tls --token-auth-file "$dir/tokens" --data-dir "$dir/data"
expect 0 "$version" get pod web-1 -o 'jsonpath={.metadata.resourceVersion}'
expect 0 'n1' get nodes
since 28 0 'alice' auth whoami
expect 0 'pod "web-1" deleted' delete pod web-1
sed -i 's/secret/wrong/' "$KUBECONFIG"
expect 1 'Unauthorized' get nodes
stop

report
