// Selectors compiled from their API form, with the semantics and errors of Kubernetes, and the
// syntax of label keys and values.
//
// These match plain label maps. scheduler/model compiles the same requirements against interned
// labels and is tested against these.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/meta.h"
#include "api/node.h"
#include "api/pod.h"
#include "base/result.h"

namespace berth::api {

enum class SelectorOp : uint8_t { kIn, kNotIn, kExists, kDoesNotExist, kGt, kLt };

// One validated condition on one label.
struct Requirement {
  std::string key;
  SelectorOp op = SelectorOp::kExists;
  std::vector<std::string> values;  // Sorted, unique. Empty for Exists and DoesNotExist.
  int64_t bound = 0;                // The parsed value of Gt and Lt.

  // Validates like upstream's labels.NewRequirement.
  static Result<Requirement> Make(std::string key, SelectorOp op, std::vector<std::string> values);

  // `value` is the label's value, or nullptr if the object has no such label.
  bool Matches(const std::string* value) const;
  bool Matches(const StringMap& labels) const;
  friend bool operator==(const Requirement&, const Requirement&) = default;
};

// A conjunction of requirements. Nothing() matches no object; Everything() (no requirement) matches
// all.
class Selector {
 public:
  static Selector Everything() { return Selector(); }
  static Selector Nothing();

  // Returns Nothing for nullopt and Everything for an empty selector.
  static Result<Selector> FromLabelSelector(const std::optional<LabelSelector>& selector);
  // Requires equality of every pair, without validation; an empty map gives Everything.
  static Selector FromMap(const StringMap& labels);

  bool Matches(const StringMap& labels) const;
  // True for Everything only.
  bool empty() const { return !nothing_ && requirements_.empty(); }
  bool nothing() const { return nothing_; }
  const std::vector<Requirement>& requirements() const { return requirements_; }
  void Add(Requirement requirement) { requirements_.push_back(std::move(requirement)); }
  friend bool operator==(const Selector&, const Selector&) = default;

 private:
  bool nothing_ = false;
  std::vector<Requirement> requirements_;
};

// One term of a node selector: label requirements and requirements on metadata.name.
struct CompiledNodeTerm {
  std::vector<Requirement> labels;

  // matchFields: the value under `key` ("metadata.name" is the node's name, any other key is "")
  // must or must not equal `value`.
  struct Field {
    std::string key;
    bool equal = true;
    std::string value;
    friend bool operator==(const Field&, const Field&) = default;
  };
  std::vector<Field> fields;

  // Fails on anything upstream fails to parse. Errors are prefixed with `path`, for example "[3]".
  // A term without requirements matches every node here; CompiledNodeSelector drops such terms.
  static Result<CompiledNodeTerm> Make(const NodeSelectorTerm& term, std::string_view path = "");
  // Returns every error that Make fails with, one message each.
  static std::vector<std::string> Problems(const NodeSelectorTerm& term, std::string_view path);

  // Ignores the fields if the node name is empty, as for PersistentVolume affinity.
  bool Matches(const StringMap& node_labels, std::string_view node_name) const;
  friend bool operator==(const CompiledNodeTerm&, const CompiledNodeTerm&) = default;
};

// A disjunction of terms. Empty terms are dropped: a selector without usable terms matches nothing.
class CompiledNodeSelector {
 public:
  // Fails if any term fails to parse.
  static Result<CompiledNodeSelector> Make(const NodeSelector& selector);
  // Never fails: terms that fail to parse never match, and parse_error() reports why.
  static CompiledNodeSelector MakeLazy(const NodeSelector& selector);

  bool Matches(const StringMap& node_labels, std::string_view node_name) const;
  const std::vector<CompiledNodeTerm>& terms() const { return terms_; }
  const std::optional<Error>& parse_error() const { return parse_error_; }

 private:
  std::vector<CompiledNodeTerm> terms_;
  std::optional<Error> parse_error_;
};

// Reports whether `toleration` tolerates `taint`. The operators Lt and Gt match only if
// `comparison_operators`, by the feature gate TaintTolerationComparisonOperators.
bool Tolerates(const Toleration& toleration, const Taint& taint, bool comparison_operators = false);
bool ToleratesAny(const std::vector<Toleration>& tolerations, const Taint& taint,
                  bool comparison_operators = false);

// Parses like Go's strconv.ParseInt(s, 10, 64).
std::optional<int64_t> ParseInt(std::string_view text);

// The Validate functions check `text` like the API server; they return the error text, or nullopt
// if `text` is valid.
std::optional<std::string> ValidateQualifiedName(std::string_view text);
// Returns the errors of ValidateQualifiedName one by one.
std::vector<std::string> QualifiedNameErrors(std::string_view text);
std::optional<std::string> ValidateLabelValue(std::string_view text);

}  // namespace berth::api
