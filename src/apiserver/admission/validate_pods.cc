// Validation of pod specs, in pods and templates, and of pod updates.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <string>
#include <string_view>

#include "api/json/document.h"
#include "api/json/writer.h"
#include "apiserver/admission/field_errors.h"
#include "apiserver/admission/validation.h"

namespace berth::apiserver::admission {

void ValidatePodSpec(const api::JsonObject* spec, const FieldPath& path, FieldErrors& errors) {
  ValidateContainers(spec, path, errors);
  ValidatePodClaims(spec, path, errors);
  ValidatePlacement(spec, path, errors);
  if (const api::JsonObject* group = api::ObjectAt(spec, "schedulingGroup")) {
    const FieldPath group_path = path / "schedulingGroup";
    const std::string_view name = api::StringAt(group, "podGroupName");
    if (name.empty()) {
      errors.Required(group_path / "podGroupName");
    } else if (const auto what = CheckDnsSubdomain(name)) {
      errors.Invalid(group_path / "podGroupName", name, *what);
    }
  }
  const std::string_view restart = api::StringAt(spec, "restartPolicy");
  if (restart != "Always" && restart != "OnFailure" && restart != "Never") {
    errors.NotSupported(path / "restartPolicy", restart, {"Always", "Never", "OnFailure"});
  }
  const std::string_view dns = api::StringAt(spec, "dnsPolicy");
  if (dns != "ClusterFirst" && dns != "ClusterFirstWithHostNet" && dns != "Default" &&
      dns != "None") {
    errors.NotSupported(path / "dnsPolicy", dns,
                        {"ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"});
  }
  const std::string_view preemption = api::StringAt(spec, "preemptionPolicy");
  if (!preemption.empty() && preemption != "Never" && preemption != "PreemptLowerPriority") {
    errors.NotSupported(path / "preemptionPolicy", preemption, {"Never", "PreemptLowerPriority"});
  }
  errors.NonNegative(path / "terminationGracePeriodSeconds",
                     api::At(spec, "terminationGracePeriodSeconds"));
  if (const auto deadline = api::IntAt(spec, "activeDeadlineSeconds")) {
    if (*deadline < 1 || *deadline > std::numeric_limits<int32_t>::max()) {
      errors.Invalid(path / "activeDeadlineSeconds", *deadline,
                     "must be between 1 and 2147483647, inclusive");
    }
  }
  for (const std::string_view key : {"hostname", "subdomain"}) {
    const std::string_view name = api::StringAt(spec, key);
    if (name.empty()) continue;
    if (const auto what = CheckDnsLabel(name)) errors.Invalid(path / key, name, *what);
  }
  const std::string_view account = api::StringAt(spec, "serviceAccountName");
  if (account.empty()) return;
  if (const auto what = CheckDnsSubdomain(account)) {
    errors.Invalid(path / "serviceAccountName", account, *what);
  }
}

namespace {

constexpr std::string_view kOnlyThese =
    "pod updates may not change fields other than `spec.containers[*].image`,"
    "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only "
    "additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set "
    "to 1 if it was previously negative)";

// The members whose changes are validated individually.
constexpr std::array<std::string_view, 6> kMutable = {"containers",
                                                      "initContainers",
                                                      "activeDeadlineSeconds",
                                                      "tolerations",
                                                      "terminationGracePeriodSeconds",
                                                      "schedulingGates"};

bool SameBut(const api::JsonObject* before, const api::JsonObject* after, std::string_view exempt) {
  if (!before || !after) return before == after;
  const auto covered = [&](const api::JsonObject& a, const api::JsonObject& b) {
    return std::ranges::all_of(a, [&](const auto& member) {
      return member.key() == exempt || api::SameAt(&a, &b, member.key());
    });
  };
  return covered(*before, *after) && covered(*after, *before);
}

size_t SizeOf(const api::JsonArray* array) { return array ? array->size() : 0; }

// The elements of a list, for lookups.
std::set<std::string> ElementsOf(const api::JsonArray* list) {
  std::set<std::string> elements;
  for (size_t i = 0; i < SizeOf(list); ++i) elements.insert(api::ToCanonicalJson((*list)[i]));
  return elements;
}

// Reports whether only images changed. Adds an error if containers were added or removed.
bool SameContainers(const api::JsonObject* before, const api::JsonObject* after,
                    std::string_view key, FieldErrors& errors) {
  const api::JsonArray* old_list = api::ArrayAt(before, key);
  const api::JsonArray* new_list = api::ArrayAt(after, key);
  if (SizeOf(old_list) != SizeOf(new_list)) {
    const FieldPath spec("spec");
    errors.Forbidden(spec / key, "pod updates may not add or remove containers");
    return true;
  }
  for (size_t i = 0; i < SizeOf(old_list); ++i) {
    if (!SameBut(api::AsObject((*old_list)[i]), api::AsObject((*new_list)[i]), "image"))
      return false;
  }
  return true;
}

void ValidateDeadline(const api::JsonObject* before, const api::JsonObject* after,
                      FieldErrors& errors) {
  const auto old_deadline = api::IntAt(before, "activeDeadlineSeconds");
  const auto new_deadline = api::IntAt(after, "activeDeadlineSeconds");
  const FieldPath spec("spec");
  const FieldPath path = spec / "activeDeadlineSeconds";
  if (!old_deadline) return;
  if (!new_deadline) {
    errors.Invalid(path, *old_deadline, "must not update from a positive integer to nil value");
  } else if (*new_deadline > *old_deadline) {
    errors.Invalid(path, *new_deadline, "must be less than or equal to previous value");
  }
}

// Returns the same text for tolerations that differ only in their seconds, or in empty members.
std::string TolerationText(const api::Json& toleration) {
  api::JsonObject fields;
  if (const api::JsonObject* given = api::AsObject(toleration)) fields = *given;
  api::EraseMembersIf(fields, [](const auto& member) {
    return member.key() == "tolerationSeconds" || api::IsEmpty(&member.value());
  });
  return api::ToCanonicalJson(fields);
}

void ValidateTolerations(const api::JsonObject* before, const api::JsonObject* after,
                         FieldErrors& errors) {
  const api::JsonArray* old_list = api::ArrayAt(before, "tolerations");
  const api::JsonArray* new_list = api::ArrayAt(after, "tolerations");
  std::set<std::string> present;
  for (size_t i = 0; i < SizeOf(new_list); ++i) present.insert(TolerationText((*new_list)[i]));
  for (size_t i = 0; i < SizeOf(old_list); ++i) {
    if (present.contains(TolerationText((*old_list)[i]))) continue;
    const FieldPath spec("spec");
    errors.Forbidden(spec / "tolerations",
                     "existing toleration can not be modified except its tolerationSeconds");
    return;
  }
}

void ValidateGates(const api::JsonObject* before, const api::JsonObject* after,
                   FieldErrors& errors) {
  const api::JsonArray* old_list = api::ArrayAt(before, "schedulingGates");
  const api::JsonArray* new_list = api::ArrayAt(after, "schedulingGates");
  const FieldPath spec("spec");
  const FieldPath path = spec / "schedulingGates";
  const std::set<std::string> present = ElementsOf(old_list);
  for (size_t i = 0; i < SizeOf(new_list); ++i) {
    const api::Json& gate = (*new_list)[i];
    if (present.contains(api::ToCanonicalJson(gate))) continue;
    errors.Forbidden(path[i], fmt::format("only deletion is allowed, but found new scheduling "
                                          "gate '{}'",
                                          api::StringAt(api::AsObject(gate), "name")));
  }
}

// Reports whether `after` has every requirement of `before`.
bool Narrows(const api::JsonObject* before, const api::JsonObject* after, std::string_view key) {
  const api::JsonArray* old_list = api::ArrayAt(before, key);
  return std::ranges::includes(ElementsOf(api::ArrayAt(after, key)), ElementsOf(old_list));
}

bool NarrowsNodeAffinity(const api::JsonObject* before, const api::JsonObject* after) {
  const api::JsonArray* old_terms =
      api::ArrayAt(api::ObjectAt(before, kRequiredDuringScheduling), "nodeSelectorTerms");
  const api::JsonArray* new_terms =
      api::ArrayAt(api::ObjectAt(after, kRequiredDuringScheduling), "nodeSelectorTerms");
  if (SizeOf(old_terms) == 0) return true;
  if (SizeOf(old_terms) != SizeOf(new_terms)) return false;
  for (size_t i = 0; i < old_terms->size(); ++i) {
    const api::JsonObject* old_term = api::AsObject((*old_terms)[i]);
    const api::JsonObject* new_term = api::AsObject((*new_terms)[i]);
    if (!Narrows(old_term, new_term, "matchExpressions") ||
        !Narrows(old_term, new_term, "matchFields")) {
      return false;
    }
  }
  return true;
}

// Reports whether `key` may change: constraints of a gated pod may only become stricter.
bool MayChangeWhileGated(const api::JsonObject* before, const api::JsonObject* after,
                         std::string_view key) {
  if (api::EmptyAt(before, "schedulingGates")) return false;
  if (key == "nodeSelector") {
    const api::JsonObject* old_map = api::ObjectAt(before, key);
    const api::JsonObject* new_map = api::ObjectAt(after, key);
    return !old_map || std::ranges::all_of(*old_map, [&](const auto& member) {
      return api::SameAt(old_map, new_map, member.key());
    });
  }
  if (key != "affinity") return false;
  const api::JsonObject* old_affinity = api::ObjectAt(before, key);
  const api::JsonObject* new_affinity = api::ObjectAt(after, key);
  return api::SameAt(old_affinity, new_affinity, "podAffinity") &&
         api::SameAt(old_affinity, new_affinity, "podAntiAffinity") &&
         NarrowsNodeAffinity(api::ObjectAt(old_affinity, "nodeAffinity"),
                             api::ObjectAt(new_affinity, "nodeAffinity"));
}

}  // namespace

void ValidatePodUpdate(const api::JsonObject& before, const api::JsonObject& after,
                       FieldErrors& errors) {
  const api::JsonObject* old_spec = api::ObjectAt(&before, "spec");
  const api::JsonObject* new_spec = api::ObjectAt(&after, "spec");
  if (!old_spec || !new_spec) return;
  bool valid = true;
  for (const std::string_view key : {"containers", "initContainers"}) {
    valid = SameContainers(old_spec, new_spec, key, errors) && valid;
  }
  ValidateDeadline(old_spec, new_spec, errors);
  ValidateTolerations(old_spec, new_spec, errors);
  ValidateGates(old_spec, new_spec, errors);
  const auto old_grace = api::IntAt(old_spec, "terminationGracePeriodSeconds");
  const auto new_grace = api::IntAt(new_spec, "terminationGracePeriodSeconds");
  valid = valid && (old_grace == new_grace || (old_grace.value_or(0) < 0 && new_grace == 1));

  const auto covered = [&](const api::JsonObject& a, const api::JsonObject& b) {
    return std::ranges::all_of(a, [&](const auto& member) {
      const std::string_view key = member.key();
      return std::ranges::find(kMutable, key) != kMutable.end() || api::SameAt(&a, &b, key) ||
             MayChangeWhileGated(old_spec, new_spec, key);
    });
  };
  if (valid && covered(*old_spec, *new_spec) && covered(*new_spec, *old_spec)) return;
  errors.Forbidden(FieldPath("spec"), kOnlyThese);
}

}  // namespace berth::apiserver::admission
