// RequestNames are the names of the requests of a claim, to which its constraints, configurations
// and results refer.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string_view>

#include "api/json/json.h"

namespace berth::apiserver::admission {

class FieldErrors;
class FieldPath;

inline constexpr size_t kMaxRequests = 32;
inline constexpr size_t kMaxDeviceConfigs = 32;

class RequestNames {
 public:
  // `claim_spec` may be null and must outlive the names.
  explicit RequestNames(const api::JsonObject* claim_spec);

  // Checks "request" or "request/subrequest".
  void CheckReference(std::string_view reference, const FieldPath& path, FieldErrors& errors) const;
  // Checks the list `requests` of a constraint or configuration.
  void CheckReferences(const api::JsonObject* holder, const FieldPath& path,
                       FieldErrors& errors) const;

 private:
  bool Contains(std::string_view reference) const;

  // The alternatives of each request.
  std::map<std::string_view, std::set<std::string_view>, std::less<>> names_;
};

// Checks the configuration of a claim, class or allocation. `is_stored` as in CheckParameters.
void CheckDeviceConfiguration(const api::JsonObject* config, bool is_stored, const FieldPath& path,
                              FieldErrors& errors);

}  // namespace berth::apiserver::admission
