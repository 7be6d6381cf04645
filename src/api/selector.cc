#include "api/selector.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/field_errors.h"

namespace berth::api {
namespace {

constexpr size_t kMaxNameLength = 63;
constexpr size_t kMaxSubdomainLength = 253;

constexpr std::string_view kNameRule =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
constexpr std::string_view kSubdomainRule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
constexpr std::string_view kValueRule =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  "
    "or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

bool IsLowerOrDigit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool IsAlphanumeric(char c) { return IsLowerOrDigit(c) || (c >= 'A' && c <= 'Z'); }

bool IsName(std::string_view text) {
  const auto inner = [](char c) { return IsAlphanumeric(c) || c == '-' || c == '_' || c == '.'; };
  return !text.empty() && IsAlphanumeric(text.front()) && IsAlphanumeric(text.back()) &&
         std::ranges::all_of(text, inner);
}

// Reports whether `text` is a sequence of lower-case DNS labels separated by dots.
bool IsSubdomain(std::string_view text) {
  for (char previous = '.'; const char c : text) {
    // Labels are not empty and neither begin nor end with a dash.
    const bool fits = c == '.'   ? IsLowerOrDigit(previous)
                      : c == '-' ? previous != '.'
                                 : IsLowerOrDigit(c);
    if (!fits) return false;
    previous = c;
  }
  return !text.empty() && IsLowerOrDigit(text.back());
}

std::string TooLong(size_t limit) {
  return "must be no more than " + std::to_string(limit) + " bytes";
}

std::optional<std::string> Join(const std::vector<std::string>& errors) {
  if (errors.empty()) return std::nullopt;
  std::string joined = errors[0];
  for (size_t i = 1; i < errors.size(); ++i) joined += "; " + errors[i];
  return joined;
}

void CheckPrefix(std::string_view prefix, std::vector<std::string>& errors) {
  if (prefix.empty()) {
    errors.emplace_back("prefix part must be non-empty");
    return;
  }
  if (prefix.size() > kMaxSubdomainLength) {
    errors.push_back("prefix part " + TooLong(kMaxSubdomainLength));
  }
  if (!IsSubdomain(prefix)) errors.push_back("prefix part " + std::string(kSubdomainRule));
}

}  // namespace

std::vector<std::string> QualifiedNameErrors(std::string_view text) {
  std::vector<std::string> errors;
  std::string_view name = text;
  if (const size_t slash = text.find('/'); slash != std::string_view::npos) {
    name = text.substr(slash + 1);
    if (name.contains('/')) {
      return {"a qualified name " + std::string(kNameRule) +
              " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"};
    }
    CheckPrefix(text.substr(0, slash), errors);
  }
  if (name.empty()) errors.emplace_back("name part must be non-empty");
  if (name.size() > kMaxNameLength) errors.push_back("name part " + TooLong(kMaxNameLength));
  if (!IsName(name)) errors.push_back("name part " + std::string(kNameRule));
  return errors;
}

std::optional<std::string> ValidateQualifiedName(std::string_view text) {
  return Join(QualifiedNameErrors(text));
}

std::optional<std::string> ValidateLabelValue(std::string_view text) {
  std::vector<std::string> errors;
  if (text.size() > kMaxNameLength) errors.push_back(TooLong(kMaxNameLength));
  if (!text.empty() && !IsName(text)) errors.emplace_back(kValueRule);
  return Join(errors);
}

namespace {

// Quotes like Go's %q, for the characters that occur here.
std::string Quote(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (c == '\n') {
      quoted += "\\n";
    } else if (c == '\t') {
      quoted += "\\t";
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string QuoteList(const std::vector<std::string>& values, std::string_view separator) {
  std::string list;
  for (const std::string& value : values) {
    if (!list.empty()) list += separator;
    list += Quote(value);
  }
  return list;
}

std::string InvalidList(std::string_view path, const std::vector<std::string>& values,
                        std::string_view why) {
  const std::string list = values.empty() ? "null" : "[" + QuoteList(values, ",") + "]";
  return std::string(path) + ": Invalid value: " + list + ": " + std::string(why);
}

std::string InvalidValue(std::string_view path, std::string_view value, std::string_view why) {
  return std::string(path) + ": Invalid value: " + Quote(value) + ": " + std::string(why);
}

std::string UnsupportedOperator(std::string_view op, const std::vector<std::string>& supported) {
  return "operator: Unsupported value: " + Quote(op) +
         ": supported values: " + QuoteList(supported, ", ");
}

// Joins errors like upstream's errors.Aggregate: one as it is, several without repeats in brackets.
std::string Aggregate(const std::vector<std::string>& errors) {
  std::vector<std::string_view> distinct;
  std::set<std::string_view> seen;
  for (const std::string& error : errors) {
    if (seen.insert(error).second) distinct.push_back(error);
  }
  if (distinct.size() == 1) return std::string(distinct[0]);
  std::string joined = "[";
  for (const std::string_view error : distinct) {
    if (joined.size() > 1) joined += ", ";
    joined += error;
  }
  return joined + "]";
}

// Checks the number of values, and the integers of Gt and Lt.
void CheckValues(SelectorOp op, const std::vector<std::string>& values,
                 std::vector<std::string>& errors) {
  switch (op) {
    case SelectorOp::kIn:
    case SelectorOp::kNotIn:
      if (values.empty()) {
        errors.push_back(InvalidList("values", values,
                                     "for 'in', 'notin' operators, values set can't be empty"));
      }
      return;
    case SelectorOp::kExists:
    case SelectorOp::kDoesNotExist:
      if (!values.empty()) {
        errors.push_back(InvalidList("values", values,
                                     "values set must be empty for exists and does not exist"));
      }
      return;
    case SelectorOp::kGt:
    case SelectorOp::kLt:
      if (values.size() != 1) {
        errors.push_back(InvalidList("values", values,
                                     "for 'Gt', 'Lt' operators, exactly one value is required"));
      }
      for (size_t i = 0; i < values.size(); ++i) {
        if (ParseInt(values[i])) continue;
        errors.push_back(InvalidValue("values[" + std::to_string(i) + "]", values[i],
                                      "for 'Gt', 'Lt' operators, the value must be an integer"));
      }
      return;
  }
}

// Returns all errors of a requirement.
std::vector<std::string> RequirementErrors(std::string_view key, SelectorOp op,
                                           const std::vector<std::string>& values) {
  std::vector<std::string> errors;
  if (const auto error = ValidateQualifiedName(key)) {
    errors.push_back(InvalidValue("key", key, *error));
  }
  CheckValues(op, values, errors);
  for (size_t i = 0; i < values.size() && errors.size() < kMaxReportedErrors; ++i) {
    if (const auto error = ValidateLabelValue(values[i])) {
      const std::string path = "values[" + std::to_string(i) + "][" + Limited(key) + "]";
      errors.push_back(InvalidValue(path, values[i], *error));
    }
  }
  return errors;
}

Requirement MakeValid(std::string key, SelectorOp op, std::vector<std::string> values) {
  Requirement requirement{std::move(key), op, std::move(values), 0};
  if (op == SelectorOp::kGt || op == SelectorOp::kLt) {
    requirement.bound = ParseInt(requirement.values[0]).value();
  }
  std::ranges::sort(requirement.values);
  const auto repeated = std::ranges::unique(requirement.values);
  requirement.values.erase(repeated.begin(), repeated.end());
  return requirement;
}

std::optional<SelectorOp> ParseLabelOp(std::string_view op) {
  if (op == "In") return SelectorOp::kIn;
  if (op == "NotIn") return SelectorOp::kNotIn;
  if (op == "Exists") return SelectorOp::kExists;
  if (op == "DoesNotExist") return SelectorOp::kDoesNotExist;
  return std::nullopt;
}

std::optional<SelectorOp> ParseNodeOp(std::string_view op) {
  if (op == "Gt") return SelectorOp::kGt;
  if (op == "Lt") return SelectorOp::kLt;
  return ParseLabelOp(op);
}

// Appends `expression` to `out`, or returns its errors.
std::vector<std::string> CompileExpression(const NodeSelectorRequirement& expression,
                                           std::vector<Requirement>& out) {
  const std::optional<SelectorOp> op = ParseNodeOp(expression.op);
  if (!op) {
    return {
        UnsupportedOperator(expression.op, {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"})};
  }
  std::vector<std::string> errors = RequirementErrors(expression.key, *op, expression.values);
  if (errors.empty()) out.push_back(MakeValid(expression.key, *op, expression.values));
  return errors;
}

std::vector<std::string> CompileField(const NodeSelectorRequirement& field,
                                      std::vector<CompiledNodeTerm::Field>& out) {
  const std::optional<SelectorOp> op = ParseLabelOp(field.op);
  if (op != SelectorOp::kIn && op != SelectorOp::kNotIn) {
    return {UnsupportedOperator(field.op, {"In", "NotIn"})};
  }
  if (field.values.size() != 1) {
    return {InvalidList("values", field.values, "must have one element")};
  }
  out.push_back({field.key, op == SelectorOp::kIn, field.values[0]});
  return {};
}

// Compiles `requirements` with `compile`; appends errors under `path`.`name`[index] to `errors`.
template <typename Out, typename Compile>
void CompileAll(const std::vector<NodeSelectorRequirement>& requirements, std::string_view path,
                std::string_view name, Out& out, std::vector<std::string>& errors,
                Compile compile) {
  for (size_t i = 0; i < requirements.size(); ++i) {
    for (const std::string& error : compile(requirements[i], out)) {
      std::string where(path);
      if (!where.empty()) where += '.';
      where.append(name).append("[" + std::to_string(i) + "].");
      errors.push_back(where + error);
    }
  }
}

CompiledNodeTerm CompileTerm(const NodeSelectorTerm& term, std::string_view path,
                             std::vector<std::string>& errors) {
  CompiledNodeTerm compiled;
  CompileAll(term.match_expressions, path, "matchExpressions", compiled.labels, errors,
             CompileExpression);
  CompileAll(term.match_fields, path, "matchFields", compiled.fields, errors, CompileField);
  return compiled;
}

}  // namespace

Result<Requirement> Requirement::Make(std::string key, SelectorOp op,
                                      std::vector<std::string> values) {
  const std::vector<std::string> errors = RequirementErrors(key, op, values);
  if (!errors.empty()) return Fail(Aggregate(errors));
  return MakeValid(std::move(key), op, std::move(values));
}

bool Requirement::Matches(const std::string* value) const {
  switch (op) {
    case SelectorOp::kIn:
      return value != nullptr && std::ranges::binary_search(values, *value);
    case SelectorOp::kNotIn:
      return value == nullptr || !std::ranges::binary_search(values, *value);
    case SelectorOp::kExists:
      return value != nullptr;
    case SelectorOp::kDoesNotExist:
      return value == nullptr;
    case SelectorOp::kGt:
    case SelectorOp::kLt: {
      if (value == nullptr) return false;
      const std::optional<int64_t> number = ParseInt(*value);
      return number && (op == SelectorOp::kGt ? *number > bound : *number < bound);
    }
  }
  return false;
}

bool Requirement::Matches(const StringMap& labels) const {
  const auto label = labels.find(key);
  return Matches(label == labels.end() ? nullptr : &label->second);
}

Selector Selector::Nothing() {
  Selector selector;
  selector.nothing_ = true;
  return selector;
}

Result<Selector> Selector::FromLabelSelector(const std::optional<LabelSelector>& selector) {
  if (!selector) return Nothing();
  Selector result;
  const auto add = [&](const std::string& key, SelectorOp op,
                       const std::vector<std::string>& values) -> Status {
    Result<Requirement> requirement = Requirement::Make(key, op, values);
    if (!requirement) return std::unexpected(std::move(requirement.error()));
    result.Add(*std::move(requirement));
    return {};
  };
  for (const auto& [key, value] : selector->match_labels) {
    if (Status added = add(key, SelectorOp::kIn, {value}); !added) {
      return std::unexpected(std::move(added.error()));
    }
  }
  for (const LabelSelectorRequirement& expression : selector->match_expressions) {
    const std::optional<SelectorOp> op = ParseLabelOp(expression.op);
    if (!op) return Fail(Quote(expression.op) + " is not a valid label selector operator");
    if (Status added = add(expression.key, *op, expression.values); !added) {
      return std::unexpected(std::move(added.error()));
    }
  }
  return result;
}

Selector Selector::FromMap(const StringMap& labels) {
  Selector result;
  for (const auto& [key, value] : labels) result.Add({key, SelectorOp::kIn, {value}, 0});
  return result;
}

bool Selector::Matches(const StringMap& labels) const {
  return !nothing_ && std::ranges::all_of(requirements_, [&](const Requirement& requirement) {
    return requirement.Matches(labels);
  });
}

Result<CompiledNodeTerm> CompiledNodeTerm::Make(const NodeSelectorTerm& term,
                                                std::string_view path) {
  std::vector<std::string> errors;
  CompiledNodeTerm compiled = CompileTerm(term, path, errors);
  if (!errors.empty()) return Fail(Aggregate(errors));
  return compiled;
}

std::vector<std::string> CompiledNodeTerm::Problems(const NodeSelectorTerm& term,
                                                    std::string_view path) {
  std::vector<std::string> errors;
  CompileTerm(term, path, errors);
  return errors;
}

bool CompiledNodeTerm::Matches(const StringMap& node_labels, std::string_view node_name) const {
  const auto label_holds = [&](const Requirement& label) { return label.Matches(node_labels); };
  if (!std::ranges::all_of(labels, label_holds)) return false;
  if (node_name.empty()) return true;
  return std::ranges::all_of(fields, [&](const Field& field) {
    const std::string_view actual = field.key == "metadata.name" ? node_name : "";
    return (actual == field.value) == field.equal;
  });
}

Result<CompiledNodeSelector> CompiledNodeSelector::Make(const NodeSelector& selector) {
  CompiledNodeSelector compiled = MakeLazy(selector);
  if (compiled.parse_error_) return std::unexpected(*std::move(compiled.parse_error_));
  return compiled;
}

CompiledNodeSelector CompiledNodeSelector::MakeLazy(const NodeSelector& selector) {
  CompiledNodeSelector compiled;
  std::vector<std::string> errors;
  for (size_t i = 0; i < selector.terms.size(); ++i) {
    const NodeSelectorTerm& term = selector.terms[i];
    if (term.match_expressions.empty() && term.match_fields.empty()) continue;
    const size_t errors_before = errors.size();
    CompiledNodeTerm compiled_term =
        CompileTerm(term, "nodeSelectorTerms[" + std::to_string(i) + "]", errors);
    if (errors.size() == errors_before) compiled.terms_.push_back(std::move(compiled_term));
  }
  if (!errors.empty()) compiled.parse_error_ = Error{Aggregate(errors)};
  return compiled;
}

bool CompiledNodeSelector::Matches(const StringMap& node_labels, std::string_view node_name) const {
  return std::ranges::any_of(
      terms_, [&](const CompiledNodeTerm& term) { return term.Matches(node_labels, node_name); });
}

namespace {

// Parses a decimal integer in its only form: without plus and leading zeros, and 0 without sign.
std::optional<int64_t> ParseCanonicalInt(std::string_view text) {
  const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
  const bool canonical = text == "0" || (!digits.empty() && digits[0] >= '1' && digits[0] <= '9');
  return canonical ? ParseInt(text) : std::nullopt;
}

// The taint's value is less, or greater, than the toleration's.
bool ToleratesNumber(const Toleration& toleration, const Taint& taint) {
  if (toleration.op != "Lt" && toleration.op != "Gt") return false;
  const std::optional<int64_t> bound = ParseCanonicalInt(toleration.value);
  const std::optional<int64_t> value = ParseCanonicalInt(taint.value);
  if (!bound || !value) return false;
  return toleration.op == "Lt" ? *value < *bound : *value > *bound;
}

}  // namespace

bool Tolerates(const Toleration& toleration, const Taint& taint, bool comparison_operators) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  if (toleration.op.empty() || toleration.op == "Equal") return toleration.value == taint.value;
  if (toleration.op == "Exists") return true;
  return comparison_operators && ToleratesNumber(toleration, taint);
}

bool ToleratesAny(const std::vector<Toleration>& tolerations, const Taint& taint,
                  bool comparison_operators) {
  return std::ranges::any_of(tolerations, [&](const Toleration& toleration) {
    return Tolerates(toleration, taint, comparison_operators);
  });
}

std::optional<int64_t> ParseInt(std::string_view text) {
  // from_chars accepts a minus but no plus.
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace berth::api
