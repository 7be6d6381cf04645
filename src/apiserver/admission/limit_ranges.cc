#include "apiserver/admission/limit_ranges.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/field_errors.h"
#include "api/json/document.h"
#include "api/quantity.h"
#include "api/scheme/scheme.h"
#include "apiserver/admission/metadata.h"
#include "apiserver/admission/pod_limits.h"
#include "apiserver/store/codec.h"

namespace berth::apiserver::admission {

namespace {

constexpr std::string_view kAnnotation = "kubernetes.io/limit-ranger";
constexpr std::array<std::string_view, 2> kContainerLists = {"containers", "initContainers"};

// One entry of a LimitRange.
struct Limit {
  std::string_view type;  // "Container", "Pod" or "PersistentVolumeClaim".
  api::ResourceList min, max, max_ratio;
};

std::vector<Limit> LimitsOf(const api::JsonArray& entries) {
  std::vector<Limit> limits;
  for (const api::Json& entry : entries) {
    const api::JsonObject* fields = api::AsObject(entry);
    limits.push_back({api::StringAt(fields, "type"), QuantitiesOf(api::ObjectAt(fields, "min")),
                      QuantitiesOf(api::ObjectAt(fields, "max")),
                      QuantitiesOf(api::ObjectAt(fields, "maxLimitRequestRatio"))});
  }
  return limits;
}

// Adds the amounts that are missing, and returns their names.
std::vector<std::string> AddMissing(api::JsonObject& resources, std::string_view key,
                                    const api::JsonObject* defaults) {
  std::vector<std::string> added;
  if (!defaults) return added;
  for (const auto& [name, amount] : *defaults) {
    if (api::At(api::ObjectAt(&resources, key), name)) continue;
    api::EnsureObject(resources, key)[name] = amount;
    added.emplace_back(name);
  }
  std::ranges::sort(added);
  return added;
}

// Sets the defaults of the LimitRange and annotates the pod with what it set.
void SetDefaults(const api::JsonArray& entries, api::JsonObject& pod) {
  api::JsonObject requests;
  api::JsonObject limits;
  for (const api::Json& entry : entries) {
    const api::JsonObject* fields = api::AsObject(entry);
    if (api::StringAt(fields, "type") != "Container") continue;
    const auto copy = [](const api::JsonObject* from, api::JsonObject& to) {
      if (!from) return;
      for (const auto& [name, amount] : *from) to[name] = amount;
    };
    copy(api::ObjectAt(fields, "defaultRequest"), requests);
    copy(api::ObjectAt(fields, "default"), limits);
  }
  if (requests.empty() && limits.empty()) return;
  std::vector<std::string> notes;
  for (const std::string_view list : kContainerLists) {
    api::JsonArray* containers = api::ArrayAt(api::ObjectAt(&pod, "spec"), list);
    const std::string_view what = list == "containers" ? "container" : "init container";
    for (size_t i = 0; containers && i < containers->size(); ++i) {
      api::JsonObject* container = (*containers)[i].if_object();
      if (!container) continue;
      api::JsonObject& resources = api::EnsureObject(*container, "resources");
      const auto set_limits = AddMissing(resources, "limits", &limits);
      const auto set_requests = AddMissing(resources, "requests", &requests);
      const std::string_view name = api::StringAt(container, "name");
      if (!set_requests.empty()) {
        notes.push_back(
            fmt::format("{} request for {} {}", fmt::join(set_requests, ", "), what, name));
      }
      if (!set_limits.empty()) {
        notes.push_back(fmt::format("{} limit for {} {}", fmt::join(set_limits, ", "), what, name));
      }
    }
  }
  if (notes.empty()) return;
  api::SetString(api::EnsureObject(MetadataOf(pod), "annotations"), kAnnotation,
                 fmt::format("LimitRanger plugin set: {}", fmt::join(notes, "; ")));
}

// What limits apply to: the amounts of a container, a pod or a claim.
struct Subject {
  std::string_view type;
  PodResources own;
};

class Checker {
 public:
  void Check(const Limit& limit, const Subject& subject) {
    type_ = subject.type;
    for (const auto& [name, bound] : limit.min) CheckMin(name, bound, subject.own);
    for (const auto& [name, bound] : limit.max) CheckMax(name, bound, subject.own);
    for (const auto& [name, bound] : limit.max_ratio) CheckRatio(name, bound, subject.own);
  }

  // Returns the errors as Kubernetes aggregates them, or "".
  std::string Text() const {
    if (errors_.empty()) return {};
    if (errors_.size() == 1) return errors_.front();
    return fmt::format("[{}]", fmt::join(errors_, ", "));
  }

 private:
  static const api::Quantity* Find(const api::ResourceList& list, const std::string& name) {
    const auto found = list.find(name);
    return found == list.end() ? nullptr : &found->second;
  }
  // A response lists a limited number of errors.
  void Add(std::string error) {
    if (errors_.size() < api::kMaxReportedErrors &&
        std::ranges::find(errors_, error) == errors_.end())
      errors_.push_back(std::move(error));
  }

