// Runs the cases about queueing hints: which events each plugin wants to hear of, and whether one
// may help a pod that the plugin rejected.
#pragma once

#include <memory>

#include "base/result.h"
#include "cluster/cluster.h"
#include "cmd/comparison.h"
#include "cmd/json_fields.h"
#include "framework/profile.h"
#include "framework/registry.h"

namespace berth {

class HintCases {
 public:
  explicit HintCases(const Registry& registry) : registry_(registry) {}

  // A row of queueinghints.jsonl: the cluster that later rows are about, what a plugin of the
  // default profile registers for, or an event and what the plugin must say of it. Fails if the row
  // is not as the format says.
  Result<Differences> Run(JsonFields::Value row);

 private:
  Result<Differences> TakeObjects(JsonFields::Value row);
  Result<Differences> CheckRegistration(JsonFields::Value row);
  Result<Differences> CheckHint(JsonFields::Value row);
  // The plugin that the row names.
  Result<const Plugin*> FindPlugin(JsonFields::Value row);

  const Registry& registry_;
  std::unique_ptr<Profile> profile_;  // Made when first needed.
  std::unique_ptr<Cluster> cluster_ = std::make_unique<Cluster>();
};

}  // namespace berth
