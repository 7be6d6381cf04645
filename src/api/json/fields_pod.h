// The JSON names of the fields of pods, their volumes and their groups; see fields.h.
#pragma once

#include "api/group_condition.h"
#include "api/json/fields.h"
#include "api/pod.h"
#include "api/pod_group.h"
#include "api/volume.h"

namespace berth::api {

void Fields(auto& v, Like<PersistentVolumeClaimSource> auto& t) {
  v.Required("claimName", t.claim_name);
  v("readOnly", t.read_only);
}

void Fields(auto&, Like<EphemeralSource> auto&) {}

void Fields(auto& v, Like<CsiInlineSource> auto& t) { v.Required("driver", t.driver); }

void Fields(auto& v, Like<ImageSource> auto& t) { v("reference", t.reference); }

void Fields(auto& v, Like<GcePersistentDiskSource> auto& t) {
  v.Required("pdName", t.pd_name);
  v("readOnly", t.read_only);
}

void Fields(auto& v, Like<AwsElasticBlockStoreSource> auto& t) {
  v.Required("volumeID", t.volume_id);
  v("readOnly", t.read_only);
}

void Fields(auto& v, Like<RbdSource> auto& t) {
  v.Required("monitors", t.monitors);
  v("pool", t.pool);
  v.Required("image", t.image);
  v("readOnly", t.read_only);
}

// The API server's default.
inline void ApplyDefaults(RbdSource& t) {
  if (t.pool.empty()) t.pool = "rbd";
}

void Fields(auto& v, Like<IscsiSource> auto& t) {
  v.Required("targetPortal", t.target_portal);
  v.Required("iqn", t.iqn);
  v.Required("lun", t.lun);
  v("readOnly", t.read_only);
}

void Fields(auto& v, Like<AzureDiskSource> auto& t) {
  v.Required("diskName", t.disk_name);
  v.Required("diskURI", t.disk_uri);
  v("kind", t.kind);
}

void Fields(auto& v, Like<AzureFileSource> auto& t) {
  v.Required("secretName", t.secret_name);
  v("secretNamespace", t.secret_namespace);
  v.Required("shareName", t.share_name);
}

void Fields(auto& v, Like<CinderSource> auto& t) { v.Required("volumeID", t.volume_id); }

void Fields(auto& v, Like<VsphereSource> auto& t) { v.Required("volumePath", t.volume_path); }

void Fields(auto& v, Like<PortworxSource> auto& t) { v.Required("volumeID", t.volume_id); }

void Fields(auto& v, Like<Volume> auto& t) {
  v.Required("name", t.name);
  v.Alternative("persistentVolumeClaim", t.source, As<PersistentVolumeClaimSource>());
  v.Alternative("ephemeral", t.source, As<EphemeralSource>());
  v.Alternative("csi", t.source, As<CsiInlineSource>());
  v.Alternative("image", t.source, As<ImageSource>());
  v.Alternative("gcePersistentDisk", t.source, As<GcePersistentDiskSource>());
  v.Alternative("awsElasticBlockStore", t.source, As<AwsElasticBlockStoreSource>());
  v.Alternative("rbd", t.source, As<RbdSource>());
  v.Alternative("iscsi", t.source, As<IscsiSource>());
  v.Alternative("azureDisk", t.source, As<AzureDiskSource>());
  v.Alternative("azureFile", t.source, As<AzureFileSource>());
  v.Alternative("cinder", t.source, As<CinderSource>());
  v.Alternative("vsphereVolume", t.source, As<VsphereSource>());
  v.Alternative("portworxVolume", t.source, As<PortworxSource>());
}

void Fields(auto& v, Like<ResourceRequirements> auto& t) {
  v("limits", t.limits);
  v("requests", t.requests);
}

void Fields(auto& v, Like<ContainerPort> auto& t) {
  v.Required("containerPort", t.container_port);
  v("hostPort", t.host_port);
  v("hostIP", t.host_ip);
  v("protocol", t.protocol);
}

void Fields(auto& v, Like<Container> auto& t) {
  v.Required("name", t.name);
  v("image", t.image);
  v.Required("resources", t.resources);
  v("ports", t.ports);
  v("restartPolicy", t.restart_policy);
  v.Names("restartPolicyRules", "action", t.restart_policy_rule_actions);
}

void Fields(auto& v, Like<PodAffinityTerm> auto& t) {
  v("labelSelector", t.label_selector);
  v("namespaces", t.namespaces);
  v("namespaceSelector", t.namespace_selector);
  v.Required("topologyKey", t.topology_key);
  v("matchLabelKeys", t.match_label_keys);
  v("mismatchLabelKeys", t.mismatch_label_keys);
}

void Fields(auto& v, Like<WeightedPodAffinityTerm> auto& t) {
  v.Required("weight", t.weight);
  v.Required("podAffinityTerm", t.term);
}

void Fields(auto& v, Like<PodAffinity> auto& t) {
  v("requiredDuringSchedulingIgnoredDuringExecution", t.required);
  v("preferredDuringSchedulingIgnoredDuringExecution", t.preferred);
}

void Fields(auto& v, Like<Affinity> auto& t) {
  v("nodeAffinity", t.node_affinity);
  v("podAffinity", t.pod_affinity);
  v("podAntiAffinity", t.pod_anti_affinity);
}

void Fields(auto& v, Like<Toleration> auto& t) {
  v("key", t.key);
  v("operator", t.op);
  v("value", t.value);
  v("effect", t.effect);
  v("tolerationSeconds", t.toleration_seconds);
}

void Fields(auto& v, Like<TopologySpreadConstraint> auto& t) {
  v.Required("maxSkew", t.max_skew);
  v.Required("topologyKey", t.topology_key);
  v.Required("whenUnsatisfiable", t.when_unsatisfiable);
  v("labelSelector", t.label_selector);
  v("minDomains", t.min_domains);
  v("nodeAffinityPolicy", t.node_affinity_policy);
  v("nodeTaintsPolicy", t.node_taints_policy);
  v("matchLabelKeys", t.match_label_keys);
}

void Fields(auto& v, Like<PodResourceClaim> auto& t) {
  v.Required("name", t.name);
  v("resourceClaimName", t.resource_claim_name);
  v("resourceClaimTemplateName", t.resource_claim_template_name);
}

void Fields(auto& v, Like<PodSpec> auto& t) {
  v("nodeName", t.node_name);
  v("schedulerName", t.scheduler_name);
  v("priority", t.priority);
  v("priorityClassName", t.priority_class_name);
  v("preemptionPolicy", t.preemption_policy);
  v("initContainers", t.init_containers);
  v.Required("containers", t.containers);
  v("resources", t.resources);
  v("overhead", t.overhead);
  v("nodeSelector", t.node_selector);
  v("affinity", t.affinity);
  v("tolerations", t.tolerations);
  v("topologySpreadConstraints", t.topology_spread_constraints);
  v.Names("schedulingGates", "name", t.scheduling_gates);
  v("volumes", t.volumes);
  v("resourceClaims", t.resource_claims);
  v("hostNetwork", t.host_network);
  v("hostUsers", t.host_users);
  v("terminationGracePeriodSeconds", t.termination_grace_period_seconds);
  v.Wrapped("schedulingGroup", "podGroupName", t.pod_group_name);
}

void Fields(auto& v, Like<PodCondition> auto& t) {
  v.Required("type", t.type);
  v.Required("status", t.status);
  v("reason", t.reason);
  v("message", t.message);
  v("lastTransitionTime", t.last_transition_time);
  v("observedGeneration", t.observed_generation);
}

void Fields(auto& v, Like<ContainerStatus> auto& t) {
  v.Required("name", t.name);
  v("resources", t.resources);
  v("allocatedResources", t.allocated_resources);
}

void Fields(auto& v, Like<PodResourceClaimStatus> auto& t) {
  v.Required("name", t.name);
  v("resourceClaimName", t.resource_claim_name);
}

void Fields(auto& v, Like<ContainerExtendedResourceRequest> auto& t) {
  v.Required("containerName", t.container_name);
  v.Required("resourceName", t.resource_name);
  v.Required("requestName", t.request_name);
}

void Fields(auto& v, Like<PodExtendedResourceClaimStatus> auto& t) {
  v.Required("requestMappings", t.request_mappings);
  v.Required("resourceClaimName", t.resource_claim_name);
}

void Fields(auto& v, Like<PodStatus> auto& t) {
  v("phase", t.phase);
  v("nominatedNodeName", t.nominated_node_name);
  v("startTime", t.start_time);
  v("conditions", t.conditions);
  v("containerStatuses", t.container_statuses);
  v("initContainerStatuses", t.init_container_statuses);
  v("resources", t.resources);
  v("allocatedResources", t.allocated_resources);
  v("resourceClaimStatuses", t.resource_claim_statuses);
  v("extendedResourceClaimStatus", t.extended_resource_claim_status);
}

void Fields(auto& v, Like<Pod> auto& t) {
  v.Required("metadata", t.metadata);
  v.Required("spec", t.spec);
  v.Required("status", t.status);
}

void Fields(auto& v, Like<PodGroup> auto& t) {
  v.Required("metadata", t.metadata);
  v.Group("spec", [&](auto& spec) {
    spec.Group("schedulingPolicy",
               [&](auto& policy) { policy.Wrapped("gang", "minCount", t.min_count); });
    spec.Group("schedulingConstraints",
               [&](auto& constraints) { constraints.Names("topology", "key", t.topology_keys); });
    spec.Choice("disruptionMode", t.disruption_mode);
    spec("priorityClassName", t.priority_class_name);
    spec("priority", t.priority_value);
    spec("minMember", t.min_member);
  });
  v.Group("status", [&](auto& status) { status("conditions", t.conditions); });
}

// Names of v1beta1 become those of v1alpha2.
inline void ApplyDefaults(PodGroup& t) {
  if (t.disruption_mode == "single") t.disruption_mode = "Pod";
  if (t.disruption_mode == "all") t.disruption_mode = "PodGroup";
  for (PodCondition& condition : t.conditions) {
    if (condition.type == kGroupInitiallyScheduled) condition.type = kGroupScheduled;
  }
}

}  // namespace berth::api
