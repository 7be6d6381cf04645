// A harness for tests of allocations: slices, classes and claims in YAML, and results as text.
//
//   DeviceWorld world{SliceYaml("s", {.devices = "{name: a}, {name: b}"}), ClassYaml("gpu")};
//   EXPECT_EQ(world.Allocate({ClaimYaml("c", "{name: r, exactly: {deviceClassName: gpu, count:
//   2}}")}),
//             "c: r=a r=b");
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "api/json/yaml.h"
#include "api/object.h"
#include "base/check.h"
#include "base/work_budget.h"
#include "scheduler/devices/allocated_devices.h"
#include "scheduler/devices/allocation.h"
#include "scheduler/devices/pools.h"
#include "scheduler/devices/requests.h"
#include "scheduler/devices/search.h"

namespace berth::scheduler::devices {

struct SliceParts {
  std::string devices = {};  // The inside of a list.
  std::string nodes = "nodeName: 'n'";
  std::string pool = "p";
  std::string driver = "d";
  int64_t generation = 1;
  int64_t count = 1;
  std::string more = {};  // Other fields of the spec.
};

inline std::string SliceYaml(std::string_view name, const SliceParts& parts) {
  return fmt::format(
      "---\n{{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {{name: '{}'}}, spec: "
      "{{driver: '{}', pool: {{name: '{}', generation: {}, resourceSliceCount: {}}}, {}, devices: "
      "[{}]{}}}}}\n",
      name, parts.driver, parts.pool, parts.generation, parts.count, parts.nodes, parts.devices,
      parts.more.empty() ? "" : ", " + parts.more);
}

inline std::string ClassYaml(std::string_view name, std::string_view spec = "") {
  return fmt::format(
      "---\n{{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {{name: '{}'}}, spec: "
      "{{{}}}}}\n",
      name, spec);
}

// `requests` and `more` are the insides of spec.devices.requests and of spec.devices.
inline std::string ClaimYaml(std::string_view name, std::string_view requests,
                             std::string_view more = "", std::string_view status = "") {
  return fmt::format(
      "---\n{{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {{name: '{0}', "
      "namespace: "
      "default, uid: uid-{0}}}, spec: {{devices: {{requests: [{1}]{2}}}}}, status: {{{3}}}}}\n",
      name, requests, more.empty() ? "" : ", " + std::string(more), status);
}

// A request for `count` devices of the class gpu.
inline std::string RequestYaml(std::string_view name, int64_t count = 1,
                               std::string_view more = "") {
  return fmt::format(
      "{{name: {}, exactly: {{deviceClassName: gpu, allocationMode: ExactCount, count: {}{}}}}}",
      name, count, more.empty() ? "" : ", " + std::string(more));
}

inline std::string AllRequestYaml(std::string_view name, std::string_view more = "") {
  return fmt::format("{{name: {}, exactly: {{deviceClassName: gpu, allocationMode: All{}}}}}", name,
                     more.empty() ? "" : ", " + std::string(more));
}

inline std::string Selecting(std::string_view expression) {
  return fmt::format("selectors: [{{cel: {{expression: '{}'}}}}]", expression);
}

class DeviceWorld {
 public:
  explicit DeviceWorld(const Gates& gates = {}) : gates_(gates) {}
  DeviceWorld(std::initializer_list<std::string> yaml) {
    for (const std::string& text : yaml) Add(text);
  }

  void Add(const std::string& yaml) {
    const auto objects = api::DecodeObjects(yaml, "test");
    CHECK(objects.has_value());
    for (const api::Object& object : *objects) {
      if (const auto* slice = std::get_if<api::Ref<api::ResourceSlice>>(&object)) {
        catalog_.Put(*slice);
      } else if (const auto* device_class = std::get_if<api::Ref<api::DeviceClass>>(&object)) {
        classes_[(*device_class)->metadata.name] = *device_class;
      } else if (const auto* claim = std::get_if<api::Ref<api::ResourceClaim>>(&object)) {
        if ((*claim)->status.allocation) allocated_.Add(*(*claim)->status.allocation);
      } else if (const auto* node = std::get_if<api::Ref<api::Node>>(&object)) {
        node_ = **node;
      }
    }
  }

