// What `berth why` says about pods besides scheduling: reads what the model does not have, the raw
// JSON of pods and workloads, their events, and what autoscalers are doing.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/json/json.h"
#include "cmd/why_cluster.h"
#include "explain/autoscaler.h"
#include "explain/change.h"
#include "explain/events.h"
#include "explain/pod_explanation.h"
#include "explain/pod_groups.h"
#include "explain/refusal.h"
#include "explain/wording.h"

namespace berth::cmd {

// Reads each thing once, when it is needed. What may not be read is left out.
class WhyOutside {
 public:
  // With `many`, the question is about pods of many names: all events of a namespace are read, not
  // those of one pod. `cluster` must outlive this.
  WhyOutside(WhyCluster& cluster, bool many) : cluster_(cluster), many_(many) {}

  // Replaces the sentence by what decides, if that is not the scheduler: of a pod that has a node
  // or is being deleted, what keeps it from running; of one that fits nowhere, what autoscalers do.
  void AddTo(explain::PodExplanation& pod);

  // Returns what keeps a pod that has a node, or is being deleted, from running.
  std::optional<explain::Sentence> TroubleOf(const api::ObjectKey& pod);

  // Returns why not all pods of the workload were created.
  std::optional<explain::Sentence> NotCreated(const explain::ObjectName& workload);
  // Returns what lets them be created.
  std::vector<explain::Fix> FixesOfNotCreated(const explain::ObjectName& workload);
  // Returns the workloads of which not all pods were created, by namespace and name; of one
  // namespace if it is not empty.
  std::vector<explain::PodGroups::NotCreated> AllNotCreated(const std::string& in_namespace);

 private:
  std::optional<api::JsonObject> Raw(const explain::ObjectName& name);
  std::optional<api::JsonObject> RawPod(const api::ObjectKey& pod);
  // Returns the events about the object, or about a ReplicaSet of the Deployment.
  explain::Events EventsOf(const explain::ObjectName& name);
  const explain::Events& EventsIn(const std::string& namespace_name, const std::string& name);
  explain::AutoscalerFacts FactsFor(const explain::ObjectName& pod);
  std::optional<explain::Refusal> RefusalOf(const explain::ObjectName& workload);
  explain::Sentence SentenceOf(const explain::Refusal& refusal);
  // The workloads that events say pods could not be created for.
  std::vector<explain::ObjectName> Refused(const std::string& in_namespace);

  WhyCluster& cluster_;
  const bool many_;
  std::map<std::string, const api::JsonObject*> named_;  // Of files: by kind and name.
  std::map<std::string, explain::Events> events_;        // By namespace and, unless `many_`, pod.
  std::map<std::string, std::map<std::string, api::JsonObject>> pods_;  // By namespace and name.
  std::optional<std::vector<api::JsonObject>> node_claims_;
};

}  // namespace berth::cmd
