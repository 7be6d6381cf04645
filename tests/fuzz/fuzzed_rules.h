// CheckRules runs arbitrary numbers through filters, scores and preemption: quantities of nodes and
// pods, sizes of images, weights and skews. No score is invalid, and every decision equals that of
// the reference implementation, while pods come and go.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/node.h"
#include "api/object.h"
#include "api/pod.h"
#include "api/quantity.h"
#include "base/check.h"
#include "fuzzed_engine.h"
#include "scheduler/framework/in_tree_plugin_args.h"

namespace berth {

class FuzzedNumbers {
 public:
  FuzzedNumbers(const uint8_t* data, size_t size) : data_(data), size_(size) {}

  bool done() const { return size_ == 0; }

  template <typename T>
  T Number() {
    T number = 0;
    const size_t taken = std::min(sizeof(T), size_);
    std::memcpy(&number, data_, taken);
    data_ += taken;
    size_ -= taken;
    return number;
  }
  bool Flag() { return Number<uint8_t>() % 2 != 0; }

  // Mostly a number of few bytes, so that quantities meet.
  int64_t Amount() {
    switch (Number<uint8_t>() % 4) {
      case 0:
        return Number<int64_t>();
      case 1:
        return INT64_MAX - Number<uint8_t>();
      default:
        return Number<int8_t>();
    }
  }
  api::Quantity Quantity() {
    static constexpr std::string_view kSuffixes[] = {"",   "n",  "u",  "m",   "k",  "M",  "G",
                                                     "T",  "P",  "E",  "Ki",  "Mi", "Gi", "Ti",
                                                     "Pi", "Ei", "e3", "e30", "e-7"};
    const std::string_view suffix = kSuffixes[Number<uint8_t>() % std::size(kSuffixes)];
    return api::Quantity::Parse(fmt::format("{}{}", Amount(), suffix)).value_or(api::Quantity());
  }
  api::ResourceList Resources() {
    api::ResourceList list;
    const auto which = Number<uint8_t>();
    constexpr const char* kNames[] = {"cpu", "memory", "ephemeral-storage", "example.com/gpu"};
    for (size_t i = 0; i < std::size(kNames); ++i) {
      if ((which >> i) & 1) list[kNames[i]] = Quantity();
    }
    return list;
  }