  // Allocates the claims together, on a node `n` unless another was added. Returns for each claim
  // its requests and devices, or why there are none.
  std::string Allocate(const std::vector<std::string>& claims,
                       uint64_t max_work = WorkBudget::kUnlimited) {
    Compile(claims);
    Search(max_work);
    return Text();
  }
  void Compile(const std::vector<std::string>& claims) {
    objects_.clear();
    compiled_.clear();
    for (const std::string& yaml : claims) {
      const auto objects = api::DecodeObjects(yaml, "test");
      CHECK(objects.has_value());
      objects_.push_back(std::get<api::Ref<api::ResourceClaim>>(objects->at(0)));
      compiled_.push_back(CompileClaim(
          std::shared_ptr<const api::ResourceClaimSpec>(objects_.back(), &objects_.back()->spec),
          [this](const std::string& name) {
            const auto found = classes_.find(name);
            return found == classes_.end() ? nullptr : found->second;
          },
          selectors_, gates_));
    }
    pools_ = catalog_.PoolsOf(node_);
  }
  // Allocates the claims that were compiled last.
  void Search(uint64_t max_work) {
    std::vector<const CompiledClaim*> pointers;
    for (const CompiledClaim& claim : compiled_) pointers.push_back(&claim);
    found_ = devices::Search({.pools = pools_,
                              .node = node_,
                              .claims = pointers,
                              .allocated = allocated_,
                              .gates = gates_,
                              .max_work = max_work,
                              .easy_failures = easy_failures_,
                              .memory = memory_})
                 .Run();
  }
  // The last result, as Allocate returns it.
  std::string Text() const {
    switch (found_.kind) {
      case SearchResult::Kind::kFound:
        break;
      case SearchResult::Kind::kNotFound:
        return "not found";
      case SearchResult::Kind::kInvalidPools:
        return "invalid pools";
      case SearchResult::Kind::kTimedOut:
        return "timed out";
      case SearchResult::Kind::kError:
        if (!found_.error.claim) return "error: " + found_.error.text;
        return "error: claim " + objects_[*found_.error.claim]->metadata.name + found_.error.text;
    }
    std::vector<std::string> texts;
    for (size_t i = 0; i < objects_.size(); ++i) {
      std::string text = objects_[i]->metadata.name + ":";
      for (const auto& result : Result(i).results) {
        text += fmt::format(" {}={}", result.request, result.device);
        for (const auto& [name, amount] : result.consumed_capacity)
          text += fmt::format("({} {})", name, amount.ToString());
      }
      texts.push_back(std::move(text));
    }
    return fmt::format("{}", fmt::join(texts, "; "));
  }

  // Failed picks before the search is pruned.
  void set_easy_failures(uint64_t number) { easy_failures_ = number; }

  // Of all searches from now on, which must be for the same claims.
  void set_memory(SearchMemory* memory) { memory_ = memory; }

  // Of the last call of Allocate.
  uint64_t work() const { return found_.work; }
  api::AllocationResult Result(size_t claim) const {
    return MakeAllocation(pools_, found_, claim, compiled_[claim], objects_[claim]->spec,
                          node_.metadata.name, gates_,
                          [](size_t result) { return fmt::format("share-{}", result); });
  }

  SliceCatalog& catalog() { return catalog_; }
  AllocatedDevices& allocated() { return allocated_; }
  SelectorTable& selectors() { return selectors_; }
  const DeviceLooks& looks() const { return looks_; }
  const api::Node& node() const { return node_; }

 private:
  static api::Node NamedNode() {
    api::Node node;
    node.metadata.name = "n";
    return node;
  }

  const Gates gates_ = {};
  SearchMemory* memory_ = nullptr;
  uint64_t easy_failures_ = devices::Search::kEasyFailures;
  api::Node node_ = NamedNode();
  SelectorTable selectors_;
  DeviceLooks looks_{selectors_};
  DeviceNames names_;
  SliceCatalog catalog_{names_, looks_, gates_};
  AllocatedDevices allocated_{names_, gates_.consumable_capacity};
  std::map<std::string, ClassRef> classes_;

  std::vector<api::Ref<api::ResourceClaim>> objects_;
  std::vector<CompiledClaim> compiled_;
  NodePools pools_;
  SearchResult found_;
};

}  // namespace berth::scheduler::devices
