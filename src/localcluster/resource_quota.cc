#include "localcluster/resource_quota.h"

#include <algorithm>

#include "api/quantity.h"
#include "apiserver/admission/quota_usage.h"
#include "localcluster/object_json.h"

namespace berth::localcluster {

namespace {

// After a count of n objects, the next one waits for n times this.
constexpr Duration kWaitPerObject = Duration{100'000};

const Kind& Quotas() {
  static const Kind& kind = api::scheme::KindOf("resourcequotas");
  return kind;
}

bool IsCounted(const Kind& kind) {
  return kind.stored && kind.namespaced && kind.kind != "Event" &&
         &api::scheme::StoredKind(kind) == &kind;
}

// Reports whether the change may change what the object uses. Most changes of pods are of their
// status and do not.
bool ChangesUsage(const Change& change) {
  if (change.deleted || !change.previous) return true;
  if (&change.kind != &Pods()) return change.kind.group.empty();
  return change.pod->finished() != change.previous_pod->finished() ||
         change.pod->deleting != change.previous_pod->deleting;
}

}  // namespace

void ResourceQuotaController::Queue(const ObjectName& name, const Quota& quota) {
  if (quota.next_count <= context_.now()) return queue_.Add(name);
  queue_.AddAt(name, quota.next_count);
}

void ResourceQuotaController::Observe(const Change& change) {
  const ObjectName& name = change.object.key;
  if (&change.kind == &Quotas()) {
    if (change.deleted) {
      quotas_.erase(name);
      return queue_.Forget(name);
    }
    Quota& quota = quotas_[name];
    quota.hard.clear();
    if (const JsonObject* hard = ObjectAt(ObjectAt(&change.document, "spec"), "hard")) {
      for (const auto& [resource, limit] : *hard) quota.hard.emplace(resource);
    }
    const JsonObject* status = ObjectAt(&change.document, "status");
    const Json* spec_hard = At(ObjectAt(&change.document, "spec"), "hard");
    const Json* known = At(status, "hard");
    // Charges change only the usage.
    if (!spec_hard || !known || *spec_hard != *known || !At(status, "used")) queue_.Add(name);
  }
  if (quotas_.empty() || !IsCounted(change.kind) || !ChangesUsage(change)) return;
  for (auto at = quotas_.lower_bound({name.namespace_, ""});
       at != quotas_.end() && at->first.namespace_ == name.namespace_; ++at) {
    const bool counts = std::ranges::any_of(at->second.hard, [&](const std::string& resource) {
      return apiserver::admission::UsesQuotaResource(change.kind, resource);
    });
    if (counts) Queue(at->first, at->second);
  }
}

void ResourceQuotaController::Sync(const ObjectName& key) {
  const apiserver::store::ObjectPtr object = context_.store().Get(Quotas().collection, key);
  const auto known = quotas_.find(key);
  if (!object || known == quotas_.end()) return;
  const Instant now = context_.now();
  const Json parsed = apiserver::store::Parse(*object);
  const JsonObject* spec = ObjectAt(AsObject(parsed), "spec");
  const Json* hard = At(spec, "hard");
  if (!hard || !hard->is_object()) return;
  api::ResourceList used;
  for (const auto& [resource, limit] : hard->get_object()) used[std::string(resource)];
  int64_t count = 0;
  for (const Kind& kind : api::scheme::Kinds()) {
    const bool counts = IsCounted(kind) && std::ranges::any_of(used, [&](const auto& entry) {
                          return apiserver::admission::UsesQuotaResource(kind, entry.first);
                        });
    if (!counts) continue;
    apiserver::store::ListQuery query;
    query.namespace_ = key.namespace_;
    for (const auto& member : context_.store().List(kind.collection, query).objects) {
      ++count;
      const Json document = apiserver::store::Parse(*member);
      if (!apiserver::admission::MatchesQuotaScopes(spec, kind, document.get_object())) continue;
      for (const auto& [resource, amount] :
           apiserver::admission::QuotaUsageOf(kind, document.get_object(), now)) {
        const auto total = used.find(resource);
        if (total != used.end()) total->second += amount;
      }
    }
  }
  known->second.next_count = now + kWaitPerObject * count * context_.options.speed;
  const auto done = context_.api.Modify(Quotas(), key, [&](Json& newest) {
    JsonObject& fields = newest.get_object();
    if (StringAt(ObjectAt(&fields, "metadata"), "uid") != object->uid) return false;
    JsonObject& status = EnsureObject(fields, "status");
    status["hard"] = *hard;
    JsonObject& out = EnsureObject(status, "used");
    out.clear();
    for (const auto& [resource, amount] : used) SetString(out, resource, amount.ToString());
    return true;
  });
  if (done) Wrote(key, *done);
}

}  // namespace berth::localcluster
