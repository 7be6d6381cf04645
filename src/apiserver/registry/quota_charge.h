// QuotaCharge charges the ResourceQuotas of a namespace for one write, before it is stored.
//
// The charge is atomic per quota: two writes at once cannot exceed it together. Unless it is kept,
// the destructor takes the charge back. The quota controller corrects what a crash leaves behind.
#pragma once

#include <utility>
#include <vector>

#include "api/json/json.h"
#include "api/quantity.h"
#include "api/scheme/api_error.h"
#include "apiserver/registry/api.h"

namespace berth::apiserver::registry {

class QuotaCharge {
 public:
  explicit QuotaCharge(Api& api) : api_(api) {}
  ~QuotaCharge();
  QuotaCharge(const QuotaCharge&) = delete;
  QuotaCharge& operator=(const QuotaCharge&) = delete;

  // Charges for the new object or, with `before`, for what it uses more than before. Returns
  // Forbidden if a quota would be exceeded. A dry run checks only.
  api::scheme::ApiResult<void> Take(const api::scheme::Kind& kind, const api::JsonObject* before,
                                    const api::JsonObject& after, bool dry_run);
  void Keep() { charged_.clear(); }

 private:
  Api& api_;
  std::vector<std::pair<ObjectName, api::ResourceList>> charged_;
};

}  // namespace berth::apiserver::registry