 private:
  const uint8_t* data_;
  size_t size_;
};

inline constexpr const char* kFuzzedZone = "topology.kubernetes.io/zone";
inline constexpr int kFuzzedNodes = 3;

inline api::Node FuzzedNode(int index, FuzzedNumbers& input) {
  api::Node node;
  node.metadata.name = fmt::format("n{}", index);
  node.metadata.labels = {{"kubernetes.io/hostname", node.metadata.name},
                          {kFuzzedZone, index == 0 ? "a" : "b"}};
  node.status.allocatable = input.Resources();
  node.status.allocatable["pods"] = input.Flag() ? input.Quantity() : api::Quantity::FromValue(9);
  node.status.images.push_back({{"app:1"}, input.Amount()});
  node.status.images.push_back({{"app:2"}, input.Amount()});
  return node;
}

inline api::PodAffinityTerm FuzzedTerm(const char* app) {
  api::PodAffinityTerm term;
  term.label_selector.emplace().match_labels = {{"app", app}};
  term.topology_key = kFuzzedZone;
  return term;
}

inline void AddFuzzedPreferences(api::Pod& pod, FuzzedNumbers& input) {
  auto& affinity = pod.spec.affinity.emplace();
  affinity.pod_affinity.emplace().preferred.push_back({input.Number<int32_t>(), FuzzedTerm("web")});
  affinity.pod_anti_affinity.emplace().preferred.push_back(
      {input.Number<int32_t>(), FuzzedTerm("db")});
  affinity.node_affinity.emplace().preferred.push_back(
      {input.Number<int32_t>(), {{{kFuzzedZone, "In", {"a"}}}, {}}});
  api::TopologySpreadConstraint spread;
  spread.max_skew = input.Number<int32_t>();
  spread.min_domains = input.Number<int32_t>();
  spread.topology_key = kFuzzedZone;
  spread.when_unsatisfiable = input.Flag() ? "DoNotSchedule" : "ScheduleAnyway";
  spread.label_selector.emplace().match_labels = {{"app", "web"}};
  pod.spec.topology_spread_constraints.push_back(std::move(spread));
}

inline api::Pod FuzzedPod(int index, FuzzedNumbers& input) {
  api::Pod pod;
  pod.metadata.name = fmt::format("p{}", index);
  pod.metadata.uid = pod.metadata.name;
  pod.metadata.namespace_ = "default";
  pod.metadata.labels = {{"app", input.Flag() ? "web" : "db"}};
  pod.spec.scheduler_name = "default-scheduler";
  pod.spec.priority = input.Number<int32_t>();
  const auto shape = input.Number<uint8_t>();
  if (shape & 1) pod.spec.node_name = fmt::format("n{}", input.Number<uint8_t>() % kFuzzedNodes);
  for (int i = 0; i < 1 + (shape >> 1) % 3; ++i) {
    api::Container& container = pod.spec.containers.emplace_back();
    container.name = fmt::format("c{}", i);
    container.image = fmt::format("app:{}", i);
    container.resources.requests = input.Resources();
  }
  if (shape & 8) {
    api::Container& container = pod.spec.init_containers.emplace_back();
    container.name = "init";
    container.resources.requests = input.Resources();
  }
  if (shape & 16) pod.spec.overhead = input.Resources();
  if (shape & 32) pod.spec.resources.emplace().requests = input.Resources();
  if (shape & 64) AddFuzzedPreferences(pod, input);
  return pod;
}

inline scheduler::framework::ProfileConfig FuzzedProfile(FuzzedNumbers& input) {
  auto profile = FuzzedEngine::DefaultProfile();
  scheduler::framework::NodeResourcesFitArgs fit;
  fit.scoring_strategy.resources = {{"cpu", 1}, {"memory", 100}, {"example.com/gpu", 3}};
  switch (input.Number<uint8_t>() % 3) {
    case 0:
      fit.scoring_strategy.type = "MostAllocated";
      break;
    case 1:
      fit.scoring_strategy.type = "RequestedToCapacityRatio";
      fit.scoring_strategy.shape = {{0, 10}, {50, 2}, {100, 7}};
      break;
    default:
      break;
  }
  profile.args.insert_or_assign("NodeResourcesFit", fit);
  return profile;
}

inline void CheckRules(const uint8_t* data, size_t size) {
  if (size > 4096) return;
  FuzzedNumbers input(data, size);
  FuzzedEngine engine(FuzzedProfile(input));
  for (int i = 0; i < kFuzzedNodes; ++i) engine.Put(FuzzedNode(i, input));
  std::vector<api::Object> pods;
  for (int i = 0; !input.done() && i < 40; ++i) {
    if (input.Number<uint8_t>() % 5 == 0 && !pods.empty()) {
      engine.Delete(pods.back());
      pods.pop_back();
    } else {
      pods.emplace_back(std::make_shared<const api::Pod>(FuzzedPod(i, input)));
      engine.Put(pods.back());
    }
    engine.Schedule();
  }
  // Each decision was compared with the reference implementation's already.
  CHECK(engine.errors().empty());
  for (const api::Object& pod : pods) engine.Delete(pod);
  engine.cluster().nodes().present().ForEach([&](size_t row) {
    const auto& columns = engine.cluster().nodes().columns();
    CHECK(columns.requested_cpu[row] == 0 && columns.requested_memory[row] == 0);
    CHECK(columns.nonzero_cpu[row] == 0 && columns.nonzero_memory[row] == 0);
    for (auto id : columns.listed) CHECK(columns.scalar(id)->requested[row] == 0);
  });
}

}  // namespace berth
