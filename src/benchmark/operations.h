// The operations of a workload, with all parameters resolved: what scheduler_perf's opcodes do.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "api/meta.h"
#include "base/time.h"
#include "benchmark/go_template.h"

namespace berth::benchmark {

// An object template, a file with Go template actions, and what its actions read besides .Index and
// .Count.
struct TemplateFile {
  std::string path;  // Relative to the file of the workload.
  TemplateValues values = {};
};

struct NodeAllocatableStrategy {
  std::map<std::string, std::string> node_allocatable;        // Quantities by resource.
  std::map<std::string, std::optional<int64_t>> csi_drivers;  // Volumes per driver.
  std::vector<std::string> migrated_plugins;
};
struct LabelNodeStrategy {
  std::string key;
  std::vector<std::string> values;  // Taken in turn.
};
struct UniqueLabelStrategy {
  std::string key;
};

struct CreateNodes {
  int64_t count = 0;
  std::optional<TemplateFile> node;
  std::variant<std::monostate, NodeAllocatableStrategy, LabelNodeStrategy, UniqueLabelStrategy>
      strategy;
};
struct CreateNamespaces {
  std::string prefix;
  int64_t count = 0;
  std::optional<TemplateFile> object;
};
struct CreatePods {
  int64_t count = 0;
  bool steady_state = false;  // Pods are deleted when all are scheduled, and created again.
  Duration duration;          // Of the steady state.
  bool collect_metrics = false;
  std::optional<std::string> namespace_;
  std::optional<TemplateFile> pod;
  bool skip_wait = false;
  std::optional<TemplateFile> volume;
  std::optional<TemplateFile> volume_claim;
  // With a template, pods get a label "signature", which so many in a row share; 0: no label.
  int64_t signature_batch = 0;
};
struct DeletePods {
  std::string namespace_;
  api::StringMap labels;
  bool skip_wait = false;
  int64_t per_second = 0;  // 0: all at once.
};
struct Churn {
  bool recreate = false;
  int64_t number = 0;  // 0: no limit.
  Duration interval;
  std::optional<std::string> namespace_;
  std::vector<TemplateFile> objects;
};
struct Barrier {
  std::vector<std::string> namespaces;  // Empty: all.
  api::StringMap labels;
  bool attempted = false;  // Waits for an attempt only.
};
struct Sleep {
  Duration duration;
};
struct StartCollecting {
  std::string name;
  std::vector<std::string> namespaces;
  api::StringMap labels;
};
struct StopCollecting {};
struct CreateAny {
  std::string namespace_;
  TemplateFile object;
  int64_t count = 1;
};
struct UpdateAny {
  std::string namespace_;
  TemplateFile object;
  int64_t count = 1;
  int64_t per_second = 0;  // 0: all at once.
  std::vector<std::string> subresources;
};
struct CreateResourceClaims {
  std::string namespace_;
  TemplateFile object;
  int64_t count = 0;
};
struct CreateResourceDriver {
  std::string driver;
  std::string nodes;  // A glob pattern of names.
  int64_t claims_per_node = 0;
};
struct AllocResourceClaims {
  std::string namespace_;  // Empty: all.
};
// Profiles of kube-scheduler: nothing to do.
struct Ignored {};

using Operation =
    std::variant<CreateNodes, CreateNamespaces, CreatePods, DeletePods, Churn, Barrier, Sleep,
                 StartCollecting, StopCollecting, CreateAny, UpdateAny, CreateResourceClaims,
                 CreateResourceDriver, AllocResourceClaims, Ignored>;

}  // namespace berth::benchmark
