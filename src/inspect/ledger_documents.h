// The documents about what happened: AttemptList and Activity, from the ledger.
#pragma once

#include <cstddef>

#include "api/json/json.h"
#include "base/time.h"
#include "inspect/request.h"
#include "ledger/activity.h"
#include "ledger/attempt.h"
#include "ledger/ledger.h"
#include "ledger/node_rejections.h"

namespace berth::inspect {

// What a scheduler remembers; all null if it has no ledger. They must outlive their use.
struct History {
  const ledger::Ledger* ledger = nullptr;
  const ledger::NodeRejections* rejections = nullptr;
  const ledger::ActivityLog* activity = nullptr;
};

// An item of AttemptList.
api::JsonObject AttemptJson(const ledger::Attempt& attempt);
Response AttemptListResponse(const History& history, const Request& request);

// `now` is the date.
Response ActivityResponse(const History& history, const Request& request, Instant now);
// The event `activity`: a step of `activity`.
api::JsonObject ActivityStepJson(const ledger::Activity& activity, size_t step);

// The rejections of the document Node.
api::JsonArray RejectionsJson(const ledger::NodeRejections::Report& report);

}  // namespace berth::inspect
