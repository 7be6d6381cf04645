// What may change in a pod once it exists.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "admission/field_errors.h"
#include "admission/validate.h"
#include "kinds/json_access.h"

namespace berth::apiserver {

namespace {

constexpr std::string_view kOnlyThese =
    "pod updates may not change fields other than `spec.containers[*].image`,"
    "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only "
    "additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set "
    "to 1 if it was previously negative)";
constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";

// Members that have rules of their own.
constexpr std::array<std::string_view, 6> kRuled = {"containers",
                                                    "initContainers",
                                                    "activeDeadlineSeconds",
                                                    "tolerations",
                                                    "terminationGracePeriodSeconds",
                                                    "schedulingGates"};

bool SameBut(const JsonObject* before, const JsonObject* after, std::string_view exempt) {
  if (!before || !after) return before == after;
  const auto covered = [&](const JsonObject& a, const JsonObject& b) {
    return std::ranges::all_of(a, [&](const auto& member) {
      return member.key() == exempt || SameAt(&a, &b, member.key());
    });
  };
  return covered(*before, *after) && covered(*after, *before);
}

size_t SizeOf(const JsonArray* array) { return array ? array->size() : 0; }

// Whether the images are all that changed; adding or removing is told at once.
bool SameContainers(const JsonObject* before, const JsonObject* after, std::string_view key,
                    FieldErrors& errors) {
  const JsonArray* old_list = ArrayAt(before, key);
  const JsonArray* new_list = ArrayAt(after, key);
  if (SizeOf(old_list) != SizeOf(new_list)) {
    const FieldPath spec("spec");
    errors.Forbidden(spec / key, "pod updates may not add or remove containers");
    return true;
  }
  for (size_t i = 0; i < SizeOf(old_list); ++i) {
    if (!SameBut(AsObject((*old_list)[i]), AsObject((*new_list)[i]), "image")) return false;
  }
  return true;
}

void ValidateDeadline(const JsonObject* before, const JsonObject* after, FieldErrors& errors) {
  const auto old_deadline = IntAt(before, "activeDeadlineSeconds");
  const auto new_deadline = IntAt(after, "activeDeadlineSeconds");
  const FieldPath spec("spec");
  const FieldPath path = spec / "activeDeadlineSeconds";
  if (!old_deadline) return;
  if (!new_deadline) {
    errors.Invalid(path, *old_deadline, "must not update from a positive integer to nil value");
  } else if (*new_deadline > *old_deadline) {
    errors.Invalid(path, *new_deadline, "must be less than or equal to previous value");
  }
}

void ValidateTolerations(const JsonObject* before, const JsonObject* after, FieldErrors& errors) {
  const JsonArray* old_list = ArrayAt(before, "tolerations");
  const JsonArray* new_list = ArrayAt(after, "tolerations");
  for (size_t i = 0; i < SizeOf(old_list); ++i) {
    const JsonObject* kept = AsObject((*old_list)[i]);
    const bool found = new_list && std::ranges::any_of(*new_list, [&](const Json& toleration) {
                         return SameBut(kept, AsObject(toleration), "tolerationSeconds");
                       });
    if (found) continue;
    const FieldPath spec("spec");
    errors.Forbidden(spec / "tolerations",
                     "existing toleration can not be modified except its tolerationSeconds");
    return;
  }
}

void ValidateGates(const JsonObject* before, const JsonObject* after, FieldErrors& errors) {
  const JsonArray* old_list = ArrayAt(before, "schedulingGates");
  const JsonArray* new_list = ArrayAt(after, "schedulingGates");
  const FieldPath spec("spec");
  const FieldPath path = spec / "schedulingGates";
  for (size_t i = 0; i < SizeOf(new_list); ++i) {
    const Json& gate = (*new_list)[i];
    if (old_list && std::ranges::find(*old_list, gate) != old_list->end()) continue;
    errors.Forbidden(path[i], fmt::format("only deletion is allowed, but found new scheduling "
                                          "gate '{}'",
                                          StringAt(AsObject(gate), "name")));
  }
}

// Every requirement of `before` is in `after`, too.
bool Narrows(const JsonObject* before, const JsonObject* after, std::string_view key) {
  const JsonArray* old_list = ArrayAt(before, key);
  const JsonArray* new_list = ArrayAt(after, key);
  for (size_t i = 0; i < SizeOf(old_list); ++i) {
    if (!new_list || std::ranges::find(*new_list, (*old_list)[i]) == new_list->end()) return false;
  }
  return true;
}

bool NarrowsNodeAffinity(const JsonObject* before, const JsonObject* after) {
  const JsonArray* old_terms = ArrayAt(ObjectAt(before, kRequired), "nodeSelectorTerms");
  const JsonArray* new_terms = ArrayAt(ObjectAt(after, kRequired), "nodeSelectorTerms");
  if (SizeOf(old_terms) == 0) return true;
  if (SizeOf(old_terms) != SizeOf(new_terms)) return false;
  for (size_t i = 0; i < old_terms->size(); ++i) {
    const JsonObject* old_term = AsObject((*old_terms)[i]);
    const JsonObject* new_term = AsObject((*new_terms)[i]);
    if (!Narrows(old_term, new_term, "matchExpressions") ||
        !Narrows(old_term, new_term, "matchFields")) {
      return false;
    }
  }
  return true;
}

// A gated pod may be steered, as long as it may go nowhere that it might not have gone before.
bool MayChangeWhileGated(const JsonObject* before, const JsonObject* after, std::string_view key) {
  if (EmptyAt(before, "schedulingGates")) return false;
  if (key == "nodeSelector") {
    const JsonObject* old_map = ObjectAt(before, key);
    const JsonObject* new_map = ObjectAt(after, key);
    return !old_map || std::ranges::all_of(*old_map, [&](const auto& member) {
      return SameAt(old_map, new_map, member.key());
    });
  }
  if (key != "affinity") return false;
  const JsonObject* old_affinity = ObjectAt(before, key);
  const JsonObject* new_affinity = ObjectAt(after, key);
  return SameAt(old_affinity, new_affinity, "podAffinity") &&
         SameAt(old_affinity, new_affinity, "podAntiAffinity") &&
         NarrowsNodeAffinity(ObjectAt(old_affinity, "nodeAffinity"),
                             ObjectAt(new_affinity, "nodeAffinity"));
}

}  // namespace

void ValidatePodUpdate(const JsonObject& before, const JsonObject& after, FieldErrors& errors) {
  const JsonObject* old_spec = ObjectAt(&before, "spec");
  const JsonObject* new_spec = ObjectAt(&after, "spec");
  if (!old_spec || !new_spec) return;
  bool fine = true;
  for (const std::string_view key : {"containers", "initContainers"}) {
    fine = SameContainers(old_spec, new_spec, key, errors) && fine;
  }
  ValidateDeadline(old_spec, new_spec, errors);
  ValidateTolerations(old_spec, new_spec, errors);
  ValidateGates(old_spec, new_spec, errors);
  const auto old_grace = IntAt(old_spec, "terminationGracePeriodSeconds");
  const auto new_grace = IntAt(new_spec, "terminationGracePeriodSeconds");
  fine = fine && (old_grace == new_grace || (old_grace.value_or(0) < 0 && new_grace == 1));

  const auto covered = [&](const JsonObject& a, const JsonObject& b) {
    return std::ranges::all_of(a, [&](const auto& member) {
      const std::string_view key = member.key();
      return std::ranges::find(kRuled, key) != kRuled.end() || SameAt(&a, &b, key) ||
             MayChangeWhileGated(old_spec, new_spec, key);
    });
  };
  if (fine && covered(*old_spec, *new_spec) && covered(*new_spec, *old_spec)) return;
  errors.Forbidden(FieldPath("spec"), kOnlyThese);
}

}  // namespace berth::apiserver
