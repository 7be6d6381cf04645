// Validation of leases and lease candidates.

#include <optional>

#include "api/json/document.h"
#include "api/scheme/scheme.h"
#include "api/selector.h"
#include "apiserver/admission/field_errors.h"
#include "apiserver/admission/validation.h"
#include "base/semantic_version.h"

namespace berth::apiserver::admission {
namespace {

constexpr std::string_view kOldestEmulationVersion = "OldestEmulationVersion";

// The errors name spec.strategy.strategy, as those of kube-apiserver.
void ValidateStrategy(std::string_view strategy, const FieldPath& path, FieldErrors& errors) {
  if (!strategy.contains('/')) {
    if (strategy == kOldestEmulationVersion) return;
    return errors.NotSupported(path / "strategy", strategy, {kOldestEmulationVersion});
  }
  for (const std::string& what : api::QualifiedNameErrors(strategy)) {
    errors.Invalid(path / "strategy", strategy, what);
  }
}

void ValidateLease(const api::JsonObject* spec, FieldErrors& errors) {
  const FieldPath path("spec");
  const auto duration = api::IntAt(spec, "leaseDurationSeconds");
  if (duration && *duration <= 0) {
    errors.Invalid(path / "leaseDurationSeconds", *duration, "must be greater than 0");
  }
  errors.NonNegative(path / "leaseTransitions", api::At(spec, "leaseTransitions"));
  const std::string_view strategy = api::StringAt(spec, "strategy");
  if (api::At(spec, "strategy") != nullptr) ValidateStrategy(strategy, path / "strategy", errors);
  if (!api::StringAt(spec, "preferredHolder").empty() && strategy.empty()) {
    errors.Forbidden(path / "preferredHolder", "may only be specified if `strategy` is defined");
  }
}

// Returns nullopt if the version is missing or invalid.
std::optional<SemanticVersion> ValidateVersion(const api::JsonObject* spec, const FieldPath& path,
                                               std::string_view key, FieldErrors& errors) {
  const std::string_view text = api::StringAt(spec, key);
  if (text.empty()) return std::nullopt;
  if (const auto version = SemanticVersion::Parse(text)) return *version;
  errors.Invalid(path / key, text, "must be a valid semantic version");
  return std::nullopt;
}

void ValidateLeaseCandidate(const api::JsonObject* spec, FieldErrors& errors) {
  const FieldPath path("spec");
  if (api::StringAt(spec, "leaseName").empty()) errors.Required(path / "leaseName");
  const auto emulated = ValidateVersion(spec, path, "emulationVersion", errors);
  const std::string_view binary_text = api::StringAt(spec, "binaryVersion");
  if (binary_text.empty()) errors.Required(path / "binaryVersion");
  const auto binary = ValidateVersion(spec, path, "binaryVersion", errors);
  if (emulated && binary && *binary < *emulated) {
    errors.Invalid(path / "binaryVersion", binary_text,
                   "must be greater than or equal to `emulationVersion`");
  }
  const std::string_view strategy = api::StringAt(spec, "strategy");
  if (strategy.empty()) return errors.Required(path / "strategy");
  if (strategy == kOldestEmulationVersion &&
      emulated.value_or(SemanticVersion()) == SemanticVersion()) {
    errors.Required(path / "emulationVersion",
                    "must be specified when `strategy` is 'OldestEmulationVersion'");
  }
  ValidateStrategy(strategy, path / "strategy", errors);
}

}  // namespace

bool ValidateCoordination(const api::scheme::Kind& kind, const api::JsonObject& document,
                          FieldErrors& errors) {
  const api::JsonObject* spec = api::ObjectAt(&document, "spec");
  if (kind.kind == "Lease") {
    ValidateLease(spec, errors);
  } else if (kind.kind == "LeaseCandidate") {
    ValidateLeaseCandidate(spec, errors);
  } else {
    return false;
  }
  return true;
}

bool ValidateCoordinationUpdate(const api::scheme::Kind& kind, const api::JsonObject& before,
                                const api::JsonObject& after, FieldErrors& errors) {
  if (kind.kind != "LeaseCandidate") return false;
  Immutable(api::ObjectAt(&before, "spec"), api::ObjectAt(&after, "spec"), "leaseName",
            FieldPath("spec"), errors);
  return true;
}

}  // namespace berth::apiserver::admission
