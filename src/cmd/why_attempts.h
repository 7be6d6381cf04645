// What the scheduler of a cluster remembers about a pod, asked over its API /berth/v1: for
// `berth why`.
#pragma once

#include <string>

#include "api/json/json.h"
#include "api/meta.h"
#include "base/result.h"

namespace berth::cmd {

struct SchedulerAddress {
  std::string address;  // "https://10.0.0.7:10259"; empty: the API server, for berth up.
  std::string ca_file;  // Empty: the authorities of the kubeconfig.
  std::string server_name;
};

// Returns {"attempts": [...], "queue": "...", "nextAttempt": "..."}: items of AttemptList, newest
// first, and where the pod is in the queue, if it is there. `kubeconfig` and `context` have the
// credentials.
Result<api::JsonObject> AskScheduler(const SchedulerAddress& scheduler,
                                     const std::string& kubeconfig, const std::string& context,
                                     const api::ObjectKey& pod);

// Returns it as text: the queue, and a line or two for each attempt.
std::string HistoryText(const api::JsonObject& history);

}  // namespace berth::cmd
