#include "apiserver/registry/quota_charge.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>

#include "api/json/document.h"
#include "api/scheme/scheme.h"
#include "apiserver/admission/metadata.h"
#include "apiserver/admission/pod_limits.h"
#include "apiserver/admission/quota_usage.h"
#include "apiserver/store/codec.h"

namespace berth::apiserver::registry {

namespace {

const api::scheme::Kind& Quotas() {
  static const api::scheme::Kind& kind = api::scheme::KindOf("resourcequotas");
  return kind;
}

std::string TextOf(const api::ResourceList& list, const std::vector<std::string>& names) {
  std::vector<std::string> parts;
  for (const std::string& name : names) {
    const auto found = list.find(name);
    if (found != list.end()) parts.push_back(name + "=" + found->second.ToString());
  }
  return fmt::format("{}", fmt::join(parts, ","));
}

api::ResourceList StatusOf(const api::JsonObject& quota, std::string_view key) {
  return admission::QuantitiesOf(api::ObjectAt(api::ObjectAt(&quota, "status"), key));
}

// One write, and what it is about to use.
struct Request {
  const api::scheme::Kind& kind;
  const api::JsonObject* before;
  const api::JsonObject& after;
  api::ResourceList usage;         // Of `after`.
  api::ResourceList usage_before;  // Empty for a new object.

  api::scheme::ApiError Forbidden(std::string_view why) const {
    return api::scheme::Forbidden(kind, api::StringAt(admission::MetadataOf(after), "name"), why);
  }
};

// Returns what the request adds to the quota's usage, or nullopt if the quota does not count it.
api::scheme::ApiResult<std::optional<api::ResourceList>> AddedTo(std::string_view name,
                                                                 const api::JsonObject& quota,
                                                                 const Request& request) {
  const api::JsonObject* spec = api::ObjectAt(&quota, "spec");
  const api::ResourceList hard = StatusOf(quota, "hard");
  const api::ResourceList used = StatusOf(quota, "used");
  std::vector<std::string> counted;
  for (const auto& [resource, limit] : hard) {
    if (admission::UsesQuotaResource(request.kind, resource)) counted.push_back(resource);
  }
  if (counted.empty() || !admission::MatchesQuotaScopes(spec, request.kind, request.after)) {
    return std::nullopt;
  }
  const std::string why = admission::QuotaConstraint(request.kind, request.after, counted);
  if (!why.empty()) {
    return std::unexpected(request.Forbidden(fmt::format("failed quota: {}: {}", name, why)));
  }
  for (const std::string& resource : counted) {
    if (used.contains(resource)) continue;
    return std::unexpected(request.Forbidden(
        fmt::format("status unknown for quota: {}, resources: {}", name, fmt::join(counted, ","))));
  }
  const bool was_counted =
      request.before && admission::MatchesQuotaScopes(spec, request.kind, *request.before);
  api::ResourceList added;
  std::vector<std::string> exceeded;
  for (const std::string& resource : counted) {
    const auto amount = request.usage.find(resource);
    if (amount == request.usage.end()) continue;
    api::Quantity more = amount->second;
    const auto less = request.usage_before.find(resource);
    if (was_counted && less != request.usage_before.end()) more -= less->second;
    if (more.Sign() <= 0) continue;
    api::Quantity total = used.at(resource);
    total += more;
    if (total > hard.at(resource)) exceeded.push_back(resource);
    added.emplace(resource, std::move(more));
  }
  if (exceeded.empty()) return added;
  return std::unexpected(request.Forbidden(
      fmt::format("exceeded quota: {}, requested: {}, used: {}, limited: {}", name,
                  TextOf(added, exceeded), TextOf(used, exceeded), TextOf(hard, exceeded))));
}

// Adds the amounts to status.used, or subtracts them.
void AddToUsed(api::JsonObject& quota, const api::ResourceList& amounts, bool subtract) {
  api::ResourceList used = StatusOf(quota, "used");
  api::JsonObject& out = api::EnsureObject(api::EnsureObject(quota, "status"), "used");
  for (const auto& [resource, amount] : amounts) {
    const auto found = used.find(resource);
    if (found == used.end()) continue;
    api::Quantity& total = found->second;
    subtract ? total -= amount : total += amount;
    api::SetString(out, resource, total.ToString());
  }
}

}  // namespace

QuotaCharge::~QuotaCharge() {
  for (const auto& [name, amounts] : charged_) {
    (void)api_.Modify(Quotas(), name, [&](api::Json& quota) {
      AddToUsed(quota.get_object(), amounts, true);
      return true;
    });
  }
}

api::scheme::ApiResult<void> QuotaCharge::Take(const api::scheme::Kind& kind,
                                               const api::JsonObject* before,
                                               const api::JsonObject& after, bool dry_run) {
  // Events are not worth counting.
  if (!kind.namespaced || kind.IsBuiltIn("Event")) return {};
  const store::Store& store = api_.store();
  if (store.Count(Quotas().collection) == 0) return {};
  store::ListQuery query;
  query.namespace_ = api::StringAt(admission::MetadataOf(after), "namespace");
  const store::ListResult quotas = store.List(Quotas().collection, query);
  if (quotas.objects.empty()) return {};
  Request request{kind, before, after, admission::QuotaUsageOf(kind, after, api_.now()), {}};
  if (before) request.usage_before = admission::QuotaUsageOf(kind, *before, api_.now());
  for (const ObjectPtr& object : quotas.objects) {
    const std::string& name = object->key.name;
    const api::Json seen = store::Parse(*object);
    auto added = AddedTo(name, seen.get_object(), request);
    if (!added) return std::unexpected(std::move(added.error()));
    if (dry_run || !*added || (*added)->empty()) continue;
    // Check again with the newest usage, since others may be charged at the same time.
    std::optional<api::scheme::ApiError> error;
    const auto done = api_.Modify(Quotas(), object->key, [&](api::Json& newest) {
      error.reset();
      added = AddedTo(name, newest.get_object(), request);
      if (!added) error = added.error();
      if (!added || !*added || (*added)->empty()) return false;
      AddToUsed(newest.get_object(), **added, false);
      return true;
    });
    if (error) return std::unexpected(*std::move(error));
    if (!done && done.error().code != 404) return std::unexpected(done.error());
    if (done && added && *added) charged_.emplace_back(object->key, **added);
  }
  return {};
}

}  // namespace berth::apiserver::registry
