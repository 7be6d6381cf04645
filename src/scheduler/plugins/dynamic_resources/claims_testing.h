// A pod with claims on a node with devices, for tests of what DynamicResources writes.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/object.h"
#include "scheduler/framework/post_filter.h"
#include "scheduler/model/device_model.h"
#include "scheduler/plugins/binding_testing.h"
#include "scheduler/plugins/dynamic_resources/claim_state.h"
#include "scheduler/plugins/plugin_testing.h"

namespace berth::scheduler::plugins {

inline std::string GpuClassYaml(std::string_view extended_resource = "") {
  return fmt::format(
      "{{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {{name: gpu}}, spec: "
      "{{{}}}}}",
      extended_resource.empty() ? "" : fmt::format("extendedResourceName: {}", extended_resource));
}

// `device` continues each of the devices gpu-0 and gpu-1: ", bindingConditions: [Attached]".
inline std::string GpuSliceYaml(std::string_view node, std::string_view device = "") {
  return fmt::format(
      "{{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {{name: gpus-of-{0}}}, "
      "spec: {{driver: gpu.example.com, nodeName: {0}, pool: {{name: {0}, generation: 1, "
      "resourceSliceCount: 1}}, devices: [{{name: gpu-0{1}}}, {{name: gpu-1{1}}}]}}}}",
      node, device);
}

// A claim for one device.
inline std::string GpuClaimYaml(std::string_view name, int version = 1,
                                std::string_view more_metadata = "", std::string_view status = "") {
  return fmt::format(
      "{{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {{name: {0}, namespace: "
      "default, uid: uid-of-{0}, resourceVersion: '{1}'{2}}}, spec: {{devices: {{requests: "
      "[{{name: one, exactly: {{deviceClassName: gpu, allocationMode: ExactCount, count: "
      "1}}}}]}}}}, "
      "status: {{{3}}}}}",
      name, version, more_metadata, status);
}

inline std::string AllocatedStatus(std::string_view device, std::string_view more = "") {
  return fmt::format(
      "allocation: {{devices: {{results: [{{request: one, driver: gpu.example.com, pool: a, "
      "device: {}}}]}}}}{}",
      device, more);
}

inline std::string PodWithGpus(const std::vector<std::string>& claims) {
  std::string list;
  for (const std::string& claim : claims)
    list += fmt::format("{{name: {0}, resourceClaimName: {0}}}, ", claim);
  return PodYaml("web", {.spec = fmt::format("resourceClaims: [{}]", list)});
}

// The pod "web" on the node "a", which has two devices.
class ClaimsTest : public testing::Test {
 protected:
  static constexpr const char* kPlugin = "DynamicResources";
  using Kind = framework::WriteResult::Kind;

  ClaimsTest() : world_{NodeYaml("a"), GpuClassYaml(), GpuSliceYaml("a")} {}

  // Runs the filters and reserves node "a".
  void Reserve(const std::string& pod) {
    trial_ = std::make_unique<PluginHarness>(world_, MakePlugin(kPlugin), pod);
    trial_->cycle().set_background(&background_);
    ASSERT_EQ(trial_->Filter(), "1");
    ASSERT_EQ(Text(trial_->As<framework::ReservePlugin>().Reserve(trial_->cycle(), node())),
              "Success");
  }
  void StartPreBind() {
    binding_ = std::make_unique<ManualBinding>(trial_->cycle(), node());
    task_.emplace(trial_->As<framework::PreBindPlugin>().PreBind(*binding_));
    task_->Start();
  }
  // Reserves the node for a pod with the claim "c", and starts to bind it.
  void Bind() {
    Reserve(PodWithGpus({"c"}));
    StartPreBind();
  }
  // What the task ended with; "waiting" if it has not.
  std::string Outcome() const { return task_->done() ? Text(task_->result()) : "waiting"; }
  void Unreserve() { trial_->As<framework::ReservePlugin>().Unreserve(trial_->cycle(), node()); }

  model::NodeRow node() const { return world_.node("a"); }
  model::Devices& devices() { return world_.cluster().mutable_devices(); }
  model::ClaimRef Claim(const std::string& name = "c") {
    return devices().FindClaim({"default", name});
  }
  // Stores the claim: the API shows it, and so does the model.
  void Show(const model::ClaimRef& claim) { world_.Add(api::Object(claim)); }

  // The claim of the last write that has one.
  model::ClaimRef Written() const { return ClaimOf(binding_->writes.back()); }
  static model::ClaimRef ClaimOf(const framework::ApiWrite& write) {
    if (const auto* create = std::get_if<framework::CreateResourceClaim>(&write))
      return create->object;
    if (const auto* update = std::get_if<framework::UpdateResourceClaim>(&write))
      return update->object;
    if (const auto* status = std::get_if<framework::UpdateResourceClaimStatus>(&write))
      return status->object;
    return nullptr;
  }

  // The result of a write that the API accepts: the claim has the next version.
  static framework::WriteResult Accepted(const model::ClaimRef& claim) {
    auto stored = std::make_shared<api::ResourceClaim>(*claim);
    stored->metadata.resource_version =
        std::to_string(api::ParseInt(claim->metadata.resource_version).value_or(0) + 1);
    framework::WriteResult result;
    result.claim = std::move(stored);
    return result;
  }
  void Accept() { binding_->Complete(Accepted(Written())); }
  static framework::WriteResult Conflict() { return {Kind::kConflict, "it was modified"}; }
  static framework::WriteResult Unknown() {
    framework::WriteResult result{Kind::kTimeout, "no response"};
    result.may_have_happened = true;
    return result;
  }
  static framework::WriteResult Holding(model::ClaimRef claim) {
    framework::WriteResult result;
    result.claim = std::move(claim);
    return result;
  }

  // One word per write: "create", "get", "put", "status", "unreserve", "delete", "pod".
  static std::string Names(const std::vector<framework::ApiWrite>& writes) {
    std::string text;
    for (const framework::ApiWrite& write : writes) {
      text += text.empty() ? "" : " ";
      if (std::holds_alternative<framework::CreateResourceClaim>(write)) text += "create";
      if (std::holds_alternative<framework::GetResourceClaim>(write)) text += "get";
      if (std::holds_alternative<framework::UpdateResourceClaim>(write)) text += "put";
      if (std::holds_alternative<framework::UpdateResourceClaimStatus>(write)) text += "status";
      if (std::holds_alternative<framework::UnreserveResourceClaim>(write)) text += "unreserve";
      if (std::holds_alternative<framework::DeleteResourceClaim>(write)) text += "delete";
      if (std::holds_alternative<framework::PatchPodStatus>(write)) text += "pod";
    }
    return text;
  }
  std::string Writes() const { return Names(binding_->writes); }
  // "gpu-0 for uid-of-web uid-of-other".
  static std::string StatusOf(const api::ResourceClaim& claim) {
    std::string text;
    if (claim.status.allocation) {
      for (const auto& result : claim.status.allocation->results) text += result.device + " ";
    }
    text += "for";
    for (const auto& user : claim.status.reserved_for) text += " " + user.uid;
    return text;
  }

  TestCluster world_;
  ManualBackground background_;
  std::unique_ptr<PluginHarness> trial_;
  std::unique_ptr<ManualBinding> binding_;
  std::optional<Task<framework::Verdict>> task_;
};

}  // namespace berth::scheduler::plugins
