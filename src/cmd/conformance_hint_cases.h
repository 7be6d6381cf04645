// Runs the cases about queueing hints: which events each plugin wants to hear of, and whether one
// may help a pod that the plugin rejected.
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

  // A row of queueinghints.jsonl: the cluster that later rows are about, what a plugin of the
  // default profile registers for, or an event and what the plugin must say of it. Fails if the row
  // is not as the format says.
  Result<Differences> Run(JsonFields::Value row);

 private:
  Result<Differences> TakeObjects(JsonFields::Value row);
  Result<Differences> CheckRegistration(JsonFields::Value row);
  Result<Differences> CheckHint(JsonFields::Value row);
  // The plugin that the row names.
  Result<const scheduler::framework::Plugin*> FindPlugin(JsonFields::Value row);

  const scheduler::framework::Registry& registry_;
  std::unique_ptr<scheduler::framework::Profile> profile_;  // Made when first needed.
  std::unique_ptr<scheduler::model::Cluster> cluster_ =
      std::make_unique<scheduler::model::Cluster>();
};

}  // namespace berth::cmd
