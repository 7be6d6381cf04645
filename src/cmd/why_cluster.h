// The cluster that `berth why` explains, as an engine that has seen all of its objects: a live one,
// or that of files.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "api/json/json.h"
#include "api/object.h"
#include "base/result.h"
#include "base/time.h"
#include "cmd/live_cluster.h"
#include "explain/refusal.h"
#include "scheduler/engine/engine.h"
#include "scheduler/framework/registry.h"
#include "scheduler/model/features.h"

namespace berth::cmd {

struct WhySource {
  std::vector<std::string> files;  // Instead of a live cluster.
  std::string kubeconfig;          // Empty: $KUBECONFIG, else ~/.kube/config, else in-cluster.
  std::string context;
  std::string namespace_;  // Empty: that of the context.
  std::string config_file;
  std::vector<std::string> feature_gates;
};

class WhyCluster {
 public:
  // Reads everything. Prints notes, and the progress on a terminal, to standard error.
  static Result<std::unique_ptr<WhyCluster>> Read(const WhySource& source,
                                                  const scheduler::framework::Registry& registry);

  scheduler::engine::Engine& engine() { return *engine_; }
  const std::string& profile() const { return profile_; }  // The first scheduler name.
  const std::string& namespace_name() const { return namespace_; }
  Instant now() const { return now_; }
  const std::vector<LeftOut>& left_out() const { return left_out_; }

  // Returns the pod; the error says that there is none, and which one may be meant.
  Result<api::Ref<api::Pod>> FindPod(const std::string& name);
  // Returns the pods of the workload, by name. The error says that there are none.
  Result<std::vector<api::Ref<api::Pod>>> PodsOf(const std::string& kind,
                                                 const std::string& api_version,
                                                 const std::string& name);
  // Returns all pods without a node that are not being deleted, by namespace and name; of one
  // namespace if it is not empty.
  std::vector<api::Ref<api::Pod>> Pending(const std::string& in_namespace) const;
  // Returns all pods of a namespace, by name.
  std::vector<api::Ref<api::Pod>> PodsIn(const std::string& namespace_name) const;

  LiveCluster* live() { return live_.get(); }  // Null for files.
  // Of files: all objects as they are there, of kinds that the model does not read, too.
  const std::vector<api::JsonObject>& raw() const { return raw_; }
  // Of files: pods that would not be created.
  const std::vector<explain::Refusal>& refusals() const { return refusals_; }

 private:
  WhyCluster() = default;

  Status MakeEngine(const WhySource& source, const scheduler::framework::Registry& registry);
  Status ReadFiles(const WhySource& source);
  Status ReadRaw(const std::vector<std::string>& files);
  Status ReadLive(const WhySource& source);
  void Deliver(const std::vector<api::Object>& objects);

  scheduler::model::Features features_;
  std::unique_ptr<scheduler::engine::Engine> engine_;
  std::unique_ptr<LiveCluster> live_;  // Null for files.
  std::string profile_;
  std::string namespace_;
  Instant now_;
  std::vector<LeftOut> left_out_;
  std::vector<api::JsonObject> raw_;
  std::vector<explain::Refusal> refusals_;
  std::map<api::ObjectKey, api::Ref<api::Pod>> finished_;  // Of files: the model has none of them.
};

}  // namespace berth::cmd
