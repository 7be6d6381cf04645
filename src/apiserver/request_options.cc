#include "apiserver/request_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>

#include "api/json/document.h"
#include "api/json/json_text.h"
#include "base/text.h"

namespace berth::apiserver {
namespace {

constexpr size_t kMaxManagerLength = 128;

api::scheme::ApiError Unsupported(std::string_view options, std::string_view field,
                                  std::string_view value,
                                  std::initializer_list<std::string_view> known) {
  std::string list;
  for (const std::string_view name : known) {
    list += fmt::format("{}\"{}\"", list.empty() ? "" : ", ", name);
  }
  return InvalidOption(
      options, field, "FieldValueNotSupported",
      fmt::format("Unsupported value: \"{}\": supported values: {}", Shorten(value), list));
}

api::scheme::ApiResult<std::optional<store::Version>> ReadVersion(std::string_view text) {
  if (text.empty()) return std::nullopt;
  store::Version version = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::unexpected(api::scheme::BadRequest(
        fmt::format("invalid resource version \"{}\": it must be the one that a list "
                    "or an object had",
                    Shorten(text))));
  }
  return version;
}

api::scheme::ApiResult<ListOptions::Match> ReadMatch(std::string_view text) {
  if (text.empty()) return ListOptions::Match::kUnset;
  if (text == "NotOlderThan") return ListOptions::Match::kNotOlderThan;
  if (text == "Exact") return ListOptions::Match::kExact;
  return std::unexpected(
      Unsupported("ListOptions", "resourceVersionMatch", text, {"Exact", "NotOlderThan"}));
}

// Returns the error of an invalid combination of options.
std::optional<api::scheme::ApiError> CheckMatch(const ListOptions& options) {
  const auto forbid = [](std::string_view field, std::string_view why) {
    return InvalidOption("ListOptions", field, "FieldValueForbidden",
                         fmt::format("Forbidden: {}", why));
  };
  using Match = ListOptions::Match;
  if (options.watch) {
    if (options.match == Match::kUnset) {
      if (!options.send_initial_events) return std::nullopt;
      return forbid("resourceVersionMatch",
                    "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
    }
    if (!options.send_initial_events) {
      return forbid("resourceVersionMatch",
                    "resourceVersionMatch is forbidden for watch unless sendInitialEvents is "
                    "provided");
    }
    if (options.match == Match::kNotOlderThan) return std::nullopt;
    return Unsupported("ListOptions", "resourceVersionMatch", "Exact", {"NotOlderThan"});
  }
  if (options.send_initial_events) {
    return forbid("sendInitialEvents", "sendInitialEvents is forbidden for list");
  }
  if (options.match == Match::kUnset) return std::nullopt;
  if (!options.resource_version) {
    return forbid("resourceVersionMatch",
                  "resourceVersionMatch is forbidden unless resourceVersion is provided");
  }
  if (!options.continue_token.empty()) {
    return forbid("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is set");
  }
  if (options.match == Match::kExact && *options.resource_version == 0) {
    return forbid("resourceVersionMatch",
                  "resourceVersionMatch \"Exact\" is forbidden for resourceVersion \"0\"");
  }
  return std::nullopt;
}

api::scheme::ApiResult<bool> DryRunOf(std::string_view value, std::string_view options) {
  if (value == "All") return true;
  return std::unexpected(Unsupported(options, "dryRun", value, {"All"}));
}

api::scheme::ApiResult<std::string> ReadPropagation(std::string_view text) {
  if (text.empty() || text == "Orphan" || text == "Background" || text == "Foreground") {
    return std::string(text);
  }
  return std::unexpected(Unsupported("DeleteOptions", "propagationPolicy", text,
                                     {"Orphan", "Background", "Foreground"}));
}

// Returns a string field of DeleteOptions; null counts as absent.
api::scheme::ApiResult<std::string> StringField(const api::JsonObject& object,
                                                std::string_view name) {
  const api::Json* value = object.if_contains(name);
  if (value == nullptr || value->is_null()) return std::string();
  if (const auto* text = value->if_string()) return std::string(*text);
  return std::unexpected(
      api::scheme::BadRequest(fmt::format("DeleteOptions.{}: expected a string", name)));
}

api::scheme::ApiResult<void> ReadDeleteBody(const api::JsonObject& body,
                                            registry::DeleteOptions& options) {
  if (const api::Json* grace = body.if_contains("gracePeriodSeconds"); grace && !grace->is_null()) {
    boost::system::error_code error;
    options.grace_period_seconds = grace->to_number<int64_t>(error);
    if (error) {
      return std::unexpected(
          api::scheme::BadRequest("DeleteOptions.gracePeriodSeconds: expected a whole number"));
    }
  }
  auto policy = StringField(body, "propagationPolicy");
  if (!policy) return std::unexpected(policy.error());
  auto known = ReadPropagation(*policy);
  if (!known) return std::unexpected(known.error());
  if (!known->empty()) options.propagation_policy = *std::move(known);
  if (const api::Json* orphan = body.if_contains("orphanDependents"); orphan && orphan->is_bool()) {
    options.propagation_policy = orphan->get_bool() ? "Orphan" : "Background";
  }
  if (const api::Json* dry = body.if_contains("dryRun"); dry && dry->is_array()) {
    for (const api::Json& value : dry->get_array()) {
      const auto* text = value.if_string();
      const auto all = DryRunOf(text ? std::string_view(*text) : "", "DeleteOptions");
      if (!all) return std::unexpected(all.error());
      options.dry_run = true;
    }
  }
  const api::Json* conditions = body.if_contains("preconditions");
  if (conditions == nullptr || conditions->is_null()) return {};
  if (!conditions->is_object()) {
    return std::unexpected(
        api::scheme::BadRequest("DeleteOptions.preconditions: expected an object"));
  }
  auto uid = StringField(conditions->get_object(), "uid");
  auto version = StringField(conditions->get_object(), "resourceVersion");
  if (!uid) return std::unexpected(uid.error());
  if (!version) return std::unexpected(version.error());
  options.uid = *std::move(uid);
  options.resource_version = *std::move(version);
  return {};
}

bool IsPrintable(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

}  // namespace

api::scheme::ApiError InvalidOption(std::string_view options, std::string_view field,
                                    std::string_view reason, std::string_view why) {
  api::scheme::ApiError error = api::scheme::MakeError(
      422, fmt::format("{}.meta.k8s.io \"\" is invalid: {}: {}", options, field, why));
  error.group = "meta.k8s.io";
  error.kind = options;
  error.causes.push_back({std::string(reason), std::string(why), std::string(field)});
  return error;
}

api::scheme::ApiResult<ListOptions> ReadListOptions(const Query& query, bool watch) {
  ListOptions options;
  options.watch = watch;
  options.label_selector = query.Get("labelSelector");
  options.field_selector = query.Get("fieldSelector");
  options.continue_token = query.Get("continue");
  options.allow_bookmarks = query.Bool("allowWatchBookmarks");
  if (query.Find("sendInitialEvents"))
    options.send_initial_events = query.Bool("sendInitialEvents");
  const auto version = ReadVersion(query.Get("resourceVersion"));
  if (!version) return std::unexpected(version.error());
  options.resource_version = *version;
  const auto match = ReadMatch(query.Get("resourceVersionMatch"));
  if (!match) return std::unexpected(match.error());
  options.match = *match;
  const auto limit = query.Int("limit");
  if (!limit) return std::unexpected(limit.error());
  options.limit = std::max<int64_t>(limit->value_or(0), 0);
  const auto timeout = query.Int("timeoutSeconds");
  if (!timeout) return std::unexpected(timeout.error());
  options.timeout_seconds = *timeout;
  if (auto error = CheckMatch(options)) return std::unexpected(*std::move(error));
  return options;
}

api::scheme::ApiResult<bool> ReadDryRun(const Query& query) {
  bool dry_run = false;
  for (const std::string_view value : query.All("dryRun")) {
    const auto all = DryRunOf(value, "CreateOptions");
    if (!all) return std::unexpected(all.error());
    dry_run = true;
  }
  return dry_run;
}

api::scheme::ApiResult<registry::WriteOptions> ReadWriteOptions(const Query& query,
                                                                std::string_view user_agent) {
  registry::WriteOptions options;
  const auto dry_run = ReadDryRun(query);
  if (!dry_run) return std::unexpected(dry_run.error());
  options.dry_run = *dry_run;
  options.force = query.Bool("force");
  const std::string_view validation = query.Get("fieldValidation");
  if (validation.empty() || validation == "Warn") {
    options.field_validation = registry::FieldValidation::kWarn;
  } else if (validation == "Strict") {
    options.field_validation = registry::FieldValidation::kStrict;
  } else if (validation == "Ignore") {
    options.field_validation = registry::FieldValidation::kIgnore;
  } else {
    return std::unexpected(
        Unsupported("CreateOptions", "fieldValidation", validation, {"Ignore", "Strict", "Warn"}));
  }
  options.field_manager = query.Get("fieldManager");
  if (options.field_manager.size() > kMaxManagerLength || !IsPrintable(options.field_manager)) {
    return std::unexpected(
        InvalidOption("CreateOptions", "fieldManager", "FieldValueInvalid",
                      fmt::format("Invalid value: \"{}\": must be printable and at most {} bytes",
                                  Shorten(options.field_manager), kMaxManagerLength)));
  }
  if (options.field_manager.empty() && !query.Find("fieldManager") && IsPrintable(user_agent)) {
    options.field_manager = user_agent.substr(0, std::min(user_agent.find('/'), kMaxManagerLength));
  }
  return options;
}

api::scheme::ApiResult<registry::DeleteOptions> ReadDeleteOptions(const Query& query,
                                                                  const api::Json& body) {
  registry::DeleteOptions options;
  const auto grace = query.Int("gracePeriodSeconds");
  if (!grace) return std::unexpected(grace.error());
  options.grace_period_seconds = *grace;
  auto policy = ReadPropagation(query.Get("propagationPolicy"));
  if (!policy) return std::unexpected(policy.error());
  options.propagation_policy = *std::move(policy);
  const auto dry_run = ReadDryRun(query);
  if (!dry_run) return std::unexpected(dry_run.error());
  options.dry_run = *dry_run;
  if (body.is_null()) return options;
  if (!body.is_object())
    return std::unexpected(api::scheme::BadRequest("DeleteOptions: expected an object"));
  if (const auto read = ReadDeleteBody(body.get_object(), options); !read) {
    return std::unexpected(read.error());
  }
  return options;
}

}  // namespace berth::apiserver
