#include "apiserver/admission/device_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "api/json/writer.h"
#include "api/selector.h"
#include "apiserver/admission/validation.h"
#include "cel/device_selector.h"
#include "cel/limits.h"

namespace berth::apiserver::admission {
namespace {

constexpr size_t kMaxDriverName = 63;
constexpr size_t kMaxPoolName = 253;
constexpr size_t kMaxAttributeId = 32;
constexpr size_t kMaxSelectors = 32;
constexpr size_t kMaxBindingConditions = 4;
constexpr size_t kMaxParameterBytes = 10 * 1024;

void CheckIdentifier(std::string_view id, const FieldPath& path, FieldErrors& errors) {
  if (id.size() > kMaxAttributeId) errors.TooLong(path, kMaxAttributeId);
  const auto is_word = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  if (!id.empty() && std::ranges::all_of(id, is_word) && std::isdigit(id.front()) == 0) return;
  errors.Invalid(path, id,
                 "a valid C identifier must start with alphabetic character or '_', followed by a "
                 "string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or "
                 "'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')");
}

void CheckSelector(const api::JsonObject* selector, const FieldPath& path, FieldErrors& errors) {
  const api::JsonObject* cel = api::ObjectAt(selector, "cel");
  const FieldPath cel_path = path / "cel";
  if (cel == nullptr) return errors.Required(cel_path);
  const FieldPath at = cel_path / "expression";
  const std::string_view expression = api::StringAt(cel, "expression");
  if (expression.size() > cel::kMaxSelectorBytes) return errors.TooLong(at, cel::kMaxSelectorBytes);
  const auto compiled = cel::DeviceSelector::Compile(expression, cel::DeviceSelector::Scope::kNew);
  if (!compiled) {
    if (compiled.error().kind == cel::CompileError::Kind::kInternal) {
      return errors.Internal(at, compiled.error().message);
    }
    return errors.Invalid(at, expression, compiled.error().message);
  }
  const auto cost = cel::DeviceSelector::EstimateCost(expression);
  if (cost && *cost > cel::kMaxSelectorCost) {
    errors.Forbidden(at, "too complex, exceeds cost limit");
  }
}

}  // namespace

void CheckDriverName(std::string_view driver, const FieldPath& path, FieldErrors& errors) {
  if (driver.empty()) return errors.Required(path);
  if (driver.size() > kMaxDriverName) errors.TooLong(path, kMaxDriverName);
  std::string lower(driver);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (const auto what = CheckDnsSubdomain(lower)) errors.Invalid(path, driver, *what);
}

void CheckPoolName(std::string_view pool, const FieldPath& path, FieldErrors& errors) {
  if (pool.empty()) return errors.Required(path);
  if (pool.size() > kMaxPoolName) return errors.TooLong(path, kMaxPoolName);
  for (size_t begin = 0; begin <= pool.size();) {
    const size_t end = std::min(pool.find('/', begin), pool.size());
    const std::string_view part = pool.substr(begin, end - begin);
    if (const auto what = CheckDnsSubdomain(part)) errors.Invalid(path, part, *what);
    begin = end + 1;
  }
}

void CheckLabelText(std::string_view name, const FieldPath& path, FieldErrors& errors) {
  if (const auto what = CheckDnsLabel(name)) errors.Invalid(path, name, *what);
}

void CheckLabelName(std::string_view name, const FieldPath& path, FieldErrors& errors) {
  for (const std::string& what : api::QualifiedNameErrors(name)) errors.Invalid(path, name, what);
}

void CheckLabelValue(std::string_view value, const FieldPath& path, FieldErrors& errors) {
  if (const auto what = api::ValidateLabelValue(value)) errors.Invalid(path, value, *what);
}

void CheckShareId(std::string_view id, const FieldPath& path, FieldErrors& errors) {
  constexpr std::string_view kForm = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  if (id.size() != kForm.size()) {
    return errors.Invalid(path, id,
                          fmt::format("error validating uid: invalid UUID length: {}", id.size()));
  }
  const auto fits = [](unsigned char c, char form) {
    return form == '-' ? c == '-' : std::isxdigit(c) != 0;
  };
  if (!std::ranges::equal(id, kForm, fits)) {
    return errors.Invalid(path, id, "error validating uid: invalid UUID format");
  }
  if (std::ranges::any_of(id, [](unsigned char c) { return std::isupper(c) != 0; })) {
    errors.Invalid(path, id,
                   "uid must be in RFC 4122 normalized form, "
                   "`xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters");
  }
}

void CheckAttributeName(std::string_view name, const FieldPath& path, FieldErrors& errors) {
  const size_t slash = name.find('/');
  if (slash == std::string_view::npos) return CheckIdentifier(name, path, errors);
  const std::string_view domain = name.substr(0, slash);
  const std::string_view id = name.substr(slash + 1);
  // kube-apiserver checks nothing if there is another slash.
  if (id.contains('/')) return;
  if (domain.empty()) {
    errors.Invalid(path, "", "the domain must not be empty");
  } else {
    CheckDriverName(domain, path, errors);
  }
  if (id.empty()) {
    errors.Invalid(path, "", "the name must not be empty");
  } else {
    CheckIdentifier(id, path, errors);
  }
}

void CheckQualifiedAttributeName(std::string_view name, const FieldPath& path,
                                 FieldErrors& errors) {
  CheckAttributeName(name, path, errors);
  if (name.contains('/')) return;
  errors.Invalid(path, name,
                 "a fully qualified name must be a domain and a name separated by a slash");
}

void CheckTaintEffect(std::string_view effect, const FieldPath& path, FieldErrors& errors) {
  if (effect == "NoExecute" || effect == "NoSchedule" || effect == "None") return;
  errors.NotSupported(path, effect, {"NoExecute", "NoSchedule", "None"});
}

void CheckTolerations(const api::JsonObject* holder, const FieldPath& path, FieldErrors& errors) {
  const auto check = [&](const api::Json& element, const FieldPath& at) {
    const api::JsonObject* toleration = api::AsObject(element);
    const std::string_view key = api::StringAt(toleration, "key");
    const std::string_view op = api::StringAt(toleration, "operator");
    const std::string_view value = api::StringAt(toleration, "value");
    const std::string_view effect = api::StringAt(toleration, "effect");
    if (!key.empty()) CheckLabelName(key, at / "key", errors);
    if (op == "Exists") {
      if (!value.empty())
        errors.Invalid(at / "value", value, "must be empty for operator `Exists`");
    } else if (op == "Equal") {
      CheckLabelValue(value, at / "value", errors);
    } else if (op.empty()) {
      errors.Required(at / "operator");
    } else {
      errors.NotSupported(at / "operator", op, {"Equal", "Exists"});
    }
    if (!effect.empty()) CheckTaintEffect(effect, at / "effect", errors);
  };
  CheckEach(api::ArrayAt(holder, "tolerations"), kNoLimit, path / "tolerations", errors, check);
}

void CheckBindingConditions(const api::JsonObject* holder, const FieldPath& path,
                            FieldErrors& errors) {
  const api::JsonArray* conditions = api::ArrayAt(holder, "bindingConditions");
  const api::JsonArray* failures = api::ArrayAt(holder, "bindingFailureConditions");
  const FieldPath conditions_path = path / "bindingConditions";
  const FieldPath failures_path = path / "bindingFailureConditions";
  const auto check = [&](const api::Json& name, const FieldPath& at) {
    CheckLabelName(api::AsString(name), at, errors);
  };
  CheckSet(conditions, kMaxBindingConditions, conditions_path, errors, check, TextOfElement);
  CheckSet(failures, kMaxBindingConditions, failures_path, errors, check, TextOfElement);
  std::set<std::string_view> names;
  for (size_t i = 0; conditions && i < conditions->size(); ++i)
    names.insert(api::AsString((*conditions)[i]));
  for (size_t i = 0; failures && i < failures->size(); ++i) {
    const std::string_view name = api::AsString((*failures)[i]);
    if (!names.contains(name)) continue;
    errors.Invalid(failures_path[i], name,
                   "bindingFailureConditions must not overlap with bindingConditions");
  }
  const bool has_conditions = conditions != nullptr && !conditions->empty();
  const bool has_failures = failures != nullptr && !failures->empty();
  if (!has_conditions && has_failures) {
    errors.InvalidText(conditions_path, conditions != nullptr ? "[]" : "null",
                       "bindingConditions are required to use bindingFailureConditions");
  }
  if (!has_failures && has_conditions) {
    errors.InvalidText(failures_path, failures != nullptr ? "[]" : "null",
                       "bindingFailureConditions are required to use bindingConditions");
  }
}

void CheckNodeSelector(const api::JsonObject* selector, const FieldPath& path,
                       FieldErrors& errors) {
  const FieldPath terms = path / "nodeSelectorTerms";
  if (api::EmptyAt(selector, "nodeSelectorTerms")) {
    return errors.Required(terms, "must have at least one node selector term");
  }
  ValidateNodeSelectorTerms(api::ArrayAt(selector, "nodeSelectorTerms"), terms, errors);
}

void CheckParameters(const api::Json* parameters, bool is_stored, const FieldPath& path,
                     FieldErrors& errors) {
  if (parameters == nullptr) return errors.Required(path);
  std::string text;
  if (!is_stored && api::AppendJson(text, *parameters) && text.size() > kMaxParameterBytes) {
    return errors.TooLong(path, kMaxParameterBytes);
  }
  if (!parameters->is_object()) {
    errors.Invalid(path, "<value omitted>", "must be a valid JSON object");
  }
}

void CheckSelectors(const api::JsonObject* holder, const FieldPath& path, FieldErrors& errors) {
  CheckEach(api::ArrayAt(holder, "selectors"), kMaxSelectors, path / "selectors", errors,
            [&](const api::Json& selector, const FieldPath& at) {
              CheckSelector(api::AsObject(selector), at, errors);
            });
}

}  // namespace berth::apiserver::admission
