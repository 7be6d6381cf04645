// Refusal says why the API server refused to create pods of a workload: by a quota, a LimitRange,
// admission, or for want of something that the pods name.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/json/json.h"
#include "explain/change.h"
#include "explain/events.h"
#include "explain/fixes.h"
#include "explain/wording.h"

namespace berth::explain {

// Pods of a workload that were not created, of how many.
struct Refusal {
  ObjectName workload;
  int64_t missing = 0, wanted = 0;  // Both 0 if it is not known how many.
  std::string message;              // Of the API server.
};

// Returns why pods of a workload were not created: by its conditions, or by the events of it and
// its ReplicaSets. Nothing if they were.
std::optional<Refusal> RefusalOf(const api::JsonObject& workload, const Events& events);

// Returns the names of the existing objects of a kind: "PriorityClass".
using NamesOfKind = std::function<std::vector<std::string>(std::string_view kind)>;

// "2 of 4 replicas were refused by ResourceQuota team: each asks for 2 pods, and 3 of 4 are used".
// Says what was probably meant if something does not exist; `names` is asked only then.
Sentence SentenceOf(const Refusal& refusal, const NamesOfKind& names);

// Returns what lets the pods be created, the author's first: another name of what does not exist, a
// service account, fewer replicas, a larger quota. May be empty.
std::vector<Fix> FixesOf(const Refusal& refusal, const NamesOfKind& names);

}  // namespace berth::explain
