// Storage objects as YAML, for tests of the volume plugins. Texts are inserted as they are, in flow
// style; all objects are at resourceVersion 7.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "scheduler/plugins/plugin_testing.h"

namespace berth::scheduler::plugins {

struct StorageParts {
  std::string_view spec = "";
  std::string_view labels = "";
  std::string_view annotations = "";
  std::string_view meta = "";  // Further metadata: "deletionTimestamp: ...".
  std::string_view phase = "";
};

// `spec`, with each of `defaults` ("key: value") that it does not set itself.
inline std::string WithDefaults(std::string_view spec,
                                std::initializer_list<std::string_view> defaults) {
  std::string text(spec);
  for (std::string_view field : defaults) {
    const std::string_view key = field.substr(0, field.find(' '));
    if (spec.find(key) != std::string_view::npos) continue;
    if (!text.empty()) text += ", ";
    text += field;
  }
  return text;
}

inline std::string StorageYaml(std::string_view kind, std::string_view name,
                               const StorageParts& parts) {
  return fmt::format(
      "{{apiVersion: v1, kind: {0}, metadata: {{name: '{1}', uid: uid-of-{1}, resourceVersion: "
      "'7', "
      "labels: {{{2}}}, annotations: {{{3}}}, {4}}}, spec: {{{5}}}, status: {{phase: '{6}'}}}}\n",
      kind, name, parts.labels, parts.annotations, parts.meta, parts.spec, parts.phase);
}

// A PersistentVolume of 10Gi in the class "slow", free to be taken.
inline std::string VolumeYaml(std::string_view name, StorageParts parts = {}) {
  const std::string spec = WithDefaults(
      parts.spec,
      {"accessModes: [ReadWriteOnce]", "capacity: {storage: 10Gi}", "storageClassName: slow"});
  parts.spec = spec;
  if (parts.phase.empty()) parts.phase = "Available";
  return StorageYaml("PersistentVolume", name, parts);
}

// A claim in "default" for 5Gi of the class "slow", bound to nothing.
inline std::string ClaimYaml(std::string_view name, StorageParts parts = {}) {
  const std::string meta = fmt::format("namespace: default, {}", parts.meta);
  const std::string spec =
      WithDefaults(parts.spec, {"accessModes: [ReadWriteOnce]",
                                "resources: {requests: {storage: 5Gi}}", "storageClassName: slow"});
  parts.meta = meta;
  parts.spec = spec;
  if (parts.phase.empty()) parts.phase = "Pending";
  return StorageYaml("PersistentVolumeClaim", name, parts);
}

inline std::string BoundClaimYaml(std::string_view name, std::string_view volume) {
  const std::string spec = fmt::format("volumeName: {}", volume);
  return ClaimYaml(
      name,
      {.spec = spec, .annotations = "pv.kubernetes.io/bind-completed: 'yes'", .phase = "Bound"});
}

inline std::string ClassYaml(
    std::string_view name,
    std::string_view fields = "provisioner: csi.test, volumeBindingMode: WaitForFirstConsumer") {
  return fmt::format(
      "{{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {{name: {}}}, {}}}\n", name,
      fields);
}

// A pod whose volumes are the claims with these names.
inline std::string PodWithClaims(std::string_view name, std::initializer_list<const char*> claims,
                                 std::string_view more_spec = "") {
  std::string volumes;
  for (const char* claim : claims) {
    volumes += fmt::format("{{name: '{0}', persistentVolumeClaim: {{claimName: '{0}'}}}}, ", claim);
  }
  const std::string spec = fmt::format("volumes: [{}], {}", volumes, more_spec);
  return PodYaml(name, {.spec = spec});
}

// A pod with one volume, given as a source: "iscsi: {...}".
inline std::string PodWithVolume(std::string_view name, std::string_view source,
                                 std::string_view more_spec = "") {
  const std::string spec = fmt::format("volumes: [{{name: v, {}}}], {}", source, more_spec);
  return PodYaml(name, {.spec = spec});
}

inline std::string OnNode(std::string_view node) { return fmt::format("nodeName: {}", node); }

// The result of the filter of `plugin` for `pod`; see PluginHarness::Filter.
inline std::string FilterBy(std::string_view plugin, TestCluster& world, const std::string& pod) {
  return PluginHarness(world, MakePlugin(plugin), pod).Filter();
}

}  // namespace berth::scheduler::plugins
