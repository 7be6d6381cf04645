// ObjectMaker makes the objects of operations: in the cluster's API, from templates.
//
// Every so many objects it calls back, so that others can do something meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "api/json/json.h"
#include "api/scheme/scheme.h"
#include "base/random.h"
#include "base/result.h"
#include "benchmark/bench_cluster.h"
#include "benchmark/object_templates.h"
#include "benchmark/operations.h"

namespace berth::benchmark {

class ObjectMaker {
 public:
  // `pause` is called while many objects are made; it returns false to stop that. `cluster` and
  // `templates` must outlive this object.
  ObjectMaker(BenchCluster& cluster, ObjectTemplates& templates, std::function<bool()> pause)
      : cluster_(cluster), templates_(templates), pause_(std::move(pause)) {}

  // `index` is the number of the operation, for names.
  Status MakeNodes(const CreateNodes& nodes, size_t index);
  // Does nothing if it exists.
  Status MakeNamespace(const std::string& name);
  Status MakeNamespaces(const CreateNamespaces& namespaces);
  Status MakePods(const CreatePods& pods, const std::string& namespace_);
  Status MakeAny(const CreateAny& create);
  Status MakeClaims(const CreateResourceClaims& claims);
  // Publishes the devices of a driver on all nodes that match.
  Status MakeDriver(const CreateResourceDriver& driver);
  // Updates object `index` of an operation: the object or the given subresources, then its status.
  Status Update(const UpdateAny& update, int64_t index);

  // Creates the object of a template, in `namespace_` if its kind has one. Returns its name.
  Result<std::string> Make(const TemplateFile& file, const std::string& namespace_);
  // Returns the kind of the template's objects.
  Result<const api::scheme::Kind*> KindOf(const TemplateFile& file);

  // Why an object cannot be made because its kind is not served; empty if all could be.
  const std::string& unserved() const { return unserved_; }

 private:
  Result<std::string> Create(const api::scheme::Kind& kind, std::string_view namespace_,
                             api::Json object);
  // May change the object to the version that is served.
  Result<const api::scheme::Kind*> KindOf(api::Json& object, const std::string& path);
  Status MakeVolume(const CreatePods& pods, const std::string& namespace_, int64_t index);
  // Gives a pod with a priority a class that has it. scheduler_perf's API server takes the priority
  // as it is: it runs without the admission plugin Priority.
  Status MakePriorityClass(api::JsonObject& pod);
  Status MakeCsiNode(const std::string& node, const NodeAllocatableStrategy& strategy);

  BenchCluster& cluster_;
  ObjectTemplates& templates_;
  const std::function<bool()> pause_;
  Random random_{1};
  std::string unserved_;
  uint64_t made_ = 0;
};

}  // namespace berth::benchmark
