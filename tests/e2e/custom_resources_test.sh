#!/bin/bash
# Goes through what kubectl does with CustomResourceDefinitions and their resources on `berth up`.
#
#   tests/e2e/custom_resources_test.sh BERTH [KUBECTL]
#
# As kubectl_test.sh. Exits 1 if anything differs, 77 if there is no kubectl.
set -u

berth=${1:?usage: custom_resources_test.sh BERTH [KUBECTL]}
kubectl=${2:-kubectl}
# shellcheck source=tests/e2e/kubectl.sh
source "$(dirname "$0")/kubectl.sh"
need_kubectl

cat >"$dir/definition.yaml" <<'YAML'
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crontabs.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: crontabs, kind: CronTab, shortNames: [ct], categories: [all]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale:
        specReplicasPath: .spec.replicas
        statusReplicasPath: .status.replicas
        labelSelectorPath: .status.selector
    additionalPrinterColumns:
    - {name: Spec, type: string, jsonPath: .spec.cron}
    - {name: Replicas, type: integer, jsonPath: .spec.replicas}
    - {name: Ready, type: string, jsonPath: '.status.conditions[?(@.type=="Ready")].status'}
    - {name: Age, type: date, jsonPath: .metadata.creationTimestamp}
    schema:
      openAPIV3Schema:
        description: CronTab runs a command now and then.
        type: object
        required: [spec]
        properties:
          spec:
            type: object
            required: [cron]
            x-kubernetes-validations:
            - {rule: "!has(self.image) || self.image.contains(':')", message: image needs a tag}
            properties:
              cron:
                {type: string, description: When it runs., pattern: '^(\d+|\*)(\s+(\d+|\*)){4}$'}
              image: {type: string}
              replicas: {type: integer, minimum: 1, maximum: 10, default: 1}
          status:
            type: object
            x-kubernetes-preserve-unknown-fields: true
  - name: v1beta1
    served: true
    storage: false
    schema:
      openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}
YAML
sed 's/storage: true/storage: false/' "$dir/definition.yaml" >"$dir/broken.yaml"
cat >"$dir/tab.yaml" <<'YAML'
apiVersion: example.com/v1
kind: CronTab
metadata: {name: mine, labels: {app: tab}}
spec: {cron: "* * * * 5", image: cron:1}
YAML
sed 's/cron:1/cron:2/' "$dir/tab.yaml" >"$dir/tab2.yaml"
sed 's/image: /imag: /' "$dir/tab.yaml" >"$dir/typo.yaml"
sed 's/"\* \* \* \* 5"/"often"/; s/name: mine/name: bad/' "$dir/tab.yaml" >"$dir/bad.yaml"
sed 's/name: mine/name: held, finalizers: [example.com\/hold]/' "$dir/tab.yaml" >"$dir/held.yaml"

start up --nodes 1 --data-dir "$dir/data"

# Defining.
expect 1 'exactly one version marked as storage version' create -f "$dir/broken.yaml"
expect 1 'crontabs' get crontabs
expect 0 'crontabs.example.com created' apply -f "$dir/definition.yaml"
expect 0 'crontabs.example.com unchanged' apply -f "$dir/definition.yaml"
expect 0 'condition met' wait --for=condition=Established crd/crontabs.example.com --timeout=10s
expect 0 'crontabs.example.com' get crds
expect 0 'ct' api-resources --api-group=example.com
expect 0 'example.com/v1beta1' api-versions
expect 0 'Accepted Names' describe crd crontabs.example.com

# Creating and validating.
expect 0 'crontab.example.com/mine created' apply -f "$dir/tab.yaml"
expect 0 'crontab.example.com/mine unchanged' apply -f "$dir/tab.yaml"
expect 1 "spec.cron in body should match" create -f "$dir/bad.yaml"
since 25 1 'unknown field "spec.imag"' create -f "$dir/typo.yaml"
expect 0 'crontab.example.com/mine configured' apply -f "$dir/tab2.yaml"
expect 0 'cron:2 1' get ct mine -o 'jsonpath={.spec.image} {.spec.replicas}'
expect 0 'serverside-applied' apply --server-side --force-conflicts -f "$dir/tab.yaml"

# Looking.
expect 0 'NAME   SPEC        REPLICAS   READY   AGE' get crontabs
expect 0 'mine   * * * * 5   1' get ct
expect 0 'mine' get crontab -l app=tab
expect 0 'mine' get ct --field-selector=metadata.name=mine
expect 0 'example.com/v1beta1' get crontabs.v1beta1.example.com mine -o yaml
expect 0 'crontab.example.com/mine' get all
expect 0 'Cron:' describe ct mine
expect 0 'When it runs.' explain crontab.spec.cron
expect 0 'mine' get ct -w --request-timeout=2s

# Changing.
expect 0 'crontab.example.com/mine labeled' label ct mine colour=red
expect 0 'crontab.example.com/mine patched' patch ct mine --type=merge -p '{"spec":{"image":"c:3"}}'
expect 1 'image needs a tag' patch ct mine --type=merge -p '{"spec":{"image":"c"}}'
expect 1 '' patch ct mine -p '{"spec":{"image":"c:4"}}' --type=strategic
since 24 0 'crontab.example.com/mine patched' patch ct mine --subresource=status --type=merge \
  -p '{"status":{"conditions":[{"type":"Ready","status":"True"}]}}'
since 24 0 'True' get ct mine
expect 0 'scaled' scale ct mine --replicas=3
expect 0 '3' get ct mine -o 'jsonpath={.spec.replicas}'
expect 1 'should be less than or equal to 10' scale ct mine --replicas=30
KUBE_EDITOR='sed -i s/c:3/c:5/' expect 0 'edited' edit ct mine
expect 0 'c:5' get ct mine -o 'jsonpath={.spec.image}'

# A restart.
stop
start up --nodes 1 --data-dir "$dir/data"
expect 0 'c:5' get ct mine -o 'jsonpath={.spec.image}'
expect 0 'crontab.example.com/held created' apply -f "$dir/held.yaml"

# Owners: what a custom resource owns goes with it.
uid=$("$kubectl" get ct mine -o 'jsonpath={.metadata.uid}')
cat >"$dir/owned.yaml" <<YAML
apiVersion: v1
kind: ConfigMap
metadata:
  name: owned
  ownerReferences: [{apiVersion: example.com/v1, kind: CronTab, name: mine, uid: $uid}]
YAML
expect 0 'configmap/owned created' create -f "$dir/owned.yaml"
expect 0 'crontab.example.com "mine" deleted' delete ct mine
for _ in $(seq 200); do
  if ! "$kubectl" get configmap owned >"$dir/out" 2>&1; then break; fi
  sleep 0.1
done
expect 1 'not found' get configmap owned

# Deleting: the definition stays until its last object is gone.
expect 0 'deleted' delete crd crontabs.example.com --wait=false
expect 0 'Terminating' get crd crontabs.example.com -o 'jsonpath={.status.conditions[*].type}'
expect 1 'terminating' create -f "$dir/tab.yaml"
expect 0 'patched' \
  patch crontabs.example.com held --type=merge -p '{"metadata":{"finalizers":null}}'
expect 1 'NotFound' get crd crontabs.example.com
# What kubectl says depends on what it remembers of the server.
expect 1 'resource' get crontabs
expect 0 'created' apply -f "$dir/definition.yaml"
expect 0 'No resources found' get crontabs
stop
report
