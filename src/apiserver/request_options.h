// The options that a request gives in its query or, for deletes, in its body.
//
// Values that Kubernetes does not know are Invalid (422), numbers that are none BadRequest (400).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/json/json.h"
#include "api/scheme/api_error.h"
#include "apiserver/registry/api.h"
#include "apiserver/request_info.h"

namespace berth::apiserver {

struct ListOptions {
  std::string label_selector;
  std::string field_selector;
  // Nothing: unset.
  std::optional<store::Version> resource_version;
  enum class Match : uint8_t { kUnset, kNotOlderThan, kExact };
  Match match = Match::kUnset;
  int64_t limit = 0;
  std::string continue_token;
  std::optional<int64_t> timeout_seconds;
  bool watch = false;
  bool allow_bookmarks = false;
  std::optional<bool> send_initial_events;
};
api::scheme::ApiResult<ListOptions> ReadListOptions(const Query& query, bool watch);

// `user_agent` names the field manager of a client that does not: what stands before its slash.
api::scheme::ApiResult<registry::WriteOptions> ReadWriteOptions(const Query& query,
                                                                std::string_view user_agent);

// `body` is a DeleteOptions object, or null if there is none; it goes before the query.
api::scheme::ApiResult<registry::DeleteOptions> ReadDeleteOptions(const Query& query,
                                                                  const api::Json& body);

// True if the query has dryRun=All.
api::scheme::ApiResult<bool> ReadDryRun(const Query& query);

// An Invalid of `options`, "ListOptions": `field: why`.
api::scheme::ApiError InvalidOption(std::string_view options, std::string_view field,
                                    std::string_view reason, std::string_view why);

}  // namespace berth::apiserver
