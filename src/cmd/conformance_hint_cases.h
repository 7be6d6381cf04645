// Runs the conformance cases of queueing hints: the events each plugin registers, and its
// QueueingHint for a pod that it rejected.
#pragma once

#include <memory>

#include "base/result.h"
#include "cmd/conformance_comparison.h"
#include "cmd/conformance_file.h"
#include "scheduler/framework/profile.h"
#include "scheduler/framework/registry.h"
#include "scheduler/model/cluster.h"

namespace berth::cmd {

class HintCases {
 public:
  explicit HintCases(const scheduler::framework::Registry& registry) : registry_(registry) {}

  // Runs a row of queueinghints.jsonl: the cluster of the rows that follow, an event registration
  // of a plugin in the default profile, or a QueueingHint. Fails if the row does not have the
  // documented format.
  Result<Differences> Run(JsonFields::Value row);

 private:
  Result<Differences> ReadObjects(JsonFields::Value row);
  Result<Differences> CheckRegistration(JsonFields::Value row);
  Result<Differences> CheckHint(JsonFields::Value row);
  // Returns the plugin that the row names.
  Result<const scheduler::framework::Plugin*> FindPlugin(JsonFields::Value row);

  const scheduler::framework::Registry& registry_;
  std::unique_ptr<scheduler::framework::Profile> profile_;  // Built on first use.
  std::unique_ptr<scheduler::model::Cluster> cluster_ =
      std::make_unique<scheduler::model::Cluster>();
};

}  // namespace berth::cmd
