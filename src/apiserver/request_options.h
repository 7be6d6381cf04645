// The options of a request in its query or, for deletes, in its body.
//
// Unsupported values are Invalid (422), malformed numbers BadRequest (400).
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
  std::optional<store::Version> resource_version;  // nullopt if unset.
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

// The default field manager is the part of `user_agent` before the slash.
api::scheme::ApiResult<registry::WriteOptions> ReadWriteOptions(const Query& query,
                                                                std::string_view user_agent);

// `body` is a DeleteOptions object or null; it takes precedence over the query.
api::scheme::ApiResult<registry::DeleteOptions> ReadDeleteOptions(const Query& query,
                                                                  const api::Json& body);

// Reports whether the query has dryRun=All.
api::scheme::ApiResult<bool> ReadDryRun(const Query& query);

// Returns the Invalid error of an options object such as "ListOptions": `field: why`.
api::scheme::ApiError InvalidOption(std::string_view options, std::string_view field,
                                    std::string_view reason, std::string_view why);

}  // namespace berth::apiserver