  void CheckMin(const std::string& name, const api::Quantity& bound, const PodResources& own) {
    const std::string prefix =
        fmt::format("minimum {} usage per {} is {}", name, type_, bound.ToString());
    const api::Quantity* request = Find(own.requests, name);
    const api::Quantity* limit = Find(own.limits, name);
    if (!request) {
      Add(prefix + ".  No request is specified");
    } else if (*request < bound) {
      Add(prefix + ", but request is " + request->ToString());
    } else if (limit && *limit < bound) {
      Add(prefix + ", but limit is " + limit->ToString());
    }
  }
  void CheckMax(const std::string& name, const api::Quantity& bound, const PodResources& own) {
    const std::string prefix =
        fmt::format("maximum {} usage per {} is {}", name, type_, bound.ToString());
    const api::Quantity* request = Find(own.requests, name);
    const api::Quantity* limit = Find(own.limits, name);
    // Claims have no limits.
    if (type_ == "PersistentVolumeClaim") {
      if (!request) {
        Add(prefix + ".  No request is specified");
      } else if (*request > bound) {
        Add(prefix + ", but request is " + request->ToString());
      }
    } else if (!limit) {
      Add(prefix + ".  No limit is specified");
    } else if (*limit > bound) {
      Add(prefix + ", but limit is " + limit->ToString());
    } else if (request && *request > bound) {
      Add(prefix + ", but request is " + request->ToString());
    }
  }
  void CheckRatio(const std::string& name, const api::Quantity& bound, const PodResources& own) {
    const std::string prefix =
        fmt::format("{} max limit to request ratio per {} is {}", name, type_, bound.ToString());
    const api::Quantity* request = Find(own.requests, name);
    const api::Quantity* limit = Find(own.limits, name);
    if (!request || request->IsZero()) {
      return Add(prefix + ", but no request is specified or request is 0");
    }
    if (!limit || limit->IsZero()) {
      return Add(prefix + ", but no limit is specified or limit is 0");
    }
    const double ratio = limit->AsApproximateFloat64() / request->AsApproximateFloat64();
    if (ratio > bound.AsApproximateFloat64()) {
      Add(fmt::format("{}, but provided ratio is {:.6f}", prefix, ratio));
    }
  }

  std::string_view type_;
  std::vector<std::string> errors_;
};

std::vector<Subject> SubjectsOf(const api::scheme::Kind& kind, const api::JsonObject& document) {
  const auto amounts_of = [](const api::JsonObject* resources) {
    return PodResources{QuantitiesOf(api::ObjectAt(resources, "requests")),
                        QuantitiesOf(api::ObjectAt(resources, "limits"))};
  };
  const api::JsonObject* spec = api::ObjectAt(&document, "spec");
  if (kind.kind != "Pod") {
    PodResources own = amounts_of(api::ObjectAt(spec, "resources"));
    own.limits.clear();
    return {{"PersistentVolumeClaim", std::move(own)}};
  }
  std::vector<Subject> subjects;
  for (const std::string_view list : kContainerLists) {
    const api::JsonArray* containers = api::ArrayAt(spec, list);
    for (size_t i = 0; containers && i < containers->size(); ++i) {
      subjects.push_back(
          {"Container", amounts_of(api::ObjectAt(api::AsObject((*containers)[i]), "resources"))});
    }
  }
  subjects.push_back({"Pod", ResourcesOfPod(document, false)});
  return subjects;
}

void CopyMissingAmounts(const api::JsonObject& entry, std::string_view from, std::string_view to,
                        api::JsonObject& out) {
  const api::JsonObject* amounts = api::ObjectAt(&entry, from);
  if (!amounts) return;
  for (const auto& [name, amount] : *amounts) {
    if (!api::At(api::ObjectAt(&out, to), name)) api::EnsureObject(out, to)[name] = amount;
  }
}

}  // namespace

void DefaultLimitRange(api::JsonObject& range) {
  api::JsonArray* entries = api::ArrayAt(api::ObjectAt(&range, "spec"), "limits");
  for (size_t i = 0; entries && i < entries->size(); ++i) {
    api::JsonObject* entry = (*entries)[i].if_object();
    if (api::StringAt(entry, "type") != "Container") continue;
    for (const auto& [from, to] : {std::pair<std::string_view, std::string_view>{"max", "default"},
                                   {"default", "defaultRequest"},
                                   {"min", "defaultRequest"}}) {
      // Insertions may move members, so it copies from a copy.
      const api::JsonObject copy = *entry;
      CopyMissingAmounts(copy, from, to, *entry);
    }
  }
}

api::scheme::ApiResult<void> AdmitLimitRanges(const store::Store& store,
                                              const api::scheme::Kind& kind,
                                              api::JsonObject& document) {
  static const store::Collection kRanges = api::scheme::KindOf("limitranges").collection;
  if (store.Count(kRanges) == 0) return {};
  store::ListQuery query;
  query.namespace_ = api::StringAt(&MetadataOf(document), "namespace");
  const store::ListResult ranges = store.List(kRanges, query);
  std::vector<api::Json> documents;
  for (const store::ObjectPtr& range : ranges.objects) documents.push_back(store::Parse(*range));
  const auto entries_of = [](const api::Json& range) {
    return api::ArrayAt(api::ObjectAt(api::AsObject(range), "spec"), "limits");
  };
  if (kind.kind == "Pod") {
    for (const api::Json& range : documents) {
      if (const api::JsonArray* entries = entries_of(range)) SetDefaults(*entries, document);
    }
  }
  if (documents.empty()) return {};
  const std::vector<Subject> subjects = SubjectsOf(kind, document);
  for (const api::Json& range : documents) {
    const api::JsonArray* entries = entries_of(range);
    if (!entries) continue;
    Checker checker;
    for (const Limit& limit : LimitsOf(*entries)) {
      for (const Subject& subject : subjects) {
        if (subject.type == limit.type) checker.Check(limit, subject);
      }
    }
    const std::string errors = checker.Text();
    if (errors.empty()) continue;
    return std::unexpected(
        api::scheme::Forbidden(kind, api::StringAt(&MetadataOf(document), "name"), errors));
  }
  return {};
}

}  // namespace berth::apiserver::admission
